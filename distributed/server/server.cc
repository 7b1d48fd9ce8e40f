// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/server.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/quoted_text.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/wait_notices.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/collectives/cluster_collectives.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/master/master.h"
#include "leat/distributed/requests/call_gate.h"
#include "leat/distributed/server/health_service.h"
#include "leat/distributed/server/memory_sweeper.h"
#include "leat/distributed/server/status_service.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/distributed/tasks/server_task_caller.h"
#include "leat/distributed/worker/master_watch.h"
#include "leat/distributed/worker/worker.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/partitioner/policy.h"
#include "leat/runtime/cost_recorder.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

constexpr int kBlockingThreads = 4;

absl::Status CheckBind(const std::string& bind, bool insecure) {
  LEAT_RETURN_IF_ERROR(CheckAddress(bind));
  if (insecure || IsLoopback(bind)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "address ", QuotedText(bind),
      " is not a loopback address; tasks talk without encryption: pass "
      "--insecure if the network is yours"));
}

}  // namespace

class Server::Implementation {
 public:
  explicit Implementation(ServerOptions options)
      : options_(std::move(options)),
        name_(options_.config.task.ToString()),
        gate_(name_) {}

  ~Implementation() {
    Stop(std::chrono::nanoseconds(0), options_.log);
    // Finishes the work that is left in the queue. This must happen while the
    // other members still exist, because the work uses them.
    blocking_.reset();
  }

  absl::Status Start();
  void Stop(std::chrono::nanoseconds grace, WaitNotices::Say on_waiting);

  const TaskId& task() const { return options_.config.task; }
  const std::string& address() const { return address_; }
  std::string target() const {
    const std::string path = UnixPath(address_);
    return path.empty() ? absl::StrCat(options_.transport, "://", address_)
                        : absl::StrCat("unix://", path);
  }
  ServerCounters counters() const {
    const Worker::Counters worker = worker_->counters();
    return {.master_sessions = master_->num_sessions(),
            .sessions = worker.sessions,
            .graphs = worker.graphs,
            .running = worker.running,
            .steps = steps_->num_steps(),
            .rendezvous = num_outboxes_.load(std::memory_order_relaxed)};
  }

 private:
  // Says what Stop is waiting for.
  enum class StopPhase { kSteps, kCancelledSteps, kSessions, kReplies };

  absl::Status MakeTransport();
  void MakeWorker();
  void MakeMaster();
  // Waits until peers have fetched the tensors of ended steps, but at most
  // until `deadline`.
  void WaitForPeers(Clock::time_point deadline) const;
  // Returns a sentence that says what Stop is waiting for. `left` is the time
  // that is left of the grace period.
  std::string WhatStopAwaits(StopPhase phase,
                             std::chrono::nanoseconds left) const;

  Clock& clock() const { return transport_->clock(); }
  const OpRegistry& ops() const {
    return options_.ops != nullptr ? *options_.ops : BuiltinOps();
  }
  const KernelRegistry& kernels() const {
    return options_.kernels != nullptr ? *options_.kernels : BuiltinKernels();
  }

  ServerOptions options_;  // changes only in Start
  const std::string name_;
  std::string address_;

  Mutex stop_mutex_;  // held during Stop
  bool is_stopped_ ABSL_GUARDED_BY(stop_mutex_) = false;

  std::atomic<size_t> num_outboxes_{0};

  // The order of the members matters, because they are destroyed in reverse
  // order. First the listener stops incoming calls, and then the transport
  // stops outgoing calls. Then the services are destroyed. Then the devices
  // wait until their threads have finished all work, and are destroyed.
  // `receiver_` is destroyed after the devices, because this work may use it to
  // decode.
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<TensorReceiver> receiver_;
  std::unique_ptr<DeviceSet> devices_;
  std::unique_ptr<ServerTaskCaller> tasks_;
  std::unique_ptr<TimerQueue> timers_;
  // The thread of these timers calls `on_waiting` of Stop, which may block
  // while it writes. It must not block the thread of `timers_`, because steps
  // that end need that thread.
  std::unique_ptr<TimerQueue> notice_timers_;
  std::unique_ptr<WorkQueue> blocking_;
  std::unique_ptr<StepTable> steps_;
  std::unique_ptr<ClusterCollectives> collectives_;
  std::unique_ptr<Worker> worker_;
  std::shared_ptr<MasterWatch> master_watch_;
  std::shared_ptr<Master> master_;
  std::unique_ptr<MemorySweeper> sweeper_;
  std::unique_ptr<StatusService> status_;
  HealthService health_;
  std::unique_ptr<Transport> transport_;
  CallGate gate_;
  MethodTable methods_;
  std::unique_ptr<Listener> listener_;
  std::atomic<Listener*> shown_listener_{nullptr};  // set after Listen
};

absl::Status Server::Implementation::Start() {
  const TaskConfig& config = options_.config;
  if (!config.in_cluster) {
    return absl::InvalidArgumentError(
        absl::StrCat("job ", QuotedText(config.task.job),
                     " is outside of the cluster: it is a client and serves "
                     "nothing"));
  }
  LEAT_ASSIGN_OR_RETURN(std::string bind,
                        config.cluster.AddressOf(config.task));
  if (!options_.bind.empty()) bind = options_.bind;
  LEAT_RETURN_IF_ERROR(CheckBind(bind, options_.insecure));
  DeviceSetOptions devices = options_.devices;
  devices.files = options_.files;
  devices.task = name_;
  devices.log = options_.log;
  devices.resource_limits.max_queue_elements =
      options_.limits.max_queue_elements;
  LEAT_ASSIGN_OR_RETURN(devices_, DeviceSet::Create(devices));
  int64_t device_bytes = 0;
  for (const DeviceInfo& info : devices_->Infos()) {
    device_bytes = SaturatingAdd(device_bytes, info.memory_bytes);
  }
  int64_t& session_bytes = options_.limits.max_session_bytes;
  session_bytes = std::min(session_bytes, device_bytes);
  LEAT_RETURN_IF_ERROR(MakeTransport());
  MakeWorker();
  MakeMaster();
  // Calls may arrive before Listen has returned. Then there is no listener yet.
  const auto connections = [this] {
    Listener* const shown = shown_listener_.load(std::memory_order_acquire);
    return shown == nullptr ? ConnectionCounts() : shown->connections();
  };
  sweeper_ = std::make_unique<MemorySweeper>(
      *devices_, options_.intervals.unused_memory, clock());
  status_ = std::make_unique<StatusService>(
      StatusService::Sources{.task = name_,
                             .version = options_.version,
                             .devices = devices_.get(),
                             .worker = worker_.get(),
                             .master = master_.get(),
                             .peers = peers_.get(),
                             .sweeper = sweeper_.get(),
                             .connections = connections,
                             .clock = &clock()});
  status_->AddMethods(methods_);
  health_.AddMethods(methods_, connections);
  LEAT_ASSIGN_OR_RETURN(listener_, transport_->Listen(bind, methods_));
  shown_listener_.store(listener_.get(), std::memory_order_release);
  address_ = listener_->address();
  master_watch_->Start();
  return absl::OkStatus();
}

absl::Status Server::Implementation::MakeTransport() {
  const ServerLimits& limits = options_.limits;
  const TransportRegistry& transports = options_.transports != nullptr
                                            ? *options_.transports
                                            : BuiltinTransports();
  LEAT_ASSIGN_OR_RETURN(
      transport_,
      transports.Create(
          options_.transport,
          {.max_message_bytes = limits.max_message_bytes,
           .max_transport_bytes = limits.max_transport_bytes,
           .times = options_.intervals.connection,
           .connections = {.max_connections = limits.max_connections,
                           .max_per_address =
                               limits.max_connections_per_address,
                           .handshake_timeout =
                               std::chrono::ceil<std::chrono::milliseconds>(
                                   limits.handshake_timeout)},
           .log = options_.log}));
  peers_ = std::make_unique<Peers>(options_.config.cluster, *transport_,
                                   limits.answer_timeout);
  receiver_ = std::make_unique<TensorReceiver>(
      *peers_, devices_->compute_queue(), &ops().variants(),
      limits.max_message_bytes, options_.chunks);
  return absl::OkStatus();
}

void Server::Implementation::MakeWorker() {
  const ServerLimits& limits = options_.limits;
  timers_ = std::make_unique<TimerQueue>("leat-timers", clock());
  notice_timers_ = std::make_unique<TimerQueue>("leat-notices", clock());
  blocking_ = NewThreadPool("leat-blocking", kBlockingThreads);
  steps_ = std::make_unique<StepTable>(
      name_, limits, *timers_,
      [&count = num_outboxes_, devices = devices_.get(),
       max_entries = limits.max_rendezvous_entries](int64_t step_id) {
        // `count` counts the outbox until the outbox is destroyed.
        count.fetch_add(1, std::memory_order_relaxed);
        return std::shared_ptr<StepOutbox>(
            new StepOutbox(step_id, *devices, max_entries),
            [&count](StepOutbox* outbox) {
              delete outbox;
              count.fetch_sub(1, std::memory_order_relaxed);
            });
      });
  tasks_ = std::make_unique<ServerTaskCaller>(name_, methods_, *peers_,
                                              limits.answer_timeout, clock());
  collectives_ = std::make_unique<ClusterCollectives>(
      name_, options_.config.cluster, options_.intervals.ask_tasks, *tasks_,
      *timers_, *steps_);
  collectives_->AddMethods(methods_);
  worker_ = std::make_unique<Worker>(
      WorkerEnvironment{.task = name_,
                        .devices = devices_.get(),
                        .ops = &ops(),
                        .kernels = &kernels(),
                        .steps = steps_.get(),
                        .peers = peers_.get(),
                        .receiver = receiver_.get(),
                        .timers = timers_.get(),
                        .blocking = blocking_.get(),
                        .limits = limits,
                        .functions = {.policies = &BuiltinPolicies(),
                                      .passes = &BuiltinPasses(),
                                      .limits = limits.lower},
                        .collectives = collectives_.get()});
  worker_->AddMethods(methods_);
}

void Server::Implementation::MakeMaster() {
  master_watch_ = std::make_shared<MasterWatch>(
      options_.limits.master_silence, options_.intervals.ask_masters, *worker_,
      *tasks_, *timers_, *blocking_);
  const auto notices = std::make_shared<EndNotices>(
      name_, *tasks_, *timers_, options_.intervals.step_notice,
      options_.intervals.deletion);
  MasterEnvironment environment{.task = name_,
                                .devices = devices_.get(),
                                .ops = &ops(),
                                .kernels = &kernels(),
                                .policies = &BuiltinPolicies(),
                                .passes = &BuiltinPasses(),
                                .tasks = tasks_.get(),
                                .timers = timers_.get(),
                                .blocking = blocking_.get(),
                                .limits = options_.limits,
                                .intervals = options_.intervals,
                                .plan_observer = options_.plan_observer,
                                .log = options_.log,
                                .notices = notices,
                                .collectives = collectives_.get()};
  environment.cluster_spec = options_.config.cluster;
  for (const TaskId& task : options_.config.cluster.Tasks()) {
    environment.cluster.push_back(task.ToString());
  }
  master_ = std::make_shared<Master>(std::move(environment));
  master_->AddMethods(methods_);
  for (const Method& method :
       {methods::kCreateWorkerSession, methods::kRegisterGraph,
        methods::kRunGraph, methods::kCreateSession, methods::kRunStep,
        methods::kRunCallable, methods::kPartialRunSetup}) {
    methods_.Wrap(method, [this](Handler handler) {
      return gate_.Around(std::move(handler));
    });
  }
}

void Server::Implementation::Stop(std::chrono::nanoseconds grace,
                                  WaitNotices::Say on_waiting) {
  MutexLock lock(stop_mutex_);
  if (is_stopped_ || listener_ == nullptr) return;
  is_stopped_ = true;
  std::atomic<StopPhase> phase = StopPhase::kSteps;
  const WaitNotices notices(*notice_timers_, std::move(on_waiting),
                            [this, &phase, grace](Clock::duration waited) {
                              return WhatStopAwaits(phase, grace - waited);
                            });
  master_watch_->Stop();
  health_.SetNotServing();
  gate_.Close();
  const Clock::time_point end = clock().After(grace);
  if (gate_.WaitUntil(clock(), end)) WaitForPeers(end);
  // Ends the steps of this master's clients on all tasks. Then repeatedly ends
  // the steps of other masters on this task. Repetition is needed, because a
  // call that entered before the gate was closed may begin its step later.
  phase = StopPhase::kCancelledSteps;
  master_->BeginStop();
  Clock::time_point again = clock().Now();
  while (!gate_.WaitUntil(clock(), again)) {
    steps_->FailRuns(gate_.reason());
    again = clock().After(options_.intervals.end_steps_again);
  }
  // Partial runs may be open though no call is under way.
  steps_->FailRuns(gate_.reason());
  worker_->WaitForPartialSteps();
  // Tells other tasks that their sessions have ended. Waits for silent tasks
  // only until the grace period ends, but at least for `reply_grace`.
  const auto reply_grace = options_.intervals.reply_grace;
  phase = StopPhase::kSessions;
  master_->Stop(std::max(end, clock().After(reply_grace)));
  phase = StopPhase::kReplies;
  listener_->Shutdown(reply_grace);
  if (devices_->costs() != nullptr) devices_->costs()->Write();
}

std::string Server::Implementation::WhatStopAwaits(
    StopPhase phase, std::chrono::nanoseconds left) const {
  const std::string time = absl::FormatDuration(absl::FromChrono(std::max(
      std::chrono::ceil<std::chrono::seconds>(left), std::chrono::seconds(0))));
  switch (phase) {
    case StopPhase::kSteps:
      if (gate_.num_inside() > 0) {
        return absl::StrCat(name_,
                            " is waiting for the steps that run and cancels "
                            "them in ",
                            time, " (--grace)");
      }
      return absl::StrCat(name_,
                          " is waiting for other tasks to fetch what its steps "
                          "have produced, and ends without that in ",
                          time, " (--grace)");
    case StopPhase::kCancelledSteps:
      return absl::StrCat(name_,
                          " has cancelled the steps that run, because the time "
                          "of --grace is over, and is waiting for them to end");
    case StopPhase::kSessions:
      return absl::StrCat(
          name_,
          " is waiting for its sessions to end, here and on "
          "other tasks; it waits for silent ones until the time "
          "of --grace is over");
    case StopPhase::kReplies:
      break;
  }
  return absl::StrCat(name_,
                      " is waiting for its last replies to reach the callers");
}

void Server::Implementation::WaitForPeers(Clock::time_point deadline) const {
  while (steps_->num_untaken() > 0) {
    const Clock::duration left = deadline - clock().Now();
    if (left <= Clock::duration::zero()) return;
    clock().Sleep(
        std::min<Clock::duration>(left, options_.intervals.end_steps_again));
  }
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  auto implementation = std::make_unique<Implementation>(std::move(options));
  LEAT_RETURN_IF_ERROR(StartThreads([&] { return implementation->Start(); }));
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

Server::Server(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Server::~Server() = default;

const TaskId& Server::task() const { return implementation_->task(); }

const std::string& Server::address() const {
  return implementation_->address();
}

std::string Server::target() const { return implementation_->target(); }

void Server::Stop(std::chrono::nanoseconds grace,
                  std::function<void(absl::string_view message)> on_waiting) {
  implementation_->Stop(grace, std::move(on_waiting));
}

ServerCounters Server::counters() const { return implementation_->counters(); }

}  // namespace leat
