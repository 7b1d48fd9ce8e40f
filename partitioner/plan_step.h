// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanStep is the second stage of planning (the first is PrepareGraph). It runs
// once per signature:
//  - It prunes the prepared graph to what a step with these feeds, fetches and
//    targets needs (prune.h).
//  - It optimizes the graph (graph/optimizer/pass.h) and removes edges between
//    tasks (reduce_cross_task_edges.h).
//  - It adds control loops to loops that span devices (control_loops.h).
//  - It cuts the graph into one graph per task (partition.h).
#ifndef LEAT_PARTITIONER_PLAN_STEP_H_
#define LEAT_PARTITIONER_PLAN_STEP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/core/partial_shape.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer/constant_evaluator.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/prune.h"

namespace leat {

// Describes the plan for all steps with one signature. Sessions keep it in
// their plan table (runtime/plan_table.h). A plan does not change after it has
// been made, so it is thread-safe.
struct StepPlan {
  StepSignature signature = {};
  std::vector<DType> feed_types = {};          // by position of the feed
  std::vector<PartialShape> feed_shapes = {};  // by position of the feed
  std::vector<Partition> partitions = {};      // one per task with nodes
  // Is the graph before it was cut, if PlanOptions::keep_whole is set or the
  // step is a partial run.
  std::optional<Graph> whole = {};
};

// Says how to plan a step. The pointers are borrowed for the call.
struct PlanOptions {
  OptimizerOptions optimizer = {};
  const PassRegistry* passes = nullptr;    // null: no pass is run
  ConstantEvaluator* evaluator = nullptr;  // null: no constant is folded
  // Holds the tasks that run TensorFlow, such as "/job:ps/replica:0/task:0".
  // Passes do not give nodes on these tasks an op whose name begins with '_'.
  std::vector<std::string> foreign_tasks = {};
  // Holds the limits for bundles of tensors between tasks that are not foreign.
  BundleLimits bundles = {};
  // Is the first number in the names of the tensors between tasks
  // (partition.h).
  int64_t first_edge = 0;
  // If true, the plan keeps a copy of the graph before it was cut.
  bool keep_whole = false;
  // Is called after every run of a pass. `changed` says whether the pass has
  // changed the graph.
  std::function<void(const Pass&, bool changed, const Graph&)> after_pass = {};
};

// Returns the plan for steps with `signature`. `prepared` is what PrepareGraph
// returned for the same devices; several threads may plan with it at the same
// time. Fails as PruneToStep, ReadReferencesLate, OptimizeStep,
// ReduceCrossTaskEdges, AddControlLoops and PartitionGraph do.
absl::StatusOr<StepPlan> PlanStep(const Graph& prepared,
                                  StepSignature signature,
                                  absl::Span<const DeviceInfo> devices,
                                  const PlanOptions& options = {});

// Runs the passes on a pruned step. This is a part of PlanStep. Fails as
// RunPasses does.
absl::Status OptimizeStep(absl::Span<const DeviceInfo> devices,
                          const PlanOptions& options, PrunedStep& step);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PLAN_STEP_H_
