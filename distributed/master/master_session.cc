// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/master_session.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/distributed/master/step_deadline.h"
#include "leat/distributed/requests/request_queue.h"
#include "leat/distributed/shown_ids.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/partitioner/policy.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/plan_cache.h"

namespace leat {
namespace {

// How long tasks may take to answer when a session is created, unless the
// client says otherwise.
constexpr std::chrono::seconds kConnectTimeout(60);
// How long before the client's deadline an error is sent, so that it arrives.
constexpr std::chrono::seconds kTimeToReply(2);
// How long tasks may take to delete a session.
constexpr std::chrono::seconds kDeleteTimeout(10);
// The largest number of callables of one session.
constexpr size_t kMaxCallables = 100'000;
// How many extensions of one session may wait for their turn.
constexpr size_t kMaxWaitingExtensions = 16;

// Returns how long tasks may take to answer. The time ends a little before the
// client gives up, so that the client can be told which task is missing.
std::chrono::nanoseconds TimeToConnect(
    const SessionConfig& config, std::optional<Clock::time_point> answer_by) {
  const std::chrono::nanoseconds wanted =
      config.operation_timeout.value_or(kConnectTimeout);
  if (!answer_by.has_value()) return wanted;
  const std::chrono::nanoseconds left = *answer_by - Clock::now();
  return std::min(wanted, left - std::min<std::chrono::nanoseconds>(
                                     left / 4, kTimeToReply));
}

// Returns what GetClusterDevices calls with the missing tasks; null without a
// log.
std::function<void(const std::vector<std::string>&)> LogWaiting(
    const MasterEnvironment& environment) {
  if (environment.log == nullptr) return nullptr;
  return [log = environment.log](const std::vector<std::string>& waiting) {
    log(absl::StrCat("CreateSession still waiting for response from ",
                     absl::StrJoin(waiting, ", ")));
  };
}

// Returns options with a deadline, so that a silent task does not hold anything
// for ever.
CallOptions SetupCall(const ServerLimits& limits,
                      std::shared_ptr<Cancellation> cancellation) {
  return {.deadline = DeadlineAfter(limits.setup_timeout),
          .cancellation = std::move(cancellation)};
}

// Adds the flag of the deadline to DEADLINE_EXCEEDED.
absl::Status WithSetupTimeout(const absl::Status& status) {
  if (!absl::IsDeadlineExceeded(status)) return status;
  return WithMessage(status,
                     absl::StrCat(status.message(), " (--setup-timeout)"));
}

// Returns UNIMPLEMENTED for options of TensorFlow that Leat does not have.
absl::Status CheckCallable(const pb::CallableOptions& options) {
  const char* field = options.tensor_connection_size() > 0 ? "tensor_connection"
                      : options.feed_devices_size() > 0    ? "feed_devices"
                      : options.fetch_devices_size() > 0   ? "fetch_devices"
                                                           : nullptr;
  if (field == nullptr) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "CallableOptions.", field, ": feeds and fetches are in host memory"));
}

}  // namespace

MasterSession::MasterSession(const MasterEnvironment& environment,
                             SessionConfig config, pb::ConfigProto config_proto,
                             ClusterDevices cluster)
    : environment_(environment),
      config_(std::move(config)),
      config_proto_(std::move(config_proto)),
      cluster_(std::move(cluster)),
      handle_(RandomHandle()),
      evaluator_(NewConstantEvaluator(*environment.kernels,
                                      environment.devices->compute_queue())),
      plan_options_{.optimizer = config_.optimizer,
                    .passes = &BuiltinPasses(),
                    .evaluator = evaluator_.get(),
                    .foreign_tasks = cluster_.foreign_tasks,
                    .keep_whole = environment_.plan_observer != nullptr},
      plans_(PlanTable::Create([tasks = environment.tasks,
                                handle = handle_](const PlanTable::Plan& plan) {
        DeregisterParts(*tasks, handle, plan->parts);
      })),
      extensions_(*environment.blocking, kMaxWaitingExtensions),
      memory_(std::make_shared<MemoryAccount>(
          absl::StrCat("session ", ShownHandle(handle_), ", which may have ",
                       environment.limits.max_session_bytes,
                       " bytes (--max-session-bytes)"),
          environment.limits.max_session_bytes)),
      allocator_(HostAllocator(), memory_),
      used_(Clock::now()),
      graph_bytes_(environment.limits.max_graph_bytes) {}

void MasterSession::Create(const MasterEnvironment& environment,
                           pb::CreateSessionRequest request,
                           std::shared_ptr<Cancellation> cancellation,
                           std::shared_ptr<void> under_way, Created done,
                           std::optional<Clock::time_point> answer_by) {
  absl::StatusOr<SessionConfig> config = ReadSessionConfig(request.config());
  if (!config.ok()) return std::move(done)(config.status());
  GraphBytes graph_bytes(environment.limits.max_graph_bytes);
  const absl::Status fits = graph_bytes.Add(request.graph_def());
  if (!fits.ok()) return std::move(done)(fits);
  absl::StatusOr<Graph> graph = ImportGraphDef(
      request.graph_def(), *environment.ops, environment.limits.import);
  if (!graph.ok()) return std::move(done)(graph.status());
  ClusterDevicesRequest devices{.own_task = environment.task,
                                .own_devices = environment.devices->Infos(),
                                .tasks = environment.cluster,
                                .filters = config->device_filters,
                                .timeout = TimeToConnect(*config, answer_by),
                                .cancellation = cancellation,
                                .on_waiting = LogWaiting(environment),
                                .report_interval = environment.log_interval};
  auto prepare =
      [environment, config = *std::move(config),
       config_proto = std::move(*request.mutable_config()),
       graph = *std::move(graph), graph_bytes = std::move(graph_bytes),
       cancellation, under_way = std::move(under_way),
       done = std::move(done)](absl::StatusOr<ClusterDevices> cluster) mutable {
        if (!cluster.ok()) return std::move(done)(cluster.status());
        auto session =
            Prepare(environment, std::move(config), std::move(config_proto),
                    std::move(graph), *std::move(cluster));
        if (!session.ok()) return std::move(done)(session.status());
        {
          MutexLock lock((*session)->mutex_);
          (*session)->graph_bytes_ = std::move(graph_bytes);
        }
        (*session)->CreateWorkerSessions(std::move(cancellation),
                                         std::move(under_way), std::move(done));
      };
  GetClusterDevices(
      *environment.tasks, *environment.timers, std::move(devices),
      [blocking = environment.blocking, prepare = std::move(prepare)](
          absl::StatusOr<ClusterDevices> cluster) mutable {
        blocking->Add([prepare = std::move(prepare),
                       cluster = std::move(cluster)]() mutable {
          prepare(std::move(cluster));
        });
      });
}

absl::StatusOr<std::shared_ptr<MasterSession>> MasterSession::Prepare(
    const MasterEnvironment& environment, SessionConfig config,
    pb::ConfigProto config_proto, Graph graph, ClusterDevices cluster) {
  std::shared_ptr<MasterSession> session(
      new MasterSession(environment, std::move(config), std::move(config_proto),
                        std::move(cluster)));
  LEAT_ASSIGN_OR_RETURN(
      session->graph_,
      SessionGraph::Create(
          std::move(graph), session->cluster_.devices,
          {.allow_soft_placement = session->config_.allow_soft_placement,
           .policies = &BuiltinPolicies(),
           .lower_limits = environment.limits.lower,
           .foreign_tasks = session->cluster_.foreign_tasks}));
  return session;
}

void MasterSession::CreateWorkerSessions(
    std::shared_ptr<Cancellation> cancellation, std::shared_ptr<void> under_way,
    Created done) {
  pb::CreateWorkerSessionRequest request;
  request.set_session_handle(handle_);
  request.set_isolate_session_state(config_.isolate_state);
  for (const DeviceInfo& device : cluster_.devices) {
    ExportDevice(device, *request.add_cluster_device_attributes());
  }
  request.set_master_task(environment_.task);
  request.set_master_incarnation(
      static_cast<int64_t>(cluster_.devices.front().incarnation));
  std::vector<TaskCall> calls;
  for (size_t i = 0; i < cluster_.tasks.size(); ++i) {
    request.set_request_id(static_cast<int64_t>(RandomId()));
    request.set_ticket(cluster_.tickets[i]);
    calls.push_back({cluster_.tasks[i], ToPayload(request)});
  }
  FanOut(*environment_.tasks, methods::kCreateWorkerSession, std::move(calls),
         SetupCall(environment_.limits, std::move(cancellation)),
         [self = shared_from_this(), under_way = std::move(under_way),
          done = std::move(done)](
             const std::vector<absl::StatusOr<Payload>>& replies) mutable {
           absl::Status status =
               WithSetupTimeout(FirstError(self->cluster_.tasks, replies));
           if (status.ok()) status = self->Touch();
           if (status.ok()) return std::move(done)(std::move(self));
           std::move(done)(std::move(status));
           self->DeleteWorkerSessions([under_way = std::move(under_way)] {});
         });
}

void MasterSession::DeleteWorkerSessions(absl::AnyInvocable<void() &&> done) {
  pb::DeleteWorkerSessionRequest request;
  request.set_session_handle(handle_);
  std::vector<TaskCall> calls;
  for (const std::string& task : cluster_.tasks) {
    calls.push_back({task, ToPayload(request)});
  }
  FanOut(*environment_.tasks, methods::kDeleteWorkerSession, std::move(calls),
         {.deadline = DeadlineAfter(kDeleteTimeout)},
         [self = shared_from_this(), done = std::move(done)](
             const std::vector<absl::StatusOr<Payload>>& replies) mutable {
           LostDeletions* const lost = self->environment_.lost_deletions.get();
           for (size_t i = 0; lost != nullptr && i < replies.size(); ++i) {
             lost->Note(self->cluster_.tasks[i], self->handle_,
                        replies[i].status());
           }
           std::move(done)();
         });
}

absl::Status MasterSession::Touch() {
  MutexLock lock(mutex_);
  used_ = Clock::now();
  return closed_;
}

void MasterSession::Extend(pb::GraphDef addition, int64_t version,
                           std::shared_ptr<CallContext> call, Extended done) {
  const absl::StatusOr<int64_t> run = Begin();
  if (!run.ok()) return std::move(done)(run.status());
  // Shared with the task of the queue, which the queue may refuse.
  const auto answer = std::make_shared<Extended>(
      [self = shared_from_this(), run = *run,
       done = std::move(done)](absl::StatusOr<int64_t> extended) mutable {
        self->End(run);
        std::move(done)(std::move(extended));
      });
  const bool added = extensions_.Add([self = shared_from_this(),
                                      addition = std::move(addition), version,
                                      call = std::move(call), answer] {
    std::move (*answer)(self->ExtendNow(addition, version, *call));
  });
  if (added) return;
  std::move (*answer)(absl::ResourceExhaustedError(
      absl::StrCat(kMaxWaitingExtensions,
                   " extensions of the session's graph wait already")));
}

absl::StatusOr<int64_t> MasterSession::ExtendNow(const pb::GraphDef& addition,
                                                 int64_t version,
                                                 const CallContext& call) {
  LEAT_RETURN_IF_ERROR(Touch());
  if (call.cancellation.IsCancelled()) return call.cancellation.status();
  GraphBytes bytes = [this] {
    MutexLock lock(mutex_);
    return graph_bytes_;
  }();
  LEAT_RETURN_IF_ERROR(bytes.Add(addition));
  LEAT_ASSIGN_OR_RETURN(
      const int64_t extended,
      graph_->ExtendAtVersion(addition, version, environment_.limits.import));
  MutexLock lock(mutex_);
  graph_bytes_ = std::move(bytes);
  return extended;
}

std::optional<StepDeadline> MasterSession::DeadlineOf(
    const StepArgs& args) const {
  const std::chrono::nanoseconds timeout =
      StepTimeout(config_, args.options, environment_.limits.max_step_time);
  if (timeout >= Clock::time_point::max() - args.begun) {
    return std::nullopt;
  }
  return StepDeadline{
      .at = args.begun + timeout,
      .timeout = timeout,
      .is_longest = timeout == environment_.limits.max_step_time};
}

void MasterSession::GetPlan(const StepSignature& signature,
                            const std::string& key, const Patience& patience,
                            PlanTable::Done done) {
  absl::StatusOr<PlanTable::Plan> found = plans_->Find(key);
  if (!found.ok() || *found != nullptr) {
    return std::move(done)(std::move(found));
  }
  WaitForPlan(
      plans_, key, graph_->version(),
      [self = shared_from_this(),
       signature = signature](PlanTable::Done made) mutable {
        const absl::StatusOr<int64_t> run = self->Begin();
        if (!run.ok()) return std::move(made)(run.status());
        MasterSession& session = *self;
        session.environment_.blocking->Add(
            [self = std::move(self), signature = std::move(signature),
             run = *run, made = std::move(made)]() mutable {
              MasterSession& session = *self;
              session.MakePlan(
                  std::move(signature),
                  [self = std::move(self), run, made = std::move(made)](
                      absl::StatusOr<PlanTable::Plan> plan) mutable {
                    std::move(made)(std::move(plan));
                    self->End(run);
                  });
            });
      },
      *environment_.timers, patience, std::move(done));
}

void MasterSession::MakePlan(StepSignature signature, PlanTable::Done done) {
  if (closing_->IsCancelled()) return std::move(done)(closing_->status());
  absl::StatusOr<StepPlan> plan =
      PlanStep(*graph_->prepared(), std::move(signature), cluster_.devices,
               plan_options_);
  if (!plan.ok()) return std::move(done)(plan.status());
  RegisterPlan(*environment_.tasks, *std::move(plan),
               {.handle = &handle_,
                .devices = cluster_.devices,
                .foreign_tasks = cluster_.foreign_tasks,
                .config = &config_proto_,
                .observer = environment_.plan_observer},
               SetupCall(environment_.limits, closing_),
               [done = std::move(done)](
                   absl::StatusOr<PlanTable::Plan> registered) mutable {
                 if (!registered.ok()) {
                   registered = WithSetupTimeout(registered.status());
                 }
                 std::move(done)(std::move(registered));
               });
}

void MasterSession::Run(const StepSignature& signature, StepArgs args,
                        RemoteStep::Done done) {
  if (absl::Status status = Touch(); !status.ok()) {
    return std::move(done)({.status = std::move(status)});
  }
  RunStep(signature,
          SignatureKey(signature.feeds, signature.fetches, signature.targets),
          std::move(args), std::move(done));
}

void MasterSession::RunStep(const StepSignature& signature,
                            const std::string& key, StepArgs args,
                            RemoteStep::Done done) {
  const Patience patience{.deadline = DeadlineOf(args), .call = args.call};
  GetPlan(
      signature, key, patience,
      [self = shared_from_this(), args = std::move(args),
       done = std::move(done)](absl::StatusOr<PlanTable::Plan> plan) mutable {
        if (!plan.ok()) return std::move(done)({.status = plan.status()});
        self->RunPlan(*std::move(plan), std::move(args), std::move(done));
      });
}

void MasterSession::RunPlan(PlanTable::Plan plan, StepArgs args,
                            RemoteStep::Done done) {
  StepRequest request{
      .plan = std::move(plan),
      .feeds = std::move(args.feeds),
      .deadline = DeadlineOf(args),
      .call = std::move(args.call),
      .trace = args.options.trace_level() != pb::RunOptions::NO_TRACE,
      .partition_graphs = args.options.output_partition_graphs()};
  if (request.deadline.has_value() && Clock::now() >= request.deadline->at) {
    return std::move(done)({.status = TooLateToBegin(*request.deadline)});
  }
  const absl::StatusOr<int64_t> begun = Begin();
  if (!begun.ok()) return std::move(done)({.status = begun.status()});
  const int64_t run = *begun;
  const std::shared_ptr<RemoteStep> step = RemoteStep::Start(
      {.tasks = environment_.tasks,
       .timers = environment_.timers,
       .compute = environment_.blocking,
       .allocator = &allocator_,
       .decoders = &environment_.ops->variants(),
       .max_message_bytes = environment_.limits.max_message_bytes,
       .cleanups = environment_.cleanups},
      std::move(request), Counted(std::move(done)),
      [self = shared_from_this(), run] { self->End(run); });
  absl::Status closed;
  {
    MutexLock lock(mutex_);
    const auto place = running_.find(run);
    if (place == running_.end()) return;  // The step has ended already.
    place->second = step;
    closed = closed_;
  }
  if (!closed.ok()) step->Cancel(closed);
}

RemoteStep::Done MasterSession::Counted(RemoteStep::Done done) {
  steps_.Begin();
  return [self = shared_from_this(),
          done = std::move(done)](StepResult result) mutable {
    self->steps_.End(result.status.ok());
    std::move(done)(std::move(result));
  };
}

absl::StatusOr<int64_t> MasterSession::Begin() {
  MutexLock lock(mutex_);
  if (!closed_.ok()) return closed_;
  const int64_t run = next_run_++;
  running_.emplace(run, nullptr);
  return run;
}

void MasterSession::End(int64_t run) {
  std::shared_ptr<RemoteStep> step;  // outlives the lock
  absl::AnyInvocable<void() &&> when_idle;
  {
    MutexLock lock(mutex_);
    const auto place = running_.find(run);
    step = std::move(place->second);
    running_.erase(place);
    used_ = Clock::now();
    if (running_.empty()) when_idle = std::exchange(when_idle_, nullptr);
  }
  if (when_idle != nullptr) std::move(when_idle)();
}

void MasterSession::MakeCallable(
    const pb::CallableOptions& options, std::shared_ptr<CallContext> call,
    absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&> done) {
  absl::Status status = Touch();
  if (status.ok()) status = CheckCallable(options);
  if (!status.ok()) return std::move(done)(std::move(status));
  auto callable = std::make_shared<CallableStep>(CallableStep{
      .signature = {.feeds = {options.feed().begin(), options.feed().end()},
                    .fetches = {options.fetch().begin(), options.fetch().end()},
                    .targets = {options.target().begin(),
                                options.target().end()}},
      .options = options.run_options()});
  const StepSignature& signature = callable->signature;
  callable->key =
      SignatureKey(signature.feeds, signature.fetches, signature.targets);
  Patience patience{.call = std::move(call)};
  if (config_.operation_timeout.has_value()) {
    patience.deadline =
        StepDeadline{.at = DeadlineAfter(*config_.operation_timeout),
                     .timeout = *config_.operation_timeout};
  }
  GetPlan(signature, callable->key, patience,
          [self = shared_from_this(), callable, done = std::move(done)](
              const absl::StatusOr<PlanTable::Plan>& plan) mutable {
            if (!plan.ok()) return std::move(done)(plan.status());
            absl::StatusOr<int64_t> made =
                absl::ResourceExhaustedError(absl::StrCat(
                    "a session has at most ", kMaxCallables, " callables"));
            {
              MutexLock lock(self->mutex_);
              if (self->callables_.size() < kMaxCallables) {
                made = self->next_callable_++;
                self->callables_[*made] = std::move(callable);
              }
            }
            std::move(done)(std::move(made));
          });
}

void MasterSession::RunCallable(int64_t callable, StepArgs args,
                                RemoteStep::Done done) {
  absl::Status status = Touch();
  std::shared_ptr<const CallableStep> step;
  {
    MutexLock lock(mutex_);
    const auto found = callables_.find(callable);
    if (found != callables_.end()) {
      step = found->second;
    } else if (status.ok()) {
      const bool existed = callable >= 0 && callable < next_callable_;
      status = absl::InvalidArgumentError(absl::StrCat(
          existed ? "Attempted to run callable after handle was released: "
                  : "No such callable handle: ",
          callable));
    }
  }
  if (!status.ok()) return std::move(done)({.status = std::move(status)});
  args.options = step->options;
  RunStep(step->signature, step->key, std::move(args), std::move(done));
}

absl::Status MasterSession::ReleaseCallable(int64_t callable) {
  LEAT_RETURN_IF_ERROR(Touch());
  std::shared_ptr<const CallableStep> released;  // outlives the lock
  MutexLock lock(mutex_);
  if (callable < 0 || callable >= next_callable_) {
    return absl::InvalidArgumentError(
        absl::StrCat("No such callable handle: ", callable));
  }
  const auto found = callables_.find(callable);
  if (found == callables_.end()) return absl::OkStatus();
  released = std::move(found->second);
  callables_.erase(found);
  return absl::OkStatus();
}

void MasterSession::Close(absl::Status why,
                          absl::AnyInvocable<void() &&> done) {
  std::vector<std::shared_ptr<RemoteStep>> running;
  decltype(callables_) callables;
  bool is_idle = false;
  {
    MutexLock lock(mutex_);
    closed_ = why;
    for (const auto& [run, step] : running_) {
      if (step != nullptr) running.push_back(step);
    }
    callables = std::exchange(callables_, {});
    is_idle = running_.empty();
    if (!is_idle) {
      when_idle_ = [self = shared_from_this(),
                    done = std::move(done)]() mutable {
        self->DeleteWorkerSessions(std::move(done));
      };
    }
  }
  plans_->Close(why);
  closing_->Cancel(why);
  for (const std::shared_ptr<RemoteStep>& step : running) step->Cancel(why);
  if (is_idle) DeleteWorkerSessions(std::move(done));
}

Clock::time_point MasterSession::idle_since() const {
  MutexLock lock(mutex_);
  return running_.empty() ? used_ : Clock::now();
}

}  // namespace leat
