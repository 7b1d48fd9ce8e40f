// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/hostile_peer.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/random_id.h"
#include "leat/core/tensor.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/protos/graph.pb.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/testing/task_sessions.h"
#include "leat/tests/testing/test_service.h"

namespace leat::testing {
namespace {

constexpr size_t kCallsAtATime = 32;

const Method kMethods[] = {methods::kCreateSession,
                           methods::kExtendSession,
                           methods::kPartialRunSetup,
                           methods::kRunStep,
                           methods::kCloseSession,
                           methods::kListDevices,
                           methods::kMakeCallable,
                           methods::kRunCallable,
                           methods::kReleaseCallable,
                           methods::kGetStatus,
                           methods::kCreateWorkerSession,
                           methods::kDeleteWorkerSession,
                           methods::kRegisterGraph,
                           methods::kDeregisterGraph,
                           methods::kRunGraph,
                           methods::kCleanupGraph,
                           methods::kRecvTensor,
                           methods::kMarkRecvFinished,
                           methods::kLogging,
                           methods::kTracing,
                           methods::kRecvTensors,
                           methods::kFetchChunk,
                           methods::kTaskStatus};

// $0 is the task.
constexpr char kGraph[] = R"(
  node { name: "x" op: "Placeholder" device: "$0/device:CPU:0"
         attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Neg" input: "x" device: "$0/device:CPU:0"
         attr { key: "T" value { type: DT_FLOAT } } }
)";
constexpr char kExtension[] = R"(
  node { name: "more" op: "NoOp" device: "$0/device:CPU:0" }
)";
// Is the part of a step that is fed with x. $0 is the task, and $1 is the
// incarnation of its device.
constexpr char kFedPart[] = R"(
  node { name: "x" op: "_Recv" device: "$0/device:CPU:0"
    attr { key: "tensor_type" value { type: DT_FLOAT } }
    attr { key: "tensor_name" value { s: "x" } }
    attr { key: "send_device" value { s: "$0/device:CPU:0" } }
    attr { key: "send_device_incarnation" value { i: $1 } }
    attr { key: "recv_device" value { s: "$0/device:CPU:0" } }
    attr { key: "client_terminated" value { b: true } } }
)";

bool IsOf(const Method& a, const Method& b) {
  return absl::string_view(a.path) == b.path;
}

std::string FedPart(const std::string& task, uint64_t incarnation) {
  return absl::Substitute(kFedPart, task, static_cast<int64_t>(incarnation));
}

// Returns the rendezvous key under which kFedPart is fed.
std::string FeedKey(const std::string& task, uint64_t incarnation) {
  const std::string device = absl::StrCat(task, "/device:CPU:0");
  return RendezvousKey{.send_device = device,
                       .send_incarnation = incarnation,
                       .recv_device = device,
                       .tensor_name = "x"}
      .ToString();
}

pb::GraphDef GraphOf(int num_nodes) {
  pb::GraphDef graph = GraphDefOf("");
  for (int i = 0; i < num_nodes; ++i) {
    pb::NodeDef& node = *graph.add_node();
    node.set_name(absl::StrCat("n", i));
    node.set_op("NoOp");
  }
  return graph;
}

// Returns a request to extend a session whose graph has not been extended yet.
pb::ExtendSessionRequest ExtensionOf(const ClientSession& session,
                                     const pb::GraphDef& graph) {
  pb::ExtendSessionRequest request;
  request.set_session_handle(session.handle());
  *request.mutable_graph_def() = graph;
  return request;
}

template <typename Request>
Payload InUnknownSession(const std::string&) {
  Request request;
  request.set_session_handle(RandomHandle());
  if constexpr (requires { request.set_create_worker_session_called(true); }) {
    request.set_create_worker_session_called(true);
  }
  return ToPayload(request);
}

template <typename Request>
Payload OfUnknownCallable(const std::string& session) {
  Request request;
  request.set_session_handle(session);
  request.set_handle(RandomStepId());
  return ToPayload(request);
}

Payload OfUnknownStep(const std::string&) {
  pb::FetchChunkRequest request;
  request.set_step_id(RandomStepId());
  return ToPayload(request);
}

}  // namespace

HostilePeer::HostilePeer(Transport& transport, std::string address,
                         std::string task, int64_t max_message_bytes)
    : transport_(transport),
      address_(std::move(address)),
      task_(std::move(task)),
      max_message_bytes_(max_message_bytes),
      client_(transport_, address_) {}

HostilePeer::Answers HostilePeer::Flood(
    int count, const std::function<MethodCall(int i)>& make, bool vanishes) {
  struct Open {
    CallResult result = {};
    std::shared_ptr<Cancellation> cancellation =
        std::make_shared<Cancellation>();
  };
  std::deque<Open> open;
  Answers answers;
  for (int i = 0; i < count || !open.empty(); ++i) {
    if (i < count) {
      MethodCall call = make(i);
      Open& one = open.emplace_back();
      transport_.Call(address_, call.method, std::move(call.request),
                      {.cancellation = one.cancellation}, one.result.Done());
      if (open.size() < kCallsAtATime && i + 1 < count) continue;
    }
    Open& oldest = open.front();
    // By now, some of the calls have reached the task, and some have not.
    if (vanishes) {
      if (i % 7 == 0) std::this_thread::yield();
      oldest.cancellation->Cancel(absl::CancelledError("the peer is gone"));
    }
    const absl::Status status = oldest.result.Take().status();
    EXPECT_NE(status.code(), absl::StatusCode::kDataLoss) << "no answer";
    ++answers[status.code()];
    open.pop_front();
  }
  return answers;
}

HostilePeer::Answers HostilePeer::SendGarbage(int count) {
  return Flood(count, [this](int i) {
    std::string bytes(1 + random_() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    const Method& method =
        kMethods[static_cast<size_t>(i) % std::size(kMethods)];
    if (IsOf(method, methods::kCreateWorkerSession) ||
        IsOf(method, methods::kRegisterGraph)) {
      // A valid message to these methods would create something that stays on
      // the task. No message begins with this tag.
      bytes[0] = 0x0f;
    } else if (i % 3 == 0 && bytes.size() > 2) {
      // Begins as a message would: with field 1 and a short length.
      for (char& c : bytes) c &= 0x7f;
      bytes[0] = 0x0a;
      bytes[1] %= 100;
    }
    return MethodCall{method, {.header = std::move(bytes)}};
  });
}

HostilePeer::Answers HostilePeer::UseUnknownHandles(int count) {
  static constexpr struct {
    Method method;
    Payload (*request)(const std::string& session);
  } kUses[] = {
      {methods::kRunStep, InUnknownSession<pb::RunStepRequest>},
      {methods::kMakeCallable, InUnknownSession<pb::MakeCallableRequest>},
      {methods::kRunCallable, InUnknownSession<pb::RunCallableRequest>},
      {methods::kReleaseCallable, InUnknownSession<pb::ReleaseCallableRequest>},
      {methods::kCloseSession, InUnknownSession<pb::CloseSessionRequest>},
      {methods::kListDevices, InUnknownSession<pb::ListDevicesRequest>},
      {methods::kExtendSession, InUnknownSession<pb::ExtendSessionRequest>},
      {methods::kRunCallable, OfUnknownCallable<pb::RunCallableRequest>},
      {methods::kReleaseCallable,
       OfUnknownCallable<pb::ReleaseCallableRequest>},
      {methods::kRegisterGraph, InUnknownSession<pb::RegisterGraphRequest>},
      {methods::kRunGraph, InUnknownSession<pb::RunGraphRequest>},
      {methods::kDeregisterGraph, InUnknownSession<pb::DeregisterGraphRequest>},
      {methods::kFetchChunk, OfUnknownStep}};
  const ClientSession session(client_, absl::Substitute(kGraph, task_));
  return Flood(count, [&session](int i) -> MethodCall {
    const auto& use = kUses[static_cast<size_t>(i) % std::size(kUses)];
    return {use.method, use.request(session.handle())};
  });
}

HostilePeer::Answers HostilePeer::SendGraphsForAbsentDevices(int count) {
  const ClientSession of_client(client_, absl::Substitute(kGraph, task_));
  const RegisteredSession of_master(client_,
                                    FedPart(task_, client_.Incarnation()));
  return Flood(count, [&](int i) -> MethodCall {
    const std::string task =
        i % 2 == 0 ? "/job:nobody/replica:0/task:3" : absl::StrCat(task_, "7");
    const std::string graph = absl::Substitute(kGraph, task);
    switch (i / 2 % 4) {
      case 0:  // rare, because few extensions may wait in a session
        return {methods::kExtendSession,
                ToPayload(ExtensionOf(of_client, GraphDefOf(absl::Substitute(
                                                     kExtension, task))))};
      case 1:
        return {methods::kRegisterGraph,
                ToPayload(of_master.GraphRequest(GraphDefOf(graph)))};
      default:
        return {methods::kCreateSession,
                ToPayload(CreateSessionRequestOf(graph))};
    }
  });
}

HostilePeer::Answers HostilePeer::SendOversizedMessages(int count) {
  const std::string header(static_cast<size_t>(max_message_bytes_) + 1, 'x');
  const Tensor tensor = Tensor::Filled(Shape{max_message_bytes_ / 4 + 1}, 1.0f);
  return Flood(count, [&](int i) -> MethodCall {
    MethodCall call;
    switch (i % 4) {
      case 0:
        return {methods::kCreateSession, {.header = header}};
      case 1:
        return {methods::kRegisterGraph, {.header = header}};
      case 2:
        call.method = methods::kRunStep;
        break;
      default:
        call.method = methods::kRunGraph;
        break;
    }
    call.request.tensors.push_back({.name = "x", .tensor = tensor});
    return call;
  });
}

HostilePeer::Answers HostilePeer::SendOversizedGraphs(int count) {
  const pb::GraphDef graph = GraphOf(kOversizedGraphNodes);
  pb::CreateSessionRequest create;
  *create.mutable_graph_def() = graph;
  const ClientSession of_client(client_, absl::Substitute(kGraph, task_));
  const RegisteredSession of_master(client_,
                                    FedPart(task_, client_.Incarnation()));
  const pb::ExtendSessionRequest extend = ExtensionOf(of_client, graph);
  const pb::RegisterGraphRequest add = of_master.GraphRequest(graph);
  return Flood(count, [&](int i) -> MethodCall {
    switch (i % 3) {
      case 0:
        return {methods::kCreateSession, ToPayload(create)};
      case 1:
        return {methods::kExtendSession, ToPayload(extend)};
      default:
        return {methods::kRegisterGraph, ToPayload(add)};
    }
  });
}

HostilePeer::Answers HostilePeer::FeedOtherTypesThanPromised(int count) {
  const uint64_t incarnation = client_.Incarnation();
  ClientSession of_client(client_, absl::Substitute(kGraph, task_));
  const int64_t callable = of_client.MakeCallable("x:0", "y:0");
  const RegisteredSession of_master(client_, FedPart(task_, incarnation));
  const std::string key = FeedKey(task_, incarnation);
  return Flood(count, [&](int i) -> MethodCall {
    MethodCall call;
    WireTensor feed{.tensor = Tensor::Scalar(int32_t{1})};
    switch (i % 3) {
      case 0:
        call = {methods::kRunStep, ToPayload(of_client.StepRequest("y:0"))};
        feed.name = "x:0";
        break;
      case 1:
        call = {methods::kRunCallable,
                ToPayload(of_client.CallableRequest(callable))};
        break;
      default:
        call = {methods::kRunGraph, ToPayload(of_master.StepRequest())};
        feed.name = key;
        break;
    }
    call.request.tensors.push_back(std::move(feed));
    return call;
  });
}

HostilePeer::Answers HostilePeer::AskForTensorsThatNobodySends(int count) {
  const uint64_t incarnation = client_.Incarnation();
  return Flood(
      count, [&](int) { return RecvThatNobodySends(task_, incarnation); },
      /*vanishes=*/true);
}

HostilePeer::Answers HostilePeer::VanishMidCall(int count) {
  const EndlessCalls calls(transport_, address_, task_);
  const pb::CreateSessionRequest create =
      CreateSessionRequestOf(absl::Substitute(kGraph, task_));
  return Flood(
      count,
      [&](int i) -> MethodCall {
        if (i % 10 > 0) return calls.Make(i);
        return {methods::kCreateSession, ToPayload(create)};
      },
      /*vanishes=*/true);
}

}  // namespace leat::testing
