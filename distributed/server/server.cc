// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/server.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/cluster/address.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/master/master.h"
#include "leat/distributed/requests/call_gate.h"
#include "leat/distributed/server/health_service.h"
#include "leat/distributed/server/status_service.h"
#include "leat/distributed/tasks/server_task_caller.h"
#include "leat/distributed/worker/master_watch.h"
#include "leat/distributed/worker/worker.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/partitioner/policy.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

constexpr int kBlockingThreads = 4;
// The pause between attempts to end the steps that are left.
constexpr auto kEndStepsInterval = std::chrono::milliseconds(20);
// How long replies may take to reach their callers, once nothing runs any more.
constexpr auto kReplyGrace = std::chrono::seconds(1);

absl::Status CheckBind(const std::string& bind, bool insecure) {
  LEAT_RETURN_IF_ERROR(CheckAddress(bind));
  if (insecure || IsLoopback(bind)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "address ", QuotedText(bind),
      " is not a loopback address; tasks talk without encryption: pass "
      "--insecure if the network is yours"));
}

// An outbox that is counted while it lives.
class CountedOutbox {
 public:
  // `count` is borrowed and must outlive this, as must `devices`.
  CountedOutbox(std::atomic<size_t>& count, int64_t step_id, DeviceSet& devices,
                size_t max_entries)
      : count_(count), outbox_(step_id, devices, max_entries) {
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  ~CountedOutbox() { count_.fetch_sub(1, std::memory_order_relaxed); }
  CountedOutbox(const CountedOutbox&) = delete;
  CountedOutbox& operator=(const CountedOutbox&) = delete;

  StepOutbox* outbox() { return &outbox_; }

 private:
  std::atomic<size_t>& count_;
  StepOutbox outbox_;
};

}  // namespace

class Server::Implementation {
 public:
  explicit Implementation(ServerOptions options)
      : options_(std::move(options)),
        name_(options_.config.task.ToString()),
        gate_(name_) {}

  ~Implementation() {
    Stop(std::chrono::nanoseconds(0));
    // The work that is left there uses the other members.
    blocking_.reset();
  }

  absl::Status Start();
  void Stop(std::chrono::nanoseconds grace);

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
  absl::Status MakeTransport();
  void MakeWorker();
  void MakeMaster();
  // Waits until peers have fetched the tensors that ended steps have left for
  // them, but not beyond `deadline`.
  void WaitForPeers(Clock::time_point deadline) const;

  Clock& clock() const { return transport_->clock(); }
  const OpRegistry& ops() const {
    return options_.ops != nullptr ? *options_.ops : BuiltinOps();
  }
  const KernelRegistry& kernels() const {
    return options_.kernels != nullptr ? *options_.kernels : BuiltinKernels();
  }

  const ServerOptions options_;
  const std::string name_;
  std::string address_;

  Mutex stop_mutex_;  // held during Stop
  bool is_stopped_ ABSL_GUARDED_BY(stop_mutex_) = false;

  std::atomic<size_t> num_outboxes_{0};

  // The members are destroyed in the reverse order: first no calls come in,
  // then none go out, then the services end, and then the devices, once their
  // threads have done all work that was left. (Threads of a device may still
  // decode for `receiver_`.)
  std::unique_ptr<Peers> peers_;
  std::unique_ptr<TensorReceiver> receiver_;
  std::unique_ptr<DeviceSet> devices_;
  std::unique_ptr<ServerTaskCaller> tasks_;
  std::unique_ptr<TimerQueue> timers_;
  std::unique_ptr<WorkQueue> blocking_;
  std::unique_ptr<StepTable> steps_;
  std::unique_ptr<Worker> worker_;
  std::shared_ptr<MasterWatch> master_watch_;
  std::shared_ptr<Master> master_;
  std::unique_ptr<StatusService> status_;
  HealthService health_;
  std::unique_ptr<Transport> transport_;
  CallGate gate_;
  MethodTable methods_;
  std::unique_ptr<Listener> listener_;
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
  devices.task = name_;
  devices.resource_limits.max_queue_elements =
      options_.limits.max_queue_elements;
  LEAT_ASSIGN_OR_RETURN(devices_, DeviceSet::Create(devices));
  LEAT_RETURN_IF_ERROR(MakeTransport());
  MakeWorker();
  MakeMaster();
  status_ = std::make_unique<StatusService>(
      StatusService::Sources{.task = name_,
                             .version = options_.version,
                             .devices = devices_.get(),
                             .worker = worker_.get(),
                             .master = master_.get(),
                             .peers = peers_.get()});
  status_->AddMethods(methods_);
  health_.AddMethods(methods_);
  LEAT_ASSIGN_OR_RETURN(listener_, transport_->Listen(bind, methods_));
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
      transports.Create(options_.transport,
                        {.max_message_bytes = limits.max_message_bytes,
                         .max_transport_bytes = limits.max_transport_bytes}));
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
  blocking_ = NewThreadPool("leat-blocking", kBlockingThreads);
  steps_ = std::make_unique<StepTable>(
      name_, limits, *timers_,
      [&count = num_outboxes_, devices = devices_.get(),
       max_entries = limits.max_rendezvous_entries](int64_t step_id) {
        const auto counted = std::make_shared<CountedOutbox>(
            count, step_id, *devices, max_entries);
        return std::shared_ptr<StepOutbox>(counted, counted->outbox());
      });
  worker_ =
      std::make_unique<Worker>(WorkerEnvironment{.task = name_,
                                                 .devices = devices_.get(),
                                                 .ops = &ops(),
                                                 .kernels = &kernels(),
                                                 .steps = steps_.get(),
                                                 .peers = peers_.get(),
                                                 .receiver = receiver_.get(),
                                                 .timers = timers_.get(),
                                                 .blocking = blocking_.get(),
                                                 .limits = limits});
  worker_->AddMethods(methods_);
}

void Server::Implementation::MakeMaster() {
  tasks_ = std::make_unique<ServerTaskCaller>(name_, methods_, *peers_);
  master_watch_ = std::make_shared<MasterWatch>(
      options_.limits.master_silence, *worker_, *tasks_, *timers_, *blocking_);
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
                                .plan_observer = options_.plan_observer,
                                .log = options_.log};
  for (const TaskId& task : options_.config.cluster.Tasks()) {
    environment.cluster.push_back(task.ToString());
  }
  master_ = std::make_shared<Master>(std::move(environment));
  master_->AddMethods(methods_);
  for (const Method& method :
       {methods::kCreateWorkerSession, methods::kRegisterGraph,
        methods::kRunGraph, methods::kCreateSession, methods::kRunStep,
        methods::kRunCallable}) {
    methods_.Wrap(method, [this](Handler handler) {
      return gate_.Around(std::move(handler));
    });
  }
}

void Server::Implementation::Stop(std::chrono::nanoseconds grace) {
  MutexLock lock(stop_mutex_);
  if (is_stopped_ || listener_ == nullptr) return;
  is_stopped_ = true;
  master_watch_->Stop();
  health_.SetNotServing();
  gate_.Close();
  const Clock::time_point end = clock().After(grace);
  if (gate_.WaitUntil(end)) WaitForPeers(end);
  // Ends the steps of this master's clients, also on other tasks, and the steps
  // of other masters here. The latter is repeated, because a call may have come
  // in that has not begun its step yet.
  master_->BeginStop();
  Clock::time_point again = clock().Now();
  while (!gate_.WaitUntil(again)) {
    worker_->EndSteps(gate_.reason());
    again = clock().Now() + kEndStepsInterval;
  }
  // Other tasks are told about the end of their sessions. A silent one is not
  // waited for.
  master_->Stop(std::max(end, clock().Now() + kReplyGrace));
  listener_->Shutdown(kReplyGrace);
}

void Server::Implementation::WaitForPeers(Clock::time_point deadline) const {
  while (steps_->num_untaken() > 0) {
    const Clock::duration left = deadline - clock().Now();
    if (left <= Clock::duration::zero()) return;
    clock().Sleep(std::min<Clock::duration>(left, kEndStepsInterval));
  }
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  auto implementation = std::make_unique<Implementation>(std::move(options));
  LEAT_RETURN_IF_ERROR(implementation->Start());
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

void Server::Stop(std::chrono::nanoseconds grace) {
  implementation_->Stop(grace);
}

ServerCounters Server::counters() const { return implementation_->counters(); }

}  // namespace leat
