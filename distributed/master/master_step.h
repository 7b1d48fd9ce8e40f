// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterStep is one running step of a plan on the master. A step sends a
// RunGraph to each task, with the feeds that the task takes, and collects the
// replies.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_STEP_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_STEP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/distributed/master/step_errors.h"
#include "leat/distributed/trace/merged_step_stats.h"
#include "leat/runtime/step_deadline.h"

namespace leat {

class Allocator;
struct CallContext;
struct MasterEnvironment;

// Describes one call of a partial run.
struct PartialCall {
  int64_t step_id = 0;  // all calls of the run have this id
  // Element i is true if this call takes fetch number i of the plan.
  std::vector<bool> fetches = {};
  bool is_last = false;  // true if the run ends after this call
};

// Describes a step that the masters of other clients may share, because it has
// collectives. Is a value.
struct SharedStep {
  int64_t id = 0;            // not random, because all masters must have it
  std::string session = {};  // the handle of this master's session
};

// Describes the step that is to be run. Is a value.
struct StepRequest {
  std::shared_ptr<const RegisteredPlan> plan = {};
  // Element i is feed number i of the plan. In a partial run, only the feeds of
  // this call are valid, and they have been checked.
  std::vector<Tensor> feeds = {};
  std::optional<PartialCall> partial = {};
  std::optional<SharedStep> shared = {};  // set for a step with collectives
  std::optional<StepDeadline> deadline = {};
  // Is the client's call. Its cancellation cancels the step. May be null.
  std::shared_ptr<CallContext> call = {};
  bool trace = false;             // asks for step_stats (merged_step_stats.h)
  bool partition_graphs = false;  // asks for partition_graphs
  // Asks for the allocations of a task that runs out of memory.
  bool allocations_upon_oom = false;
};

// Describes how a step ended.
struct StepResult {
  absl::Status status = {};
  // Element i is fetch number i of the plan. The vector is empty after an
  // error. In a partial run, only the fetches of this call are valid.
  std::vector<Tensor> fetches = {};
  pb::RunMetadata metadata = {};  // what tasks reported about the step
};

// Is thread-safe. The calls of a step share its ownership until the step has
// ended.
class MasterStep : public std::enable_shared_from_this<MasterStep> {
 public:
  using Done = absl::AnyInvocable<void(StepResult) &&>;
  using Ended = absl::AnyInvocable<void() &&>;

  // Checks the feeds and starts the step, which shares the ownership of
  // `environment`. `allocator` allocates host memory for the fetches and is
  // borrowed until `ended` is called.
  //
  // `done` is called exactly once. When a task fails, the step cancels the
  // other tasks, and `done` gets the cause of the failure (step_errors.h).
  // `ended` is called exactly once, after `done`. By then every task has
  // replied. Each task has been told to forget the step, or will be told soon
  // (end_notices.h). A task is not told if its part ends alone
  // (TaskPart::ends_alone), or if the step is a partial run that goes on.
  // `done` and `ended` are called on any thread, perhaps the calling thread,
  // without any lock held.
  static std::shared_ptr<MasterStep> Start(
      std::shared_ptr<const MasterEnvironment> environment,
      Allocator& allocator, StepRequest request, Done done, Ended ended);
  ~MasterStep();

  // Cancels the step on all tasks. If a task reports an error that CauseOf
  // (step_errors.h) prefers to `why`, this error becomes the status of the
  // step. Otherwise `why` becomes the status. Is idempotent.
  void Cancel(const absl::Status& why);

  int64_t step_id() const { return step_id_; }

 private:
  // Says what the step still waits for. When every part has replied and the
  // step is traced, the step fetches the logs of TensorFlow's tasks
  // (rpc_logs.h).
  enum class Owed { kReplies, kLogs, kNothing };
  // Says whether `done` has not been called, is running, or has returned.
  // `done` may run for a while, and the step ends only after `done` has
  // returned.
  enum class Answer { kToGive, kBeingGiven, kGiven };

  MasterStep(std::shared_ptr<const MasterEnvironment> environment,
             Allocator& allocator, StepRequest request, Done done, Ended ended);

  // Ends the step with `why` before anything is sent.
  void Refuse(const absl::Status& why);
  // Sets the timer of the step's deadline.
  void SetDeadline();
  // Makes the client's cancellation cancel the step.
  void ListenToClient();
  // If the step is traced, makes TensorFlow's tasks start their logs. Then
  // calls Send.
  void Begin();
  // Calls RunGraph on every task.
  void Send();
  // Returns the fields of a RunGraphRequest that belong to this call of `part`.
  pb::RunGraphRequest CallOf(const TaskPart& part,
                             const std::vector<int64_t>& cleanups) const;
  // Returns true if this call takes the fetch.
  bool Takes(const BoundaryKey& fetch) const {
    return !request_.partial.has_value() ||
           request_.partial->fetches[static_cast<size_t>(fetch.index)];
  }
  // Returns the feeds that a part takes, with their keys.
  WireTensors FeedsOf(const TaskPart& part) const;
  // Gives the ended steps `cleanups` back to EndNotices. Is called when the
  // RunGraph that should have told the task about these steps has failed.
  void GiveBack(size_t part, const std::vector<int64_t>& cleanups);
  // Asks EndNotices to tell the task later that this step has ended. Returns
  // false if EndNotices refuses. The caller then has to tell the task now.
  bool DeferCleanup(const TaskPart& part) const;
  // Takes the reply of a part. Decodes the reply on this thread if that is
  // quick, otherwise on the blocking queue.
  void Receive(size_t part, absl::StatusOr<Payload> reply);
  // Returns the names of the tasks in this step that run TensorFlow and not
  // Leat. Returns none if the step is not traced. Such tasks do not report in
  // their replies which tensors they pulled, so a trace takes this from their
  // RPC logs (rpc_logs.h).
  static std::vector<std::string> ForeignTasks(const StepRequest& request);
  // Asks TensorFlow's tasks for their logs.
  void FetchLogs();
  // Adds the logs to the replies of the parts.
  void KeepLogs(std::vector<pb::StepStats> logs);
  // Returns the current time in nanoseconds since 1970. All times of the step
  // come from one clock.
  int64_t WallTime() const;
  // Decodes the reply of a part and keeps its fetches. Returns the part's
  // status.
  absl::Status Read(size_t part, Payload reply);
  // Stores the fetches of a part. Fails if a fetch is missing, comes twice, is
  // unknown, or has another type than planned.
  absl::Status KeepFetches(const TaskPart& part, WireTensors tensors);
  // Records that a part has replied. If this is the last reply, fetches the
  // logs or finishes the step. Otherwise, if KeepError returns true for
  // `status`, cancels the other parts.
  void Record(size_t part, const absl::Status& status);
  // Keeps the error of a part. Returns true if the other parts are to be
  // cancelled now.
  bool KeepError(size_t part, const absl::Status& status)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Cancels the calls of RunGraph, with `why` as a derived error.
  void CancelParts(const absl::Status& why);
  // Calls GiveAnswer and CleanUp. Is called when the step stops waiting for
  // replies and logs.
  void Finish();
  // Calls `done` if it was not called before.
  void GiveAnswer();
  // Returns the status, the fetches and the partition graphs.
  StepResult Result() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the step stats that each part recorded. The result is empty without
  // a trace.
  std::vector<TaskStepStats> Recorded() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // If every task has replied and `done` has returned, tells the tasks to
  // forget the step. Otherwise does nothing.
  void CleanUp();

  const std::shared_ptr<const MasterEnvironment> environment_;
  Allocator& allocator_;
  // Holds the feeds that are not sent yet. Only the thread that starts the step
  // uses them.
  std::vector<Tensor> feeds_;
  const StepRequest request_;              // without its feeds
  const std::vector<std::string> logged_;  // the result of ForeignTasks
  const int64_t step_id_;
  const std::shared_ptr<Cancellation> parts_;         // cancels the RunGraphs
  const std::chrono::nanoseconds wall_clock_offset_;  // 0 without trace

  Mutex mutex_;
  Done done_ ABSL_GUARDED_BY(mutex_);
  Ended ended_ ABSL_GUARDED_BY(mutex_);  // null just before it is called
  Owed owed_ ABSL_GUARDED_BY(mutex_);
  size_t missing_ ABSL_GUARDED_BY(mutex_);  // number of missing replies
  Answer answer_ ABSL_GUARDED_BY(mutex_) = Answer::kToGive;
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;  // by CancelParts
  std::vector<TaskStatus> statuses_ ABSL_GUARDED_BY(mutex_);
  std::vector<Tensor> fetches_ ABSL_GUARDED_BY(mutex_);
  std::vector<pb::RunGraphResponse> responses_ ABSL_GUARDED_BY(mutex_);
  // Holds the times of each part, as far as this process knows them. Is empty
  // without a trace.
  std::vector<RunGraphTimes> times_ ABSL_GUARDED_BY(mutex_);
  std::vector<TimerQueue::Id> timers_ ABSL_GUARDED_BY(mutex_);
  std::optional<Cancellation::Token> client_token_ ABSL_GUARDED_BY(mutex_);
};

// Tells `tasks` that a step has ended, and calls `done` when they have
// answered. `caller` is borrowed until then. If `session` is not empty, a step
// that other sessions share goes on for them.
void EndOnTasks(TaskCaller& caller, absl::Span<const std::string> tasks,
                int64_t step_id, absl::AnyInvocable<void() &&> done,
                const std::string& session = "");

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_STEP_H_
