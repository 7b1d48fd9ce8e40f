// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/session_plans.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/collectives/graph_key.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/distributed/master/session_config.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/host_memory.h"
#include "leat/runtime/session_graph.h"

namespace leat {
namespace {

// Estimates how many bytes the plan of a step takes for each node of the graph.
constexpr int64_t kBytesOfPlannedNode = 1500;

// Limits the number of extensions of one session that may wait for their turn.
constexpr size_t kMaxWaitingExtensions = 16;

// Returns the number of a plan's first edge. The masters of several clients may
// run graphs with the same collectives in one step, so each plan needs numbers
// of its own.
int64_t RandomEdge() { return static_cast<int64_t>(RandomId() >> 8); }

}  // namespace

CallOptions SetupCall(const MasterEnvironment& environment,
                      std::shared_ptr<Cancellation> cancellation) {
  return {.deadline = environment.tasks->clock().After(
              environment.limits.setup_timeout),
          .cancellation = std::move(cancellation)};
}

absl::Status WithSetupTimeout(const absl::Status& status) {
  if (!absl::IsDeadlineExceeded(status)) return status;
  return WithMessage(status,
                     absl::StrCat(status.message(), " (--setup-timeout)"));
}

SessionPlans::SessionPlans(const MasterEnvironment& environment,
                           const SessionConfig& config, ClientGraph client,
                           ClusterDevices cluster)
    : environment_(environment),
      config_(std::move(client.config)),
      cluster_(std::move(cluster)),
      handle_(RandomHandle()),
      evaluator_(NewConstantEvaluator(*environment.kernels,
                                      environment.devices->compute_queue())),
      options_{.optimizer = config.optimizer,
               .passes = environment.passes,
               .evaluator = evaluator_.get(),
               .foreign_tasks = cluster_.foreign_tasks,
               .bundles = kBundleLimits,
               .keep_whole = environment.plan_observer != nullptr},
      table_(
          RegisteredPlans::Create([tasks = environment.tasks, handle = handle_](
                                      const RegisteredPlans::Plan& plan) {
            DeregisterParts(*tasks, handle, plan->parts);
          })),
      extensions_(*environment.blocking, kMaxWaitingExtensions),
      closing_(std::make_shared<Cancellation>()),
      graph_bytes_(std::move(client.bytes)) {}

SessionPlans::~SessionPlans() = default;

absl::StatusOr<std::unique_ptr<SessionPlans>> SessionPlans::Create(
    const MasterEnvironment& environment, const SessionConfig& config,
    ClientGraph client, ClusterDevices cluster) {
  Graph graph = std::move(client.graph);
  std::unique_ptr<SessionPlans> plans(new SessionPlans(
      environment, config, std::move(client), std::move(cluster)));
  LEAT_ASSIGN_OR_RETURN(
      plans->graph_,
      SessionGraph::Create(
          std::move(graph), plans->cluster_.devices,
          {.allow_soft_placement = config.allow_soft_placement,
           .policies = environment.policies,
           .lower_limits = environment.limits.lower,
           .foreign_tasks = plans->cluster_.foreign_tasks,
           .log_placement =
               config.log_device_placement ? environment.log : nullptr}));
  return plans;
}

int64_t SessionPlans::graph_version() const { return graph_->version(); }

void SessionPlans::Extend(pb::GraphDef addition, int64_t version,
                          std::shared_ptr<CallContext> call, Extended done) {
  // `answer` is shared with the closure, because the queue may refuse the
  // closure.
  const auto answer = std::make_shared<Extended>(std::move(done));
  const bool added = extensions_.Add(
      [this, addition = std::move(addition), version, call = std::move(call),
       answer] { std::move (*answer)(ExtendNow(addition, version, *call)); });
  if (added) return;
  std::move (*answer)(absl::ResourceExhaustedError(
      absl::StrCat(kMaxWaitingExtensions,
                   " extensions of the session's graph wait already")));
}

absl::StatusOr<int64_t> SessionPlans::ExtendNow(const pb::GraphDef& addition,
                                                int64_t version,
                                                const CallContext& call) {
  if (closing_->IsCancelled()) return closing_->status();
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

void SessionPlans::Make(StepSignature signature, RegisteredPlans::Done done) {
  if (closing_->IsCancelled()) return std::move(done)(closing_->status());
  const std::shared_ptr<const Graph> prepared = graph_->prepared();
  absl::StatusOr<MemoryReservation> memory = MemoryReservation::Take(
      static_cast<int64_t>(prepared->num_nodes()) * kBytesOfPlannedNode,
      "the plan of a step");
  if (!memory.ok()) return std::move(done)(memory.status());
  PlanOptions options = options_;
  if (HasCollectives(*prepared)) options.first_edge = RandomEdge();
  absl::StatusOr<StepPlan> plan =
      PlanStep(*prepared, std::move(signature), cluster_.devices, options);
  if (!plan.ok()) return std::move(done)(plan.status());
  RegisterPlan(*environment_.tasks, *std::move(plan),
               {.handle = &handle_,
                .devices = cluster_.devices,
                .foreign_tasks = cluster_.foreign_tasks,
                .config = &config_,
                .observer = environment_.plan_observer},
               SetupCall(environment_, closing_),
               [memory = *std::move(memory), done = std::move(done)](
                   absl::StatusOr<RegisteredPlans::Plan> registered) mutable {
                 if (!registered.ok()) {
                   registered = WithSetupTimeout(registered.status());
                 }
                 std::move(done)(std::move(registered));
               });
}

void SessionPlans::Close(const absl::Status& why) {
  table_->Close(why);
  closing_->Cancel(why);
}

}  // namespace leat
