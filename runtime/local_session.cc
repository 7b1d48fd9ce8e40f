// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/local_session.h"

#include <atomic>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/clock.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/feed_checks.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/plan_cache.h"
#include "leat/runtime/session_graph.h"
#include "leat/runtime/step_stats.h"

namespace leat {
namespace {

// A plan in its compiled form.
struct CompiledStep {
  FeedSpec feeds;
  std::vector<std::string> fetch_names;
  std::shared_ptr<CompiledGraph> graph;
};

using Deadline = std::optional<StepDeadline>;

// Returns when the step's time will be up, or nothing if the clock cannot
// represent that.
Deadline DeadlineOf(const RunOptions& options) {
  if (!options.timeout.has_value()) return std::nullopt;
  const auto at = FiniteDeadlineAfter(*options.timeout);
  if (!at.has_value()) return std::nullopt;
  return StepDeadline{.at = *at, .timeout = *options.timeout};
}

std::vector<std::string> Texts(const std::vector<TensorName>& names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const TensorName& name : names) texts.push_back(name.text);
  return texts;
}

class LocalSession final : public Session,
                           public std::enable_shared_from_this<LocalSession> {
 public:
  LocalSession(const OpRegistry& ops, std::unique_ptr<SessionGraph> graph,
               const LocalSessionOptions& options,
               std::shared_ptr<DeviceSet> devices,
               const KernelRegistry& kernels)
      : devices_(std::move(devices)),
        graph_(std::move(graph)),
        evaluator_(NewConstantEvaluator(kernels, devices_->compute_queue())),
        plan_options_{.optimizer = options.optimizer,
                      .passes = options.passes != nullptr ? options.passes
                                                          : &BuiltinPasses(),
                      .evaluator = evaluator_.get()},
        ops_(ops),
        runner_(*devices_, devices_->resources(), kernels) {}

  ~LocalSession() override { Close().IgnoreError(); }

  using Session::Run;
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args,
                                          pb::RunMetadata* metadata) override {
    const Deadline deadline = DeadlineOf(args.options);
    if (metadata != nullptr) metadata->Clear();
    std::vector<TensorName> feed_names;
    std::vector<Tensor> feeds;
    feed_names.reserve(args.feeds.size());
    feeds.reserve(args.feeds.size());
    for (const Feed& feed : args.feeds) {
      feed_names.push_back(feed.name);
      feeds.push_back(feed.value);
    }
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<CompiledStep> step,
                          FindOrPlan(feed_names, args.fetches, args.targets));
    return RunStep(*step, feeds, args.options, deadline, metadata);
  }

  absl::StatusOr<Callable> MakeCallable(const CallableArgs& args) override;

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
    MutexLock lock(mutex_);
    closed_ = true;
    for (Step* step : running_) {
      step->Fail(absl::CancelledError("the session was closed"));
    }
    while (!running_.empty()) step_ended_.Wait(mutex_);
    plans_.Clear();
    return absl::OkStatus();
  }

  absl::StatusOr<std::shared_ptr<CompiledStep>> FindOrPlan(
      const std::vector<TensorName>& feeds,
      const std::vector<TensorName>& fetches,
      const std::vector<TensorName>& targets) {
    const std::string key = SignatureKey(feeds, fetches, targets);
    std::shared_ptr<const Graph> graph;
    {
      MutexLock lock(mutex_);
      LEAT_RETURN_IF_ERROR(CheckOpen());
      if (auto found = plans_.Find(key); found != nullptr) return found;
      graph = graph_->prepared();
    }
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<CompiledStep> step,
                          Plan(*graph, {.feeds = Texts(feeds),
                                        .fetches = Texts(fetches),
                                        .targets = Texts(targets)}));
    MutexLock lock(mutex_);
    LEAT_RETURN_IF_ERROR(CheckOpen());
    // The graph was extended meanwhile, so this plan is not kept. (As long as
    // `graph` lives, no other graph has its address.)
    if (graph_->prepared() != graph) return step;
    return plans_.Add(key, std::move(step));
  }

  // Runs a step and fills `metadata` with what the options ask for.
  absl::StatusOr<std::vector<Tensor>> RunStep(const CompiledStep& compiled,
                                              absl::Span<const Tensor> feeds,
                                              const RunOptions& options,
                                              const Deadline& deadline,
                                              pb::RunMetadata* metadata) {
    if (metadata == nullptr) {
      return Execute(compiled, feeds, deadline, options.observer);
    }
    metadata->Clear();
    if (options.output_partition_graphs) {
      LEAT_RETURN_IF_ERROR(
          ExportPartitionGraphs(*compiled.graph, ops_, *metadata));
    }
    if (options.trace_level == TraceLevel::kNone) {
      return Execute(compiled, feeds, deadline, options.observer);
    }
    StepStatsRecorder recorder(options.observer);
    auto fetched = Execute(compiled, feeds, deadline, &recorder);
    pb::StepStats& stats = *metadata->mutable_step_stats();
    recorder.Export(stats);
    AddTimelineLabels(*compiled.graph, ops_, stats);
    return fetched;
  }

  absl::StatusOr<std::vector<Tensor>> Execute(const CompiledStep& compiled,
                                              absl::Span<const Tensor> feeds,
                                              const Deadline& deadline,
                                              StepObserver* observer) {
    LEAT_RETURN_IF_ERROR(CheckFeeds(compiled.feeds, feeds));
    std::vector<Tensor> fetched(compiled.fetch_names.size());
    LocalRendezvous rendezvous;
    Step step(next_step_id_.fetch_add(1, std::memory_order_relaxed), rendezvous,
              feeds, absl::MakeSpan(fetched), observer);
    LEAT_RETURN_IF_ERROR(Enter(step));
    const absl::Status status = runner_.Run(*compiled.graph, step, deadline);
    Leave(step);
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
    if (!closed_) return absl::OkStatus();
    return absl::FailedPreconditionError("Session is closed.");
  }

  // Takes long, so it is called without the lock.
  absl::StatusOr<std::shared_ptr<CompiledStep>> Plan(const Graph& prepared,
                                                     StepSignature signature) {
    LEAT_ASSIGN_OR_RETURN(StepPlan plan,
                          PlanStep(prepared, std::move(signature),
                                   devices_->Infos(), plan_options_));
    auto step = std::make_shared<CompiledStep>();
    step->feeds = {.names = std::move(plan.signature.feeds),
                   .types = std::move(plan.feed_types),
                   .shapes = std::move(plan.feed_shapes)};
    step->fetch_names = std::move(plan.signature.fetches);
    step->graph = std::make_shared<CompiledGraph>();
    // Just one: all devices are local.
    for (Partition& partition : plan.partitions) {
      LEAT_ASSIGN_OR_RETURN(step->graph,
                            runner_.Register(std::move(partition.graph)));
    }
    return step;
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

  const std::shared_ptr<DeviceSet> devices_;
  const std::unique_ptr<SessionGraph> graph_;
  const std::unique_ptr<ConstantEvaluator> evaluator_;
  const PlanOptions plan_options_;
  const OpRegistry& ops_;
  GraphRunner runner_;
  std::atomic<int64_t> next_step_id_{1};

  Mutex mutex_;
  CondVar step_ended_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  PlanCache<CompiledStep> plans_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<Step*> running_ ABSL_GUARDED_BY(mutex_);
};

class LocalCallable final : public Callable::Implementation {
 public:
  LocalCallable(std::shared_ptr<LocalSession> session,
                std::shared_ptr<CompiledStep> step, RunOptions options)
      : session_(std::move(session)),
        step_(std::move(step)),
        options_(options) {}

  absl::StatusOr<std::vector<Tensor>> Run(absl::Span<const Tensor> feeds,
                                          pb::RunMetadata* metadata) override {
    return session_->RunStep(*step_, feeds, options_, DeadlineOf(options_),
                             metadata);
  }

 private:
  const std::shared_ptr<LocalSession> session_;
  const std::shared_ptr<CompiledStep> step_;
  const RunOptions options_;
};

absl::StatusOr<Callable> LocalSession::MakeCallable(const CallableArgs& args) {
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<CompiledStep> step,
                        FindOrPlan(args.feeds, args.fetches, args.targets));
  return Callable(std::make_shared<LocalCallable>(
      shared_from_this(), std::move(step), args.options));
}

}  // namespace

absl::StatusOr<std::shared_ptr<Session>> NewLocalSession(
    const Graph& graph, const LocalSessionOptions& options,
    const KernelRegistry& kernels) {
  std::shared_ptr<DeviceSet> devices = options.device_set;
  if (devices == nullptr) {
    LEAT_ASSIGN_OR_RETURN(devices, DeviceSet::Create(options.devices));
  }
  LEAT_ASSIGN_OR_RETURN(
      std::unique_ptr<SessionGraph> session_graph,
      SessionGraph::Create(
          graph, devices->Infos(),
          {.allow_soft_placement = options.allow_soft_placement,
           .placement_policy = options.placement_policy,
           .policies = &BuiltinPolicies(),
           .lower_limits = options.lower_limits}));
  return std::shared_ptr<Session>(
      std::make_shared<LocalSession>(graph.ops(), std::move(session_graph),
                                     options, std::move(devices), kernels));
}

}  // namespace leat
