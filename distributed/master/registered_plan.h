// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RegisteredPlan is a plan whose graphs are registered with their tasks. The
// functions in this file register plans and write the requests of steps.
#ifndef LEAT_DISTRIBUTED_MASTER_REGISTERED_PLAN_H_
#define LEAT_DISTRIBUTED_MASTER_REGISTERED_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/partitioner/client_terminated.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/feed_checks.h"
#include "leat/runtime/plan_table.h"

namespace leat {

class PlanObserver;

// Describes the part of a plan that runs on one task.
struct TaskPart {
  std::string task = {};    // "/job:ps/replica:0/task:0"
  bool is_foreign = false;  // true for a task of TensorFlow
  // Is true if the part runs on a task of Leat, exchanges no tensors with other
  // tasks and is not part of a partial run. A step then ends on the task when
  // RunGraph returns, and needs no CleanupGraph.
  bool ends_alone = false;
  // Is true if the part uses state of the task, that is, if its nodes have
  // handles of variables or queues.
  bool has_state = false;
  // Holds the feeds that the part takes and the fetches that the part returns,
  // with their keys.
  Boundary boundary = {};
  // Is the handle that the task has given the graph. Is empty until the graph
  // is registered.
  std::string graph_handle = {};
  // Is a serialized RunGraphRequest with the fields that are the same in all
  // calls.
  std::string run_graph = {};
};

// Describes a plan and its parts. It does not change after the registration,
// and the steps that run it share it.
struct RegisteredPlan {
  FeedSpec feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<TaskPart> parts = {};
  std::optional<Graph> whole = {};  // StepPlan::whole of a partial run
  // Is the key of the plan's collectives (collectives/graph_key.h), or 0.
  int64_t collective_graph_key = 0;
};

// Holds the plans of a session of a master.
using RegisteredPlans = PlanTable<RegisteredPlan>;

// Holds the session for which plans are registered. Everything is borrowed.
struct PlanSession {
  const std::string* handle = nullptr;
  // Holds the devices of all tasks of the session. The plan must have been made
  // for the same devices.
  absl::Span<const DeviceInfo> devices = {};
  absl::Span<const std::string> foreign_tasks = {};
  // Is the client's configuration, which is sent to tasks of TensorFlow. May be
  // null.
  const pb::ConfigProto* config = nullptr;
  // Sees plans before they are registered. May be null. If there is an
  // observer, plans must have their `whole` graph.
  PlanObserver* observer = nullptr;
};

// Describes a part and the request that registers it. If the part is for a task
// of TensorFlow, the graph has no attrs that only Leat understands. It also
// lacks attrs that have their default values, because an older TensorFlow may
// not know these attrs.
struct PartRequest {
  TaskPart part = {};
  pb::RegisterGraphRequest request = {};
};

// Makes the requests that register the partitions. Fails as ArgsToRecvs and
// ExportGraphDef do, and with RESOURCE_EXHAUSTED, naming the task, for a graph
// that is too large for a message.
absl::StatusOr<std::vector<PartRequest>> MakePartRequests(
    std::vector<Partition> partitions, const StepSignature& signature,
    const PlanSession& session);

// Sets the fields of `part` that depend on its graph handle.
void SetGraphHandle(const std::string& session_handle, std::string graph_handle,
                    bool is_partial, TaskPart& part);

// Returns the header of a RunGraphRequest. It has the fields of
// `part.run_graph`, which all calls share, and the fields of `call`, which
// belong to one call.
std::string RunGraphHeader(const TaskPart& part,
                           const pb::RunGraphRequest& call);

// Registers all parts with their tasks, at the same time, and calls `done`
// exactly once. Fails as MakePartRequests does. If a task fails, `done` gets
// the task's error with "From TASK:\n" in front. After a failure no part stays
// registered. Exports the graphs before it returns, so the call may take a long
// time. `tasks` is borrowed until the calls have ended.
void RegisterPlan(TaskCaller& tasks, StepPlan plan, const PlanSession& session,
                  const CallOptions& options, RegisteredPlans::Done done);

// Tells the tasks that no more steps will run these parts. Does not wait for
// their answers. `tasks` is borrowed until the calls have ended.
void DeregisterParts(TaskCaller& tasks, const std::string& session_handle,
                     absl::Span<const TaskPart> parts);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_REGISTERED_PLAN_H_
