// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Takes bytes as the requests of a master to a worker. The first two bytes are
// the length of a GraphDef to register. The GraphDef follows, and then a
// RunGraphRequest for it. Every run must end soon, take little memory, and
// report each problem as a Status. No graph, session or step may stay on the
// worker.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/core/random_id.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/wire/wire.h"
#include "leat/distributed/worker/worker.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/received_message.h"

namespace {

constexpr char kTask[] = "/job:ps/replica:0/task:0";
constexpr int64_t kMemoryBytes = int64_t{64} << 20;
// Is the deadline of each call. Without it, many steps would wait forever.
constexpr auto kStepTime = std::chrono::milliseconds(20);

leat::ServerLimits Limits() {
  leat::ServerLimits limits;
  limits.max_message_bytes = 1 << 20;
  limits.max_transport_bytes = 16 << 20;
  limits.import.max_nodes = 1000;
  limits.import.max_edges = 10'000;
  limits.import.max_functions = 100;
  limits.import.max_attr_bytes = 1 << 20;
  limits.import.max_total_attr_bytes = 4 << 20;
  limits.import.max_nesting = 10;
  limits.max_rendezvous_entries = 1000;
  return limits;
}

// A Task is a task of a cluster. All runs share one Task, because starting its
// threads takes longer than a run.
class Task {
 public:
  Task()
      : devices_(leat::DeviceSet::Create({.task = kTask,
                                          .num_cpus = 2,
                                          .num_threads = 1,
                                          .cpu_memory_bytes = kMemoryBytes})
                     .value()),
        peers_(leat::ClusterSpec(), transport_),
        receiver_(peers_, devices_->compute_queue(),
                  &leat::BuiltinOps().variants(), Limits().max_message_bytes),
        timers_("fuzz-timers"),
        blocking_(leat::NewThreadPool("fuzz-blocking", 1)),
        steps_(kTask, Limits(), timers_,
               [this](int64_t id) {
                 return std::make_shared<leat::StepOutbox>(
                     id, *devices_, Limits().max_rendezvous_entries);
               }),
        worker_({.task = kTask,
                 .devices = devices_.get(),
                 .ops = &leat::BuiltinOps(),
                 .kernels = &leat::BuiltinKernels(),
                 .steps = &steps_,
                 .peers = &peers_,
                 .receiver = &receiver_,
                 .timers = &timers_,
                 .blocking = blocking_.get(),
                 .limits = Limits()}) {
    worker_.AddMethods(methods_);
  }

  absl::StatusOr<leat::Payload> Call(const leat::Method& method,
                                     leat::Payload request) {
    auto context = std::make_shared<leat::CallContext>();
    context->deadline = std::chrono::steady_clock::now() + kStepTime;
    auto answer =
        std::make_shared<std::promise<absl::StatusOr<leat::Payload>>>();
    auto future = answer->get_future();
    methods_.Find(method.path)
        ->handler(context, std::move(request),
                  [answer](absl::StatusOr<leat::Payload> payload) {
                    answer->set_value(std::move(payload));
                  });
    return future.get();
  }
  absl::StatusOr<leat::Payload> Call(
      const leat::Method& method,
      const google::protobuf::MessageLite& request) {
    leat::Payload payload;
    payload.header = request.SerializeAsString();
    return Call(method, std::move(payload));
  }

  void CheckNothingLeft() {
    const leat::Worker::Counters counters = worker_.counters();
    LEAT_CHECK(counters.graphs == 0);
    LEAT_CHECK(counters.sessions == 0);
    LEAT_CHECK(counters.running == 0);
    LEAT_CHECK(steps_.num_steps() == 0);
  }

 private:
  const std::unique_ptr<leat::DeviceSet> devices_;
  // No call is made over this transport, because the cluster has no tasks.
  leat::testing::FakeTransport transport_;
  leat::Peers peers_;
  leat::TensorReceiver receiver_;
  leat::TimerQueue timers_;
  const std::unique_ptr<leat::WorkQueue> blocking_;
  leat::StepTable steps_;
  leat::Worker worker_;
  leat::MethodTable methods_;
};

std::string Register(Task& task, const std::string& session,
                     absl::string_view graph) {
  leat::pb::RegisterGraphRequest request;
  request.set_session_handle(session);
  request.set_create_worker_session_called(true);
  if (!request.mutable_graph_def()->ParseFromArray(
          graph.data(), static_cast<int>(graph.size()))) {
    return "";
  }
  const auto answer = task.Call(leat::methods::kRegisterGraph, request);
  if (!answer.ok()) return "";
  leat::pb::RegisterGraphResponse response;
  LEAT_CHECK(response.ParseFromString(answer->header));
  return response.graph_handle();
}

void Run(Task& task, const std::string& session, const std::string& graph,
         absl::string_view bytes) {
  leat::testing::ReceivedMessage message(bytes);
  auto payload = SplitPayload(message.Take(), leat::methods::kRunGraph.request);
  if (!payload.ok()) return;
  leat::pb::RunGraphRequest request;
  if (!request.ParseFromString(payload->header)) return;
  request.set_session_handle(session);
  request.set_create_worker_session_called(true);
  request.set_graph_handle(graph);
  request.set_step_id(leat::RandomStepId());
  request.set_request_id(0);
  payload->header = request.SerializeAsString();
  task.Call(leat::methods::kRunGraph, *std::move(payload)).IgnoreError();
  leat::pb::CleanupGraphRequest cleanup;
  cleanup.set_step_id(request.step_id());
  LEAT_CHECK(task.Call(leat::methods::kCleanupGraph, cleanup).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Task& task = *new Task;
  if (size < 2) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 2,
                                size - 2);
  const size_t graph_size = data[0] | size_t{data[1]} << 8;
  if (graph_size > bytes.size()) return 0;
  // Each run has its own session, so that no run depends on earlier runs.
  static int64_t last_session = 0;
  const std::string session = absl::StrCat("session ", ++last_session);
  leat::pb::CreateWorkerSessionRequest creation;
  creation.set_session_handle(session);
  creation.set_isolate_session_state(true);
  LEAT_CHECK(task.Call(leat::methods::kCreateWorkerSession, creation).ok());
  const std::string graph =
      Register(task, session, bytes.substr(0, graph_size));
  if (!graph.empty()) Run(task, session, graph, bytes.substr(graph_size));
  leat::pb::DeleteWorkerSessionRequest deletion;
  deletion.set_session_handle(session);
  LEAT_CHECK(task.Call(leat::methods::kDeleteWorkerSession, deletion).ok());
  task.CheckNothingLeft();
  return 0;
}
