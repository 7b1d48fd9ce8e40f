// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Plans a small graph on two tasks, for tests of what a master does with a
// plan. The ps has the node Mul = 2 * x. The worker has the nodes AddV2 = Mul +
// u and Neg = -u.
#ifndef LEAT_TESTS_DISTRIBUTED_MASTER_PLANNED_ON_TWO_TASKS_H_
#define LEAT_TESTS_DISTRIBUTED_MASTER_PLANNED_ON_TWO_TASKS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat {

inline const std::string kWorkerTask = "/job:worker/replica:0/task:0";
inline const std::string kPsTask = "/job:ps/replica:0/task:0";

// Returns the CPUs of both tasks, the worker's first.
inline std::vector<DeviceInfo> TwoTasks() {
  return {
      {.name = kWorkerTask + "/device:CPU:0", .type = kCpu, .incarnation = 7},
      {.name = kPsTask + "/device:CPU:0",
       .type = kCpu,
       .incarnation = 0xe607e44825c78fa6}};
}

// Builds, prepares and plans the graph for `signature`. The comment at the top
// of this file names the nodes. `devices` are the devices of TwoTasks, or other
// devices of the same tasks. Returns the first error of these stages.
inline absl::StatusOr<StepPlan> PlanOnTwoTasks(
    StepSignature signature, const std::vector<DeviceInfo>& devices,
    const PlanOptions& plan_options = {}) {
  GraphBuilder b;
  Output x, y, u;
  {
    auto device = b.OnDevice("/job:ps/task:0");
    x = b.Placeholder<float>("x", {2});
    y = op::Mul(x, b.Const<float>(2.0f, "two"));
  }
  {
    auto device = b.OnDevice("/job:worker/task:0");
    u = b.Placeholder<float>("u", {2});
    op::AddV2(y, u);
    op::Neg(u);
  }
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  PrepareOptions options;
  options.policies = &BuiltinPolicies();
  LEAT_ASSIGN_OR_RETURN(const Graph prepared,
                        PrepareGraph(graph, devices, options));
  return PlanStep(prepared, std::move(signature), devices, plan_options);
}

}  // namespace leat

#endif  // LEAT_TESTS_DISTRIBUTED_MASTER_PLANNED_ON_TWO_TASKS_H_
