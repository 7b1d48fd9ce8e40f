// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// RemoteStep: one running step of a plan: a RunGraph to each of its tasks, with
// the feeds that the task takes, and what they reply. Thread-safe.
#ifndef LEAT_DISTRIBUTED_REMOTE_STEP_H_
#define LEAT_DISTRIBUTED_REMOTE_STEP_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/buffer.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/core/tensor.h"
#include "leat/core/timer_queue.h"
#include "leat/core/variant_codec.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/cleanups.h"
#include "leat/distributed/merged_step_stats.h"
#include "leat/distributed/registered_plan.h"
#include "leat/distributed/step_errors.h"
#include "leat/distributed/tasks.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/graph_runner.h"

namespace leat {

// All borrowed until the step has ended.
struct StepEnvironment {
  Tasks* tasks = nullptr;
  TimerQueue* timers = nullptr;
  WorkQueue* compute = nullptr;    // decodes large replies
  Allocator* allocator = nullptr;  // host memory of what is fetched
  const VariantDecoders* decoders = nullptr;
  int64_t max_message_bytes = INT32_MAX;
  // For the cause, once a task has reported what may be an echo of it.
  std::chrono::nanoseconds wait_for_cause = std::chrono::seconds(1);
  // For replies, once the step was cancelled.
  std::chrono::nanoseconds wait_for_replies = std::chrono::seconds(5);
  std::chrono::nanoseconds cleanup_timeout = std::chrono::seconds(10);
  // Tells tasks of the end of steps that have succeeded. Null: they are told at
  // once, each by a call.
  std::shared_ptr<Cleanups> cleanups = {};
};

struct StepRequest {
  std::shared_ptr<const RegisteredPlan> plan = {};
  std::vector<Tensor> feeds = {};  // by position
  std::optional<StepDeadline> deadline = {};
  // Its cancellation is the step's. May be null.
  std::shared_ptr<CallContext> call = {};
  bool trace = false;             // step_stats, by the clock of this process
  bool partition_graphs = false;  // partition_graphs
};

struct StepResult {
  absl::Status status = {};
  std::vector<Tensor> fetches = {};  // all, when the status is OK
  pb::RunMetadata metadata = {};     // what was asked for, of tasks that told
};

class RemoteStep : public std::enable_shared_from_this<RemoteStep> {
 public:
  using Done = absl::AnyInvocable<void(StepResult) &&>;
  using Ended = absl::AnyInvocable<void() &&>;

  // Checks the feeds and starts. `done` exactly once: the status is the cause
  // (step_errors.h) when tasks failed, which cancels the others. `ended`
  // exactly once, after `done`: every task has replied and was told to forget
  // the step, or is going to be told soon (cleanups.h). Both on any thread,
  // perhaps this one, outside of any lock.
  static std::shared_ptr<RemoteStep> Start(const StepEnvironment& environment,
                                           StepRequest request, Done done,
                                           Ended ended);

  // Cancels the step on all tasks: its status is `why` unless a task has
  // failed by itself. Idempotent.
  void Cancel(const absl::Status& why);

  int64_t step_id() const { return step_id_; }

 private:
  RemoteStep(const StepEnvironment& environment, StepRequest request, Done done,
             Ended ended);

  // Ends it before anything is sent.
  void Refuse(const absl::Status& why);
  void SetDeadline();
  void ListenToClient();
  void Begin();
  void Send();
  WireTensors FeedsOf(const TaskPart& part) const;
  // Ended steps of which a task should have heard with a part.
  void GiveBack(size_t part, const std::vector<int64_t>& cleanups);
  // False: the task has to be told of the end of this step.
  bool DeferCleanup(const TaskPart& part) const;
  void Receive(size_t part, absl::StatusOr<Payload> reply);
  // Of TensorFlow, for a trace: tasks and parts.
  std::vector<std::string> ForeignTasks() const;
  void FetchLogs();
  void KeepLogs(std::vector<pb::StepStats> logs);
  // Nanoseconds since 1970, by one clock for all of the step.
  int64_t WallTime() const;
  // The part's status; keeps its fetches.
  absl::Status Read(size_t part, Payload reply);
  absl::Status KeepFetches(const TaskPart& part, WireTensors tensors);
  void Record(size_t part, const absl::Status& status);
  void CancelParts(const absl::Status& why);
  // Every task has replied.
  void Finish();
  // Calls `done` unless that has been done.
  void Answer();
  StepResult Result() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What each part recorded, if it was to.
  std::vector<TaskStepStats> Recorded() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Once every task has replied and `done` has returned; nothing before.
  void CleanUp();

  const StepEnvironment environment_;
  // Until they are sent. Of the thread that starts the step.
  std::vector<Tensor> feeds_;
  const StepRequest request_;  // without feeds
  const int64_t step_id_;
  const std::shared_ptr<Cancellation> parts_;  // of the calls of RunGraph
  const std::chrono::nanoseconds wall_clock_offset_;  // 0 without a trace

  Mutex mutex_;
  Done done_ ABSL_GUARDED_BY(mutex_);  // null once it is called
  Ended ended_ ABSL_GUARDED_BY(mutex_);
  size_t missing_ ABSL_GUARDED_BY(mutex_);          // replies
  bool is_logged_ ABSL_GUARDED_BY(mutex_) = false;  // rpc_logs.h
  // All tasks have replied; what they have logged is missing.
  bool lacks_logs_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_sent_ ABSL_GUARDED_BY(mutex_) = true;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  bool answered_ ABSL_GUARDED_BY(mutex_) = false;  // `done` has returned
  std::vector<TaskStatus> statuses_ ABSL_GUARDED_BY(mutex_);
  std::vector<Tensor> fetches_ ABSL_GUARDED_BY(mutex_);
  std::vector<pb::RunGraphResponse> responses_ ABSL_GUARDED_BY(mutex_);
  // Of each part, as far as this process knows them, for a trace.
  std::vector<RunGraphTimes> times_ ABSL_GUARDED_BY(mutex_);
  std::vector<TimerQueue::Id> timers_ ABSL_GUARDED_BY(mutex_);
  std::optional<Cancellation::Token> client_token_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REMOTE_STEP_H_
