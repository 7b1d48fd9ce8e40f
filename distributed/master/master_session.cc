// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/master_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/collectives/cluster_collectives.h"
#include "leat/distributed/master/plan_wait.h"
#include "leat/distributed/master/session_watch.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/runtime/signature_key.h"
#include "leat/runtime/step_deadline.h"

namespace leat {

MasterSession::MasterSession(const MasterEnvironment& environment,
                             SessionConfig config,
                             std::unique_ptr<SessionPlans> plans)
    : environment_(environment),
      config_(std::move(config)),
      plans_(std::move(plans)),
      allocator_(HostAllocator(),
                 std::make_shared<MemoryAccount>(
                     absl::StrCat("session ", ShownHandle(plans_->handle()),
                                  ", which may have ",
                                  environment.limits.max_session_bytes,
                                  " bytes (--max-session-bytes)"),
                     environment.limits.max_session_bytes)),
      steps_(environment.timers->clock()),
      activity_(environment.timers->clock()),
      partial_runs_(*environment.timers),
      watch_(std::make_shared<SessionWatch>(
          environment_.task, plans_->cluster(), activity_,
          environment_.intervals.ask_tasks, *environment_.tasks,
          *environment_.timers)) {}

void MasterSession::Extend(pb::GraphDef addition, int64_t version,
                           std::shared_ptr<CallContext> call,
                           SessionPlans::Extended done) {
  const absl::StatusOr<int64_t> run = activity_.Begin();
  if (!run.ok()) return std::move(done)(run.status());
  plans_->Extend(
      std::move(addition), version, std::move(call),
      [self = shared_from_this(), run = *run,
       done = std::move(done)](absl::StatusOr<int64_t> extended) mutable {
        self->activity_.End(run);
        std::move(done)(std::move(extended));
      });
}

std::optional<StepDeadline> MasterSession::DeadlineOf(
    const StepArgs& args) const {
  const std::chrono::nanoseconds timeout =
      StepTimeout(config_, args.options, environment_.limits.max_step_time);
  if (timeout >= Clock::time_point::max() - args.begun) {
    return std::nullopt;
  }
  return StepDeadline{
      .clock = &environment_.timers->clock(),
      .at = args.begun + timeout,
      .timeout = timeout,
      .is_longest = timeout == environment_.limits.max_step_time};
}

void MasterSession::GetPlan(const StepSignature& signature,
                            const std::string& key, const Patience& patience,
                            RegisteredPlans::Done done) {
  absl::StatusOr<RegisteredPlans::Plan> found = plans_->table()->Find(key);
  if (!found.ok() || *found != nullptr) {
    return std::move(done)(std::move(found));
  }
  WaitForPlan(
      plans_->table(), key, plans_->graph_version(),
      [self = shared_from_this(),
       signature = signature](RegisteredPlans::Done made) mutable {
        const absl::StatusOr<int64_t> run = self->activity_.Begin();
        if (!run.ok()) return std::move(made)(run.status());
        WorkQueue& blocking = *self->environment_.blocking;
        blocking.Add([self = std::move(self), signature = std::move(signature),
                      run = *run, made = std::move(made)]() mutable {
          SessionPlans& plans = *self->plans_;
          plans.Make(std::move(signature),
                     [self = std::move(self), run, made = std::move(made)](
                         absl::StatusOr<RegisteredPlans::Plan> plan) mutable {
                       std::move(made)(std::move(plan));
                       self->activity_.End(run);
                     });
        });
      },
      *environment_.timers, patience,
      [self = shared_from_this(), signature, key, patience,
       done = std::move(done)](
          absl::StatusOr<RegisteredPlans::Plan> plan) mutable {
        if (!plan.ok() || *plan != nullptr) {
          return std::move(done)(std::move(plan));
        }
        // Another caller has failed to make the plan from an earlier version of
        // the graph. So asks for the plan again.
        self->GetPlan(signature, key, patience, std::move(done));
      });
}

void MasterSession::Run(const StepSignature& signature, StepArgs args,
                        MasterStep::Done done) {
  if (absl::Status status = activity_.Touch(); !status.ok()) {
    return std::move(done)({.status = std::move(status)});
  }
  RunStep(signature, SignatureKey(signature), std::move(args), std::move(done));
}

void MasterSession::RunStep(const StepSignature& signature,
                            const std::string& key, StepArgs args,
                            MasterStep::Done done) {
  const Patience patience{.deadline = DeadlineOf(args), .call = args.call};
  GetPlan(signature, key, patience,
          [self = shared_from_this(), args = std::move(args),
           done = std::move(done)](
              absl::StatusOr<RegisteredPlans::Plan> plan) mutable {
            if (!plan.ok()) return std::move(done)({.status = plan.status()});
            // A plan without collectives does not share its steps.
            int64_t graph_key = (*plan)->collective_graph_key;
            const int64_t wanted =
                args.options.experimental().collective_graph_key();
            if (graph_key != 0 && wanted != 0) graph_key = wanted;
            StepRequest request =
                self->RequestOf(*std::move(plan), std::move(args));
            if (graph_key != 0) {
              return self->RunCollectives(graph_key, std::move(request),
                                          std::move(done));
            }
            self->Start(std::move(request), std::move(done));
          });
}

void MasterSession::RunCollectives(int64_t graph_key, StepRequest request,
                                   MasterStep::Done done) {
  if (environment_.collectives == nullptr) {
    Start(std::move(request), std::move(done));
    return;
  }
  ClusterCollectives& collectives = *environment_.collectives;
  const SequenceKey key{.leader = config_.group_leader.empty()
                                      ? collectives.default_leader()
                                      : config_.group_leader,
                        .graph_key = graph_key};
  collectives.sequences().Next(
      key, [self = shared_from_this(), key, request = std::move(request),
            done = std::move(done)](absl::StatusOr<int64_t> step_id) mutable {
        if (!step_id.ok()) return std::move(done)({.status = step_id.status()});
        request.shared = {.id = *step_id, .session = self->handle()};
        self->Start(std::move(request),
                    [self, key, id = *step_id,
                     done = std::move(done)](StepResult result) mutable {
                      ClusterCollectives& all = *self->environment_.collectives;
                      const bool succeeded = result.status.ok();
                      if (!succeeded) all.StepHasFailed(id, result.status);
                      all.sequences().End(key, id, succeeded);
                      std::move(done)(std::move(result));
                    });
      });
}

StepRequest MasterSession::RequestOf(RegisteredPlans::Plan plan,
                                     StepArgs args) const {
  return {.plan = std::move(plan),
          .feeds = std::move(args.feeds),
          .deadline = DeadlineOf(args),
          .call = std::move(args.call),
          .trace = args.options.trace_level() != pb::RunOptions::NO_TRACE,
          .partition_graphs = args.options.output_partition_graphs(),
          .allocations_upon_oom =
              args.options.report_tensor_allocations_upon_oom()};
}

std::shared_ptr<MasterStep> MasterSession::Start(StepRequest request,
                                                 MasterStep::Done done) {
  if (request.deadline.has_value() &&
      environment_.timers->clock().Now() >= request.deadline->at) {
    std::move(done)({.status = TooLateToBegin(*request.deadline)});
    return nullptr;
  }
  const absl::StatusOr<int64_t> begun = activity_.Begin();
  if (!begun.ok()) {
    std::move(done)({.status = begun.status()});
    return nullptr;
  }
  const int64_t run = *begun;
  const RegisteredPlans::Plan running = request.plan;
  const std::shared_ptr<MasterStep> step = MasterStep::Start(
      // This pointer shares the ownership of the session, which owns the
      // environment.
      std::shared_ptr<const MasterEnvironment>(shared_from_this(),
                                               &environment_),
      allocator_, std::move(request), Counted(std::move(done)),
      [self = shared_from_this(), run] { self->activity_.End(run); });
  const absl::Status closed = activity_.SetStep(run, step);
  watch_->Begin(shared_from_this(), *running);
  if (!closed.ok()) step->Cancel(closed);
  return step;
}

MasterStep::Done MasterSession::Counted(MasterStep::Done done) {
  steps_.Begin();
  return [self = shared_from_this(),
          done = std::move(done)](StepResult result) mutable {
    self->steps_.End(result.status.ok());
    std::move(done)(std::move(result));
  };
}

Patience MasterSession::SetupPatience(std::shared_ptr<CallContext> call) const {
  Patience patience{.call = std::move(call)};
  if (config_.operation_timeout.has_value()) {
    Clock& clock = environment_.timers->clock();
    patience.deadline =
        StepDeadline{.clock = &clock,
                     .at = clock.After(*config_.operation_timeout),
                     .timeout = *config_.operation_timeout};
  }
  return patience;
}

void MasterSession::MakeCallable(
    const pb::CallableOptions& options, std::shared_ptr<CallContext> call,
    absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&> done) {
  if (absl::Status status = activity_.Touch(); !status.ok()) {
    return std::move(done)(std::move(status));
  }
  absl::StatusOr<std::shared_ptr<const CallableStep>> callable =
      ReadCallable(options);
  if (!callable.ok()) return std::move(done)(callable.status());
  GetPlan(
      (*callable)->signature, (*callable)->key, SetupPatience(std::move(call)),
      [self = shared_from_this(), callable = *callable, done = std::move(done)](
          const absl::StatusOr<RegisteredPlans::Plan>& plan) mutable {
        if (!plan.ok()) return std::move(done)(plan.status());
        std::move(done)(self->callables_.Add(std::move(callable)));
      });
}

void MasterSession::RunCallable(int64_t callable, StepArgs args,
                                MasterStep::Done done) {
  if (absl::Status status = activity_.Touch(); !status.ok()) {
    return std::move(done)({.status = std::move(status)});
  }
  const absl::StatusOr<std::shared_ptr<const CallableStep>> step =
      callables_.Find(callable);
  if (!step.ok()) return std::move(done)({.status = step.status()});
  args.options = (*step)->options;
  RunStep((*step)->signature, (*step)->key, std::move(args), std::move(done));
}

absl::Status MasterSession::ReleaseCallable(int64_t callable) {
  LEAT_RETURN_IF_ERROR(activity_.Touch());
  return callables_.Release(callable);
}

void MasterSession::SetUpPartialRun(const StepSignature& signature,
                                    std::shared_ptr<CallContext> call,
                                    PartialRunSetUp done) {
  if (absl::Status status = activity_.Touch(); !status.ok()) {
    return std::move(done)(std::move(status));
  }
  GetPlan(signature, SignatureKey(signature), SetupPatience(call),
          [self = shared_from_this(), call, done = std::move(done)](
              absl::StatusOr<RegisteredPlans::Plan> plan) mutable {
            if (!plan.ok()) return std::move(done)(plan.status());
            // The client has cancelled its call, so it would not get the handle
            // of the partial run.
            if (call != nullptr && call->cancellation.IsCancelled()) {
              return std::move(done)(call->cancellation.status());
            }
            std::move(done)(self->AddPartialRun(*std::move(plan)));
          });
}

absl::StatusOr<std::string> MasterSession::AddPartialRun(
    RegisteredPlans::Plan plan) {
  LEAT_ASSIGN_OR_RETURN(
      std::string handle,
      partial_runs_.Add(std::make_shared<MasterPartialRun>(std::move(plan))));
  const std::chrono::nanoseconds longest = environment_.limits.max_step_time;
  partial_runs_.SetTimer(
      handle, environment_.timers->After(longest, [weak = weak_from_this(),
                                                   handle, longest] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->environment_.blocking->Add([self, handle, longest] {
          self->EndPartialRun(
              handle, RanTooLong({.timeout = longest, .is_longest = true}),
              [] {});
        });
      }));
  return handle;
}

void MasterSession::RunPartial(const std::string& handle,
                               const std::vector<std::string>& feed_names,
                               const std::vector<std::string>& fetches,
                               StepArgs args, MasterStep::Done done) {
  absl::Status status = activity_.Touch();
  absl::StatusOr<std::shared_ptr<MasterPartialRun>> found =
      partial_runs_.Find(handle);
  status.Update(found.status());
  if (!status.ok()) return std::move(done)({.status = std::move(status)});
  if (args.options.experimental().collective_graph_key() != 0) {
    return std::move(done)({.status = absl::InvalidArgumentError(
                                "PartialRun does not support Collective ops.  "
                                "collective_graph_key must be "
                                "kNoCollectiveGraphKey.")});
  }
  const std::shared_ptr<MasterPartialRun> run = *std::move(found);
  std::vector<std::pair<std::string, Tensor>> feeds;
  for (size_t i = 0; i < feed_names.size(); ++i) {
    feeds.emplace_back(feed_names[i], std::move(args.feeds[i]));
  }
  absl::StatusOr<MasterPartialRun::BegunCall> begun =
      run->BeginCall(std::move(feeds), fetches);
  if (!begun.ok()) return std::move(done)({.status = begun.status()});
  args.feeds = std::move(begun->call.feeds);
  const std::shared_ptr<const RegisteredPlan> plan = run->plan();
  std::vector<bool> taken(plan->fetches.size());
  for (const size_t i : begun->call.fetches) taken[i] = true;
  StartPartial(
      run, std::move(args), std::move(taken), begun->closes,
      [self = shared_from_this(), run, handle, closes_now = begun->closes,
       fetches = std::move(begun->call.fetches),
       done = std::move(done)](StepResult result) mutable {
        const bool closes = run->EndCall();
        std::vector<Tensor> values;
        for (const size_t i : fetches) {
          if (result.status.ok()) values.push_back(result.fetches[i]);
        }
        result.fetches = std::move(values);
        if (!result.status.ok() || !closes) {
          self->PartialCallHasEnded(run, handle, result.status, closes_now);
          return std::move(done)(std::move(result));
        }
        // All feeds and fetches are used, and no call has ended the step yet.
        self->StartPartial(
            run,
            {.feeds = std::vector<Tensor>(run->plan()->feeds.names.size()),
             .begun = self->environment_.timers->clock().Now()},
            std::vector<bool>(run->plan()->fetches.size()), /*is_last=*/true,
            [self, run, handle, result = std::move(result),
             done = std::move(done)](StepResult closing) mutable {
              self->PartialCallHasEnded(run, handle, closing.status, true);
              result.status = std::move(closing.status);
              std::move(done)(std::move(result));
            });
      });
}

void MasterSession::StartPartial(const std::shared_ptr<MasterPartialRun>& run,
                                 StepArgs args, std::vector<bool> fetches,
                                 bool is_last, MasterStep::Done done) {
  // Tasks record no step stats and no partition graphs in a partial run.
  args.options.clear_trace_level();
  args.options.clear_output_partition_graphs();
  StepRequest request = RequestOf(run->plan(), std::move(args));
  request.partial = {.step_id = run->step_id(),
                     .fetches = std::move(fetches),
                     .is_last = is_last};
  const std::shared_ptr<MasterStep> step =
      Start(std::move(request), std::move(done));
  if (step == nullptr) return;
  if (absl::Status ended = run->AddStep(step); !ended.ok()) step->Cancel(ended);
}

void MasterSession::PartialCallHasEnded(
    const std::shared_ptr<MasterPartialRun>& run, const std::string& handle,
    const absl::Status& status, bool is_last) {
  if (!status.ok()) {
    EndPartialRun(handle, status, [] {});
  } else if (is_last) {
    partial_runs_.Remove(handle);
  }
  // The call may have begun the step on a task after End had told the task that
  // the step has ended.
  if (run->HasEnded()) EndOnTasksOf(*run, [] {});
}

void MasterSession::EndOnTasksOf(MasterPartialRun& run,
                                 absl::AnyInvocable<void() &&> done) {
  std::vector<std::string> tasks;
  for (const TaskPart& part : run.plan()->parts) tasks.push_back(part.task);
  EndOnTasks(*environment_.tasks, tasks, run.step_id(), std::move(done));
}

void MasterSession::EndPartialRun(const std::string& handle,
                                  const absl::Status& why,
                                  absl::AnyInvocable<void() &&> done) {
  const std::shared_ptr<MasterPartialRun> run = partial_runs_.Remove(handle);
  if (run == nullptr || !run->End(why)) return std::move(done)();
  EndOnTasksOf(*run, std::move(done));
}

void MasterSession::Close(absl::Status why,
                          absl::AnyInvocable<void() &&> done) {
  const SessionActivity::Closing closing = activity_.Close(
      why, [self = shared_from_this(), done = std::move(done)]() mutable {
        self->environment_.notices->DeleteSession(
            self->plans_->cluster().tasks, self->handle(), std::move(done));
      });
  callables_.Clear();
  const std::vector<std::shared_ptr<MasterPartialRun>> runs =
      partial_runs_.Close(why);
  plans_->Close(why);
  for (const auto& step : closing.steps) step->Cancel(why);
  // Tasks of Leat end the partial runs when their session is deleted. Tasks of
  // TensorFlow do not, so they are told that the steps of the runs have ended.
  // After that, the session is deleted.
  const std::shared_ptr<void> told(
      nullptr, [self = shared_from_this(), number = closing.number](void*) {
        self->activity_.End(number);
      });
  for (const std::shared_ptr<MasterPartialRun>& run : runs) {
    if (!run->End(why)) continue;
    std::vector<std::string> tasks;
    for (const TaskPart& part : run->plan()->parts) {
      if (part.is_foreign) tasks.push_back(part.task);
    }
    EndOnTasks(*environment_.tasks, tasks, run->step_id(), [told] {});
  }
}

}  // namespace leat
