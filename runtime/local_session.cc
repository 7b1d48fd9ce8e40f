// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/local_session.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/handover.h"
#include "leat/partitioner/client_terminated.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/collectives/local_collectives.h"
#include "leat/runtime/compiled_step.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/cost_recorder.h"
#include "leat/runtime/executor/step_allocations.h"
#include "leat/runtime/feed_checks.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/graph_sampler.h"
#include "leat/runtime/local_partial_run.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/plan_table.h"
#include "leat/runtime/session_graph.h"
#include "leat/runtime/signature_key.h"
#include "leat/runtime/step_stats.h"

namespace leat {
namespace {

using Plans = PlanTable<CompiledStep>;
using Deadline = std::optional<StepDeadline>;

std::vector<std::string> Texts(const std::vector<TensorName>& names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const TensorName& name : names) texts.push_back(name.text);
  return texts;
}

StepSignature SignatureOf(const CallableArgs& args) {
  StepSignature signature{.feeds = Texts(args.feeds),
                          .fetches = Texts(args.fetches),
                          .targets = Texts(args.targets)};
  for (const Connection& connection : args.connections) {
    signature.connections.push_back(
        {.from = connection.from.text, .to = connection.to.text});
  }
  return signature;
}

StepSignature SignatureOf(const PartialRunArgs& args) {
  StepSignature signature{.feeds = Texts(args.feeds),
                          .targets = Texts(args.targets),
                          .is_partial = true};
  for (const TensorName& fetch : args.fetches) {
    std::vector<std::string>& fetches = signature.fetches;
    if (!absl::c_linear_search(fetches, fetch.text)) {
      fetches.push_back(fetch.text);
    }
  }
  return signature;
}

class LocalSession final : public Session,
                           public std::enable_shared_from_this<LocalSession> {
 public:
  LocalSession(const OpRegistry& ops, std::unique_ptr<SessionGraph> graph,
               const FunctionPlanning& planning,
               std::shared_ptr<DeviceSet> devices,
               const KernelRegistry& kernels, Clock& clock)
      : clock_(clock),
        collectives_(std::make_shared<LocalCollectives>(clock)),
        devices_(std::move(devices)),
        graph_(std::move(graph)),
        evaluator_(NewConstantEvaluator(kernels, devices_->compute_queue())),
        plan_options_{.optimizer = planning.optimizer,
                      .passes = planning.passes,
                      .evaluator = evaluator_.get()},
        ops_(ops),
        runner_(*devices_, devices_->resources(), kernels,
                /*session_devices=*/nullptr, planning) {}

  ~LocalSession() override { Close().IgnoreError(); }

  // Returns the time at which `timeout` ends. Returns no deadline if there is
  // no timeout, or if the clock cannot represent that time.
  Deadline DeadlineOf(
      const std::optional<std::chrono::nanoseconds>& timeout) const {
    if (!timeout.has_value()) return std::nullopt;
    const Clock::time_point at = clock_.After(*timeout);
    if (at == Clock::time_point::max()) return std::nullopt;
    return StepDeadline{.clock = &clock_, .at = at, .timeout = *timeout};
  }

  using Session::Run;
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args,
                                          pb::RunMetadata* metadata) override {
    const Deadline deadline = DeadlineOf(args.options.timeout);
    if (metadata != nullptr) metadata->Clear();
    std::vector<TensorName> feed_names;
    std::vector<Tensor> feeds;
    feed_names.reserve(args.feeds.size());
    feeds.reserve(args.feeds.size());
    for (const Feed& feed : args.feeds) {
      feed_names.push_back(feed.name);
      feeds.push_back(feed.value);
    }
    LEAT_ASSIGN_OR_RETURN(
        const Plans::Plan step,
        FindOrPlan(SignatureKey(feed_names, args.fetches, args.targets), [&] {
          return StepSignature{.feeds = Texts(feed_names),
                               .fetches = Texts(args.fetches),
                               .targets = Texts(args.targets)};
        }));
    return RunStep(*step, feeds, args.options, deadline, metadata);
  }

  absl::StatusOr<Callable> MakeCallable(const CallableArgs& args) override;

  absl::StatusOr<PartialRun> StartPartialRun(
      const PartialRunArgs& args) override;

  absl::Status Extend(const Graph& graph) override {
    {
      MutexLock lock(mutex_);
      LEAT_RETURN_IF_ERROR(CheckOpen());
    }
    return graph_->Extend(graph);
  }

  std::vector<DeviceInfo> ListDevices() const override {
    return devices_->Infos();
  }

  absl::Status Close() override {
    plans_->Close(Closed());
    std::vector<std::weak_ptr<LocalPartialRun>> partial_runs;
    {
      MutexLock lock(mutex_);
      closed_ = true;
      partial_runs.swap(partial_runs_);
    }
    for (const std::weak_ptr<LocalPartialRun>& weak : partial_runs) {
      const std::shared_ptr<LocalPartialRun> run = weak.lock();
      if (run != nullptr) run->Cancel(ClosedUnderStep(), Closed());
    }
    {
      MutexLock lock(mutex_);
      for (Step* step : running_) {
        step->Fail(ClosedUnderStep());
      }
      while (!running_.empty()) step_ended_.Wait(mutex_);
    }
    if (devices_->costs() != nullptr) devices_->costs()->Write();
    return absl::OkStatus();
  }

  // Returns the plan of the signature that `signature()` returns. `key` is the
  // key of this signature. Makes the plan, or waits for another caller that is
  // making it.
  absl::StatusOr<Plans::Plan> FindOrPlan(
      const std::string& key, absl::FunctionRef<StepSignature()> signature) {
    LEAT_ASSIGN_OR_RETURN(Plans::Plan found, plans_->Find(key));
    if (found != nullptr) return found;
    for (;;) {
      // Reads the version before Plan reads the graph. The graph then has this
      // version or a later one.
      const int64_t version = graph_->version();
      const auto made =
          std::make_shared<Handover<absl::StatusOr<Plans::Plan>>>();
      plans_->Get(
          key, version,
          [&](Plans::Done done) { std::move(done)(Plan(signature())); },
          [made](absl::StatusOr<Plans::Plan> plan) {
            made->Set(std::move(plan));
          });
      absl::StatusOr<Plans::Plan> plan = made->Wait();
      // The plan is null if another caller failed to make it from an earlier
      // graph.
      if (!plan.ok() || *plan != nullptr) return plan;
    }
  }

  // Runs a step and fills `metadata` with the data that the options ask for.
  absl::StatusOr<std::vector<Tensor>> RunStep(const CompiledStep& compiled,
                                              absl::Span<const Tensor> feeds,
                                              const RunOptions& options,
                                              const Deadline& deadline,
                                              pb::RunMetadata* metadata) {
    if (metadata == nullptr) {
      return Execute(compiled, feeds, options, deadline, options.observer);
    }
    metadata->Clear();
    if (options.output_partition_graphs) {
      LEAT_RETURN_IF_ERROR(
          ExportPartitionGraphs(*compiled.graph, ops_, *metadata));
    }
    if (options.trace_level == TraceLevel::kNone) {
      return Execute(compiled, feeds, options, deadline, options.observer);
    }
    StepStatsRecorder recorder(options.observer);
    auto fetched = Execute(compiled, feeds, options, deadline, &recorder);
    pb::StepStats& stats = *metadata->mutable_step_stats();
    recorder.Export(stats);
    AddTimelineLabels(*compiled.graph, ops_, stats);
    return fetched;
  }

  absl::StatusOr<std::vector<Tensor>> Execute(const CompiledStep& compiled,
                                              absl::Span<const Tensor> feeds,
                                              const RunOptions& options,
                                              const Deadline& deadline,
                                              StepObserver* observer) {
    LEAT_RETURN_IF_ERROR(CheckFeeds(compiled.feeds, feeds));
    std::vector<Tensor> fetched(compiled.fetch_names.size());
    LocalRendezvous rendezvous;
    std::optional<StepAllocations> allocations;
    if (options.report_tensor_allocations_upon_oom) allocations.emplace();
    const int64_t id = next_step_id_.fetch_add(1, std::memory_order_relaxed);
    StepSample sample(compiled.graph->sampler.get(), id, observer);
    Step step(id, rendezvous, feeds, absl::MakeSpan(fetched), sample.observer(),
              allocations.has_value() ? &*allocations : nullptr, StepCall(),
              collectives_.get());
    LEAT_RETURN_IF_ERROR(Enter(step));
    const absl::Status status = runner_.Run(*compiled.graph, step, deadline);
    sample.End(status.ok());
    Leave(step);
    if (!status.ok()) collectives_->StepHasFailed();
    LEAT_RETURN_IF_ERROR(status);
    for (size_t i = 0; i < fetched.size(); ++i) {
      if (fetched[i].IsValid()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("fetch '", compiled.fetch_names[i],
                       "' has no value: it is on a branch that was not taken"));
    }
    return fetched;
  }

 private:
  absl::Status CheckOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ ? Closed() : absl::OkStatus();
  }
  static absl::Status Closed() {
    return absl::FailedPreconditionError("Session is closed.");
  }
  static absl::Status ClosedUnderStep() {
    return absl::CancelledError("the session was closed");
  }

  // Plans and compiles a step. This takes long, so it is called without a lock.
  absl::StatusOr<Plans::Plan> Plan(StepSignature signature) {
    LEAT_ASSIGN_OR_RETURN(StepPlan plan,
                          PlanStep(*graph_->prepared(), std::move(signature),
                                   devices_->Infos(), plan_options_));
    auto step = std::make_shared<CompiledStep>();
    if (plan.signature.is_partial) {
      LEAT_RETURN_IF_ERROR(SetKeys(plan, *step));
      step->whole = std::move(plan.whole);
    }
    step->feeds = {.names = std::move(plan.signature.feeds),
                   .types = std::move(plan.feed_types),
                   .shapes = std::move(plan.feed_shapes)};
    step->fetch_names = std::move(plan.signature.fetches);
    step->graph = std::make_shared<CompiledGraph>();
    // There is just one partition, because all devices belong to one task.
    for (Partition& partition : plan.partitions) {
      LEAT_ASSIGN_OR_RETURN(step->graph,
                            runner_.Register(std::move(partition.graph)));
    }
    return step;
  }

  // Replaces feeds and fetches in the partition of a partial run by nodes that
  // use the rendezvous, and sets their keys.
  absl::Status SetKeys(StepPlan& plan, CompiledStep& step) const {
    step.feed_keys.resize(plan.signature.feeds.size());
    step.fetch_keys.resize(plan.signature.fetches.size());
    for (Partition& partition : plan.partitions) {
      LEAT_ASSIGN_OR_RETURN(
          const Boundary boundary,
          ArgsToRecvs(plan.signature, devices_->Infos(), partition.graph));
      for (const BoundaryKey& feed : boundary.feeds) {
        step.feed_keys[static_cast<size_t>(feed.index)] = ParsedKey(feed.key);
      }
      for (const BoundaryKey& fetch : boundary.fetches) {
        step.fetch_keys[static_cast<size_t>(fetch.index)] =
            ParsedKey(fetch.key);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Enter(Step& step) {
    MutexLock lock(mutex_);
    LEAT_RETURN_IF_ERROR(CheckOpen());
    running_.insert(&step);
    return absl::OkStatus();
  }
  void Leave(Step& step) {
    MutexLock lock(mutex_);
    running_.erase(&step);
    step_ended_.NotifyAll();
  }

  Clock& clock_;
  const std::shared_ptr<LocalCollectives> collectives_;
  const std::shared_ptr<DeviceSet> devices_;
  const std::unique_ptr<SessionGraph> graph_;
  const std::unique_ptr<ConstantEvaluator> evaluator_;
  const PlanOptions plan_options_;
  const OpRegistry& ops_;
  GraphRunner runner_;
  // The table has no release function, so it may evict a plan that a callable
  // still keeps.
  const std::shared_ptr<Plans> plans_ = Plans::Create(/*release=*/nullptr);
  std::atomic<int64_t> next_step_id_{1};

  Mutex mutex_;
  CondVar step_ended_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<Step*> running_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<LocalPartialRun>> partial_runs_
      ABSL_GUARDED_BY(mutex_);
};

class LocalCallable final : public Callable::Implementation {
 public:
  LocalCallable(std::shared_ptr<LocalSession> session, Plans::Plan step,
                RunOptions options)
      : session_(std::move(session)),
        step_(std::move(step)),
        options_(options) {}

  absl::StatusOr<std::vector<Tensor>> Run(absl::Span<const Tensor> feeds,
                                          pb::RunMetadata* metadata) override {
    return session_->RunStep(*step_, feeds, options_,
                             session_->DeadlineOf(options_.timeout), metadata);
  }

 private:
  const std::shared_ptr<LocalSession> session_;
  const Plans::Plan step_;
  const RunOptions options_;
};

absl::StatusOr<Callable> LocalSession::MakeCallable(const CallableArgs& args) {
  StepSignature signature = SignatureOf(args);
  LEAT_ASSIGN_OR_RETURN(
      Plans::Plan step,
      FindOrPlan(SignatureKey(signature), [&] { return signature; }));
  return Callable(std::make_shared<LocalCallable>(
      shared_from_this(), std::move(step), args.options));
}

absl::StatusOr<PartialRun> LocalSession::StartPartialRun(
    const PartialRunArgs& args) {
  const std::optional<std::chrono::nanoseconds>& timeout = args.options.timeout;
  if (timeout.has_value() && *timeout <= std::chrono::nanoseconds(0)) {
    return TooLateToBegin({.timeout = *timeout});
  }
  StepSignature signature = SignatureOf(args);
  LEAT_ASSIGN_OR_RETURN(
      Plans::Plan plan,
      FindOrPlan(SignatureKey(signature), [&] { return signature; }));
  const auto run = std::make_shared<LocalPartialRun>(
      LocalPartialRun::Place{
          .session = shared_from_this(), .runner = &runner_, .clock = &clock_},
      std::move(plan), next_step_id_.fetch_add(1, std::memory_order_relaxed),
      args.options);
  run->Start();
  absl::Status open;
  {
    MutexLock lock(mutex_);
    open = CheckOpen();
    std::erase_if(partial_runs_, [](const auto& run) { return run.expired(); });
    if (open.ok()) partial_runs_.push_back(run);
  }
  LEAT_RETURN_IF_ERROR(open);
  return PartialRun(run);
}

}  // namespace

absl::StatusOr<std::shared_ptr<Session>> NewLocalSession(
    const Graph& graph, const LocalSessionOptions& options,
    const KernelRegistry& kernels) {
  std::shared_ptr<DeviceSet> devices = options.device_set;
  if (devices == nullptr) {
    DeviceSetOptions device_options = options.devices;
    if (device_options.clock == nullptr) device_options.clock = options.clock;
    LEAT_ASSIGN_OR_RETURN(devices, DeviceSet::Create(device_options));
  }
  LEAT_ASSIGN_OR_RETURN(
      std::unique_ptr<SessionGraph> session_graph,
      SessionGraph::Create(
          graph, devices->Infos(),
          {.allow_soft_placement = options.allow_soft_placement,
           .placement_policy = options.placement_policy,
           .policies = &BuiltinPolicies(),
           .lower_limits = options.lower_limits,
           .log_placement = options.log_placement}));
  const PassRegistry& passes =
      options.passes != nullptr ? *options.passes : BuiltinPasses();
  return std::shared_ptr<Session>(std::make_shared<LocalSession>(
      graph.ops(), std::move(session_graph),
      FunctionPlanning{.policies = &BuiltinPolicies(),
                       .passes = &passes,
                       .optimizer = options.optimizer,
                       .limits = options.lower_limits},
      std::move(devices), kernels,
      options.clock != nullptr ? *options.clock : RealClock()));
}

}  // namespace leat
