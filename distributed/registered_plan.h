// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// RegisteredPlan: a plan whose graphs their tasks have, and how its steps are
// asked for. Immutable; shared by the steps that run it.
#ifndef LEAT_DISTRIBUTED_REGISTERED_PLAN_H_
#define LEAT_DISTRIBUTED_REGISTERED_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/distributed/tasks.h"
#include "leat/partitioner/client_terminated.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/feed_checks.h"

namespace leat {

class PlanObserver;

// What one task has of a plan.
struct TaskPart {
  std::string task = {};    // "/job:ps/replica:0/task:0"
  bool is_foreign = false;  // TensorFlow's
  // Exchanges nothing with other tasks: a step has ended there when RunGraph
  // has returned, and needs no CleanupGraph.
  bool ends_alone = false;
  // Which of the step's feeds and fetches it takes and gives, by which key.
  Boundary boundary = {};
  // Once it is registered.
  std::string graph_handle = {};
  // The fields of RunGraphRequest that all steps share, serialized.
  std::string run_graph = {};
};

struct RegisteredPlan {
  FeedSpec feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<TaskPart> parts = {};
};

// The session for which plans are registered. All borrowed.
struct PlanSession {
  const std::string* handle = nullptr;
  // Of all its tasks: PlanStep's.
  absl::Span<const DeviceInfo> devices = {};
  absl::Span<const std::string> foreign_tasks = {};
  // As the client sent it, for tasks of TensorFlow.
  const pb::ConfigProto* config = nullptr;
  // Sees plans before they are registered. May be null; else they have `whole`.
  PlanObserver* observer = nullptr;
};

// A part and the request that registers it. In graphs for a task of TensorFlow
// there are no attrs of Leat's, nor those that have their default value, which
// an older op may not know.
struct PartRequest {
  TaskPart part = {};
  pb::RegisterGraphRequest request = {};
};

// Fails as ArgsToRecvs and ExportGraphDef do; RESOURCE_EXHAUSTED naming the
// task for a graph that is too large for a message.
absl::StatusOr<std::vector<PartRequest>> MakePartRequests(
    std::vector<Partition> partitions, const StepSignature& signature,
    const PlanSession& session);

// Fills in what is known once a part is registered.
void SetGraphHandle(const std::string& session_handle, std::string graph_handle,
                    TaskPart& part);

// The header of a RunGraphRequest: the fields of `part.run_graph`, and those of
// one step. `cleanup_steps`: ended ones that the task, of Leat, is to forget.
std::string RunGraphHeader(const TaskPart& part, int64_t step_id,
                           int64_t request_id,
                           const pb::ExecutorOpts& exec_opts = {},
                           absl::Span<const int64_t> cleanup_steps = {});

using RegisterPlanDone = absl::AnyInvocable<
    void(absl::StatusOr<std::shared_ptr<const RegisteredPlan>>) &&>;

// Registers every part at its task, at once. `done` exactly once: fails as
// MakePartRequests does, or with what a task says, "From TASK:\n" in front;
// nothing stays registered then. Exports graphs: takes long.
void RegisterPlan(Tasks& tasks, StepPlan plan, const PlanSession& session,
                  const CallOptions& options, RegisterPlanDone done);

// Tells the tasks that no step of these parts will come any more. Not waited
// for. `tasks` is borrowed until the calls have ended.
void DeregisterParts(Tasks& tasks, const std::string& session_handle,
                     absl::Span<const TaskPart> parts);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REGISTERED_PLAN_H_
