// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/distributed/worker/worker_testing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/random_id.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/leaks.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat::testing {
namespace {

// The ports need not be free, because the network is in this process.
std::string AddressOf(size_t i) { return absl::StrCat("127.0.0.1:", 7001 + i); }

}  // namespace

bool DirectCall::is_done() const {
  MutexLock lock(mutex_);
  return answer_.has_value();
}

absl::StatusOr<Payload> DirectCall::Wait() {
  const Clock::time_point limit = WaitLimit();
  MutexLock lock(mutex_);
  while (!answer_.has_value()) {
    if (answered_.WaitUntil(mutex_, limit)) continue;
    ADD_FAILURE() << "a call has no answer";
    return absl::UnknownError("no answer");
  }
  return *std::move(answer_);
}

RunAnswer WaitForRun(DirectCall& call) {
  RunAnswer answer;
  absl::StatusOr<Payload> payload = call.Wait();
  if (!payload.ok()) {
    answer.status = payload.status();
    return answer;
  }
  EXPECT_TRUE(answer.response.ParseFromString(payload->header));
  answer.tensors = std::move(payload->tensors);
  if (answer.response.status_code() != 0) {
    answer.status = absl::Status(
        static_cast<absl::StatusCode>(answer.response.status_code()),
        answer.response.status_error_message());
    DecodePayloads(answer.response.leat().payloads(), answer.status);
    EXPECT_TRUE(answer.tensors.empty());
  }
  return answer;
}

TestTask::TestTask(const TaskId& id, const ClusterSpec& cluster,
                   const std::shared_ptr<InProcessNetwork>& network,
                   const ServerLimits& limits, const std::string& costs_folder)
    : name_(id.ToString()) {
  devices_ = DeviceSet::Create({.task = name_,
                                .num_cpus = 2,
                                .num_threads = 2,
                                .costs_folder = costs_folder,
                                .clock = &TestClock()})
                 .value();
  transport_ = network->NewTransport();
  peers_ = std::make_unique<Peers>(cluster, *transport_);
  receiver_ = std::make_unique<TensorReceiver>(
      *peers_, devices_->compute_queue(), &BuiltinOps().variants(), INT32_MAX);
  timers_ = std::make_unique<TimerQueue>("test-timers", TestClock());
  blocking_ = NewThreadPool("test-blocking", 1);
  steps_ = std::make_unique<StepTable>(
      name_, limits, *timers_, [this, limits](int64_t step_id) {
        return std::make_shared<StepOutbox>(step_id, *devices_,
                                            limits.max_rendezvous_entries);
      });
  worker_ =
      std::make_unique<Worker>(WorkerEnvironment{.task = name_,
                                                 .devices = devices_.get(),
                                                 .ops = &BuiltinOps(),
                                                 .kernels = &BuiltinKernels(),
                                                 .steps = steps_.get(),
                                                 .peers = peers_.get(),
                                                 .receiver = receiver_.get(),
                                                 .timers = timers_.get(),
                                                 .blocking = blocking_.get(),
                                                 .limits = limits});
  worker_->AddMethods(methods_);
  listener_ =
      transport_->Listen(cluster.AddressOf(id).value(), methods_).value();
}

TestTask::~TestTask() = default;

void TestTask::Serve(const Method& method, Payload request,
                     const CallRef& call) {
  const MethodTable::Entry* const entry = methods_.Find(method.path);
  ASSERT_NE(entry, nullptr) << method.path;
  entry->handler(call->context, std::move(request),
                 [call](absl::StatusOr<Payload> answer) {
                   MutexLock lock(call->mutex_);
                   EXPECT_FALSE(call->answer_.has_value());
                   call->answer_ = std::move(answer);
                   call->answered_.NotifyAll();
                 });
}

CallRef TestTask::Start(const Method& method, Payload request) {
  auto call = std::make_shared<DirectCall>();
  Serve(method, std::move(request), call);
  return call;
}

CallRef TestTask::Start(const Method& method,
                        const google::protobuf::MessageLite& request,
                        WireTensors tensors,
                        std::optional<std::chrono::milliseconds> timeout) {
  auto call = std::make_shared<DirectCall>();
  if (timeout.has_value()) {
    call->context->deadline = TestClock().Now() + *timeout;
  }
  Payload payload;
  payload.header = request.SerializeAsString();
  payload.tensors = std::move(tensors);
  Serve(method, std::move(payload), call);
  return call;
}

absl::Status TestTask::CreateSession(const std::string& handle, bool isolated,
                                     const std::string& master_task,
                                     int64_t master_incarnation) {
  pb::CreateWorkerSessionRequest request;
  request.set_session_handle(handle);
  request.set_isolate_session_state(isolated);
  request.set_master_task(master_task);
  request.set_master_incarnation(master_incarnation);
  return Call<pb::CreateWorkerSessionResponse>(methods::kCreateWorkerSession,
                                               request)
      .status();
}

absl::Status TestTask::DeleteSession(const std::string& handle) {
  pb::DeleteWorkerSessionRequest request;
  request.set_session_handle(handle);
  return Call<pb::DeleteWorkerSessionResponse>(methods::kDeleteWorkerSession,
                                               request)
      .status();
}

absl::StatusOr<std::string> TestTask::Register(const std::string& session,
                                               const pb::GraphDef& graph) {
  pb::RegisterGraphRequest request;
  request.set_session_handle(session);
  request.set_create_worker_session_called(!session.empty());
  *request.mutable_graph_def() = graph;
  request.set_request_id(RandomStepId());
  LEAT_ASSIGN_OR_RETURN(
      const auto response,
      Call<pb::RegisterGraphResponse>(methods::kRegisterGraph, request));
  return response.graph_handle();
}

absl::Status TestTask::Deregister(const std::string& session,
                                  const std::string& graph) {
  pb::DeregisterGraphRequest request;
  request.set_session_handle(session);
  request.set_create_worker_session_called(!session.empty());
  request.set_graph_handle(graph);
  return Call<pb::DeregisterGraphResponse>(methods::kDeregisterGraph, request)
      .status();
}

absl::Status TestTask::CleanupGraph(int64_t step_id) {
  pb::CleanupGraphRequest request;
  request.set_step_id(step_id);
  return Call<pb::CleanupGraphResponse>(methods::kCleanupGraph, request)
      .status();
}

std::string TestTask::Key(const std::string& tensor_name) const {
  return RendezvousKey{.send_device = device(),
                       .send_incarnation = incarnation(),
                       .recv_device = device(),
                       .tensor_name = tensor_name}
      .ToString();
}

void TestTask::ExpectNothingLeft() {
  SCOPED_TRACE(name_);
  const Worker::Counters counters = worker_->counters();
  EXPECT_EQ(counters.sessions, 0u);
  EXPECT_EQ(counters.graphs, 0u);
  EXPECT_EQ(counters.running, 0u);
  EXPECT_EQ(steps_->num_steps(), 0u);
  // The task may not have refused a late call of RecvTensor yet.
  EXPECT_TRUE(BecomesEmpty([this] { return recvs().size() == 0; }));
  ClearVariables();
  for (const auto& device : devices_->devices()) {
    // A thread may not have released the tensors of its call yet.
    EXPECT_TRUE(BecomesEmpty([&] {
      return device->allocator().stats().live_bytes == 0;
    })) << device->name()
        << ": " << device->allocator().stats().live_bytes;
  }
}

pb::RunGraphRequest RunRequest(const std::string& session,
                               const std::string& graph, int64_t step_id) {
  pb::RunGraphRequest request;
  request.set_session_handle(session);
  request.set_create_worker_session_called(!session.empty());
  request.set_graph_handle(graph);
  request.set_step_id(step_id);
  request.set_request_id(RandomStepId());
  request.set_store_errors_in_response_body(true);
  return request;
}

TestCluster::TestCluster(const std::vector<std::string>& jobs,
                         const ServerLimits& limits,
                         const std::string& costs_folder)
    : network_(std::make_shared<InProcessNetwork>(2, TestClock())) {
  ClusterSpec::Jobs addresses;
  for (size_t i = 0; i < jobs.size(); ++i) {
    addresses[jobs[i]] = {{0, AddressOf(i)}};
  }
  const ClusterSpec cluster = ClusterSpec::Create(addresses).value();
  for (const std::string& job : jobs) {
    tasks_.push_back(std::make_unique<TestTask>(
        TaskId{.job = job}, cluster, network_, limits, costs_folder));
  }
}

absl::Status TestCluster::CreateSession(const std::string& handle,
                                        bool isolated) {
  for (const auto& task : tasks_) {
    LEAT_RETURN_IF_ERROR(task->CreateSession(handle, isolated));
  }
  return absl::OkStatus();
}

void TestCluster::DeleteSession(const std::string& handle) {
  for (const auto& task : tasks_) {
    EXPECT_TRUE(task->DeleteSession(handle).ok());
  }
}

absl::StatusOr<RegisteredStep> TestCluster::Register(const std::string& session,
                                                     const Graph& graph,
                                                     StepSignature signature) {
  std::vector<DeviceInfo> devices;
  for (const auto& task : tasks_) {
    for (DeviceInfo& info : task->devices().Infos()) {
      devices.push_back(std::move(info));
    }
  }
  PrepareOptions options;
  options.policies = &BuiltinPolicies();
  LEAT_ASSIGN_OR_RETURN(const Graph prepared,
                        PrepareGraph(graph, devices, options));
  LEAT_ASSIGN_OR_RETURN(StepPlan plan,
                        PlanStep(prepared, std::move(signature), devices,
                                 {.bundles = kBundleLimits}));
  RegisteredStep step{.session = session,
                      .num_fetches = plan.signature.fetches.size()};
  for (Partition& partition : plan.partitions) {
    RegisteredStep::Part part;
    for (const auto& task : tasks_) {
      if (task->name() == partition.name) part.task = task.get();
    }
    LEAT_ASSIGN_OR_RETURN(
        part.boundary, ArgsToRecvs(plan.signature, devices, partition.graph));
    pb::GraphDef def;
    LEAT_RETURN_IF_ERROR(ExportGraphDef(
        partition.graph, def,
        {.assigned_devices = true, .strip_default_attrs = true}));
    LEAT_ASSIGN_OR_RETURN(part.graph, part.task->Register(session, def));
    step.parts.push_back(std::move(part));
  }
  return step;
}

void TestCluster::Deregister(const RegisteredStep& step) {
  for (const RegisteredStep::Part& part : step.parts) {
    EXPECT_TRUE(part.task->Deregister(step.session, part.graph).ok());
  }
}

std::vector<CallRef> TestCluster::Start(const RegisteredStep& step,
                                        int64_t step_id,
                                        const std::vector<Tensor>& feeds) {
  std::vector<CallRef> calls;
  for (const RegisteredStep::Part& part : step.parts) {
    pb::RunGraphRequest request = RunRequest(step.session, part.graph, step_id);
    WireTensors tensors;
    for (const BoundaryKey& feed : part.boundary.feeds) {
      tensors.push_back({feed.key, feeds[static_cast<size_t>(feed.index)]});
    }
    for (const BoundaryKey& fetch : part.boundary.fetches) {
      request.add_recv_key(fetch.key);
    }
    calls.push_back(
        part.task->Start(methods::kRunGraph, request, std::move(tensors)));
  }
  return calls;
}

absl::StatusOr<std::vector<Tensor>> TestCluster::Wait(
    const RegisteredStep& step, int64_t step_id,
    const std::vector<CallRef>& calls) {
  std::vector<Tensor> fetched(step.num_fetches);
  absl::Status error;
  std::vector<bool> taken(calls.size());
  const auto take = [&](size_t i) {
    RunAnswer answer = WaitForRun(*calls[i]);
    if (!answer.status.ok()) {
      if (error.ok() || (IsDerived(error) && !IsDerived(answer.status))) {
        error = answer.status;
      }
      for (const CallRef& other : calls) other->Cancel();
      return;
    }
    const std::vector<BoundaryKey>& fetches = step.parts[i].boundary.fetches;
    ASSERT_EQ(answer.tensors.size(), fetches.size());
    for (size_t k = 0; k < fetches.size(); ++k) {
      EXPECT_EQ(answer.tensors[k].name, fetches[k].key);
      fetched[static_cast<size_t>(fetches[k].index)] =
          std::move(answer.tensors[k].tensor);
    }
  };
  EXPECT_TRUE(Eventually([&] {
    for (size_t i = 0; i < calls.size(); ++i) {
      if (taken[i] || !calls[i]->is_done()) continue;
      taken[i] = true;
      take(i);
    }
    return std::find(taken.begin(), taken.end(), false) == taken.end();
  })) << "a step does not end";
  for (const RegisteredStep::Part& part : step.parts) {
    EXPECT_TRUE(part.task->CleanupGraph(step_id).ok());
  }
  if (!error.ok()) return error;
  return fetched;
}

absl::StatusOr<std::vector<Tensor>> TestCluster::Run(
    const RegisteredStep& step, int64_t step_id,
    const std::vector<Tensor>& feeds) {
  return Wait(step, step_id, Start(step, step_id, feeds));
}

void TestCluster::ExpectNothingLeft() {
  // A variable of one task may share memory with another task, because tensors
  // are sent within the process without copying. So all variables are cleared
  // first.
  for (const auto& task : tasks_) task->ClearVariables();
  for (const auto& task : tasks_) task->ExpectNothingLeft();
}

}  // namespace leat::testing
