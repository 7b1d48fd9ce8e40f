// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterSession is the master's part of a client's session. It plans the steps
// of the session's graph, registers their parts on the tasks, and runs them. No
// thread blocks to wait for a task.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_SESSION_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/accounted_allocator.h"
#include "leat/distributed/master/callables.h"
#include "leat/distributed/master/master_environment.h"
#include "leat/distributed/master/master_step.h"
#include "leat/distributed/master/partial_runs.h"
#include "leat/distributed/master/plan_wait.h"
#include "leat/distributed/master/session_activity.h"
#include "leat/distributed/master/session_config.h"
#include "leat/distributed/master/session_plans.h"
#include "leat/distributed/step_counts.h"

namespace leat {

class SessionWatch;

// Is thread-safe. Is owned by a shared_ptr: steps, plans and extensions under
// way share the ownership. The owner must call Close. Otherwise the tasks keep
// the session.
class MasterSession : public std::enable_shared_from_this<MasterSession> {
 public:
  // Makes the master's part of a session that has been created on its tasks
  // (CreateMasterSession).
  MasterSession(const MasterEnvironment& environment, SessionConfig config,
                std::unique_ptr<SessionPlans> plans);

  // Returns the handle by which clients and tasks name the session. It is
  // random.
  const std::string& handle() const { return plans_->handle(); }
  // Allocates the feeds of the session's steps and charges the session for
  // them.
  Allocator& allocator() { return allocator_; }
  // Returns the version of the graph, which every extension raises by one.
  int64_t graph_version() const { return plans_->graph_version(); }
  // Returns the devices that the session may use.
  const std::vector<DeviceInfo>& devices() const {
    return plans_->cluster().devices;
  }

  // Does what SessionPlans::Extend does.
  void Extend(pb::GraphDef addition, int64_t version,
              std::shared_ptr<CallContext> call, SessionPlans::Extended done);

  // Holds the arguments of a client's call that runs a step.
  struct StepArgs {
    std::vector<Tensor> feeds = {};  // in the order of the signature
    pb::RunOptions options = {};
    // Is the time at which the client's call arrived. The step's timeout counts
    // from `begun`.
    Clock::time_point begun = {};
    // Is the client's call. Its cancellation cancels the step. May be null.
    std::shared_ptr<CallContext> call = {};
  };
  // Runs a step. Plans the step first if its signature has no plan. `done` is
  // called exactly once, on any thread, with the fetches or the error.
  void Run(const StepSignature& signature, StepArgs args,
           MasterStep::Done done);

  // Plans a step and gives `done` a handle with which RunCallable runs the
  // step. Fails as ReadCallable and Callables::Add do.
  void MakeCallable(const pb::CallableOptions& options,
                    std::shared_ptr<CallContext> call,
                    absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&> done);
  // Runs a callable as Run does, but with the run options that MakeCallable
  // got. Fails as Callables::Find does.
  void RunCallable(int64_t callable, StepArgs args, MasterStep::Done done);
  // Does what Callables::Release does.
  absl::Status ReleaseCallable(int64_t callable);

  using PartialRunSetUp =
      absl::AnyInvocable<void(absl::StatusOr<std::string>) &&>;
  // Plans a partial run and gives `done` a handle for RunPartial. The run ends
  // after the longest time that a step may take, if it has not ended before.
  // Fails as PartialRuns::Add does. REQUIRES: signature.is_partial.
  void SetUpPartialRun(const StepSignature& signature,
                       std::shared_ptr<CallContext> call, PartialRunSetUp done);
  // Feeds a partial run with the values of `feed_names`, which are in `args`,
  // and takes `fetches` from the run. The result has the fetches in the order
  // of `fetches`. Fails as PartialRuns::Find and PartialRunProgress::Begin do.
  // After any other failure the run has ended.
  void RunPartial(const std::string& handle,
                  const std::vector<std::string>& feed_names,
                  const std::vector<std::string>& fetches, StepArgs args,
                  MasterStep::Done done);
  // Ends the partial run with this handle, if there is one. Calls of the run
  // that are under way fail with `why` (not OK). `done` is called when the
  // tasks have ended the run.
  void EndPartialRun(const std::string& handle, const absl::Status& why,
                     absl::AnyInvocable<void() &&> done);

  // Ends every step with `why` (not OK), waits until no step, plan or extension
  // is under way, then deletes the session on its tasks. `done` is called after
  // that. Later calls of the session fail with `why`. REQUIRES: this is called
  // once.
  void Close(absl::Status why, absl::AnyInvocable<void() &&> done);

  // Returns the time of the last call, or of the last end of a step, plan or
  // extension. Returns the current time if something is under way.
  Clock::time_point idle_since() const { return activity_.idle_since(); }
  // Returns the number of plans that are kept.
  size_t num_plans() const { return plans_->table()->num_plans(); }
  // Returns the number of tasks that take part in the session.
  size_t num_tasks() const { return plans_->cluster().tasks.size(); }
  // Returns the counts of the steps that tasks were asked to run.
  StepCounts::Totals steps() const { return steps_.totals(); }

 private:
  // Gets the plan of the step, then runs the step.
  void RunStep(const StepSignature& signature, const std::string& key,
               StepArgs args, MasterStep::Done done);
  // Runs a step of a plan with collectives, whose id other masters know.
  void RunCollectives(int64_t graph_key, StepRequest request,
                      MasterStep::Done done);
  // Returns the deadline of the step, or nullopt if the clock cannot represent
  // the deadline.
  std::optional<StepDeadline> DeadlineOf(const StepArgs& args) const;
  // Calls `done` with the plan of a signature. Makes the plan if there is none.
  // Calls `done` with an error if `patience` ends first.
  void GetPlan(const StepSignature& signature, const std::string& key,
               const Patience& patience, RegisteredPlans::Done done);
  // Returns how long a call that only plans a step waits for the plan.
  Patience SetupPatience(std::shared_ptr<CallContext> call) const;
  // Returns the request for a step that runs the registered plan `plan`.
  StepRequest RequestOf(RegisteredPlans::Plan plan, StepArgs args) const;
  // Starts a step. If the deadline has passed or the session is closed, calls
  // `done` with the error and returns null.
  std::shared_ptr<MasterStep> Start(StepRequest request, MasterStep::Done done);
  // Adds a partial run with this plan and returns its handle.
  absl::StatusOr<std::string> AddPartialRun(RegisteredPlans::Plan plan);
  // Starts a call of a partial run. Element i of `fetches` is true if the call
  // takes fetch number i of the plan. `is_last` is true if the step ends with
  // this call.
  void StartPartial(const std::shared_ptr<MasterPartialRun>& run, StepArgs args,
                    std::vector<bool> fetches, bool is_last,
                    MasterStep::Done done);
  // Is called at the end of each call of a partial run. If the call failed,
  // ends the run. If it was the last call, forgets the run.
  void PartialCallHasEnded(const std::shared_ptr<MasterPartialRun>& run,
                           const std::string& handle,
                           const absl::Status& status, bool is_last);
  // Tells the tasks of a run that its step has ended.
  void EndOnTasksOf(MasterPartialRun& run, absl::AnyInvocable<void() &&> done);
  // Counts a step that begins. Returns a function that counts the step's end
  // and calls `done`.
  MasterStep::Done Counted(MasterStep::Done done);

  const MasterEnvironment environment_;
  const SessionConfig config_;
  const std::unique_ptr<SessionPlans> plans_;
  // Allocates the feeds and fetches of steps on this task and charges the
  // session for them.
  AccountedAllocator allocator_;
  StepCounts steps_;
  SessionActivity activity_;
  Callables callables_;
  PartialRuns partial_runs_;
  const std::shared_ptr<SessionWatch> watch_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_SESSION_H_
