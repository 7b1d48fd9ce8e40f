// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/hostile_peer.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/rendezvous.h"
#include "leat/graph/graph_def.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
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
                           methods::kFetchChunk,
                           methods::kTaskStatus};

// $0: the task. A step of "taken" waits for ever.
constexpr char kGraph[] = R"(
  node { name: "x" op: "Placeholder" device: "$0/device:CPU:0"
         attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Neg" input: "x" device: "$0/device:CPU:0"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "q" op: "FIFOQueueV2" device: "$0/device:CPU:0"
         attr { key: "shared_name" value { s: "of nobody" } }
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  node { name: "taken" op: "QueueDequeueV2" input: "q"
         device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
)";
// A part of a step that is fed with $1.
constexpr char kFedPart[] = R"(
  node { name: "x" op: "_Recv" device: "$0/device:CPU:0"
    attr { key: "tensor_type" value { type: DT_FLOAT } }
    attr { key: "tensor_name" value { s: "x" } }
    attr { key: "send_device" value { s: "$0/device:CPU:0" } }
    attr { key: "send_device_incarnation" value { i: $1 } }
    attr { key: "recv_device" value { s: "$0/device:CPU:0" } }
    attr { key: "client_terminated" value { b: true } } }
)";
constexpr char kWaitingPart[] = R"(
  node { name: "q" op: "FIFOQueueV2" device: "$0/device:CPU:0"
         attr { key: "shared_name" value { s: "of nobody" } }
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  node { name: "taken" op: "QueueDequeueV2" input: "q"
         device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
)";

bool IsOf(const Method& a, const Method& b) {
  return absl::string_view(a.path) == b.path;
}

pb::GraphDef GraphOf(const std::string& text) {
  pb::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
  graph.mutable_versions()->set_producer(kGraphDefVersion);
  return graph;
}

Payload PayloadOf(const google::protobuf::MessageLite& message) {
  return {.header = message.SerializeAsString()};
}

template <typename Request>
Payload InUnknownSession() {
  Request request;
  request.set_session_handle(RandomHandle());
  if constexpr (requires { request.set_create_worker_session_called(true); }) {
    request.set_create_worker_session_called(true);
  }
  return PayloadOf(request);
}

Payload OfUnknownStep() {
  pb::FetchChunkRequest request;
  request.set_step_id(RandomStepId());
  return PayloadOf(request);
}

}  // namespace

HostilePeer::HostilePeer(Transport& transport, std::string address,
                         std::string task, int64_t max_message_bytes)
    : transport_(transport),
      address_(std::move(address)),
      task_(std::move(task)),
      max_message_bytes_(max_message_bytes) {}

std::vector<HostilePeer::Attack> HostilePeer::Attacks() {
  return {
      {"garbage", &HostilePeer::SendGarbage},
      {"unknown handles", &HostilePeer::UseUnknownHandles},
      {"absent devices", &HostilePeer::SendGraphsForAbsentDevices},
      {"oversized messages", &HostilePeer::SendOversizedMessages},
      {"other types", &HostilePeer::FeedOtherTypesThanPromised},
      {"tensors that nobody sends", &HostilePeer::AskForTensorsThatNobodySends},
      {"vanishing", &HostilePeer::VanishMidCall}};
}

HostilePeer::Answers HostilePeer::Flood(int count,
                                        const std::function<Call(int i)>& make,
                                        bool vanishes) {
  struct Open {
    CallResult result = {};
    std::shared_ptr<Cancellation> cancellation =
        std::make_shared<Cancellation>();
  };
  std::deque<Open> open;
  Answers answers;
  for (int i = 0; i < count || !open.empty(); ++i) {
    if (i < count) {
      Call call = make(i);
      Open& one = open.emplace_back();
      transport_.Call(address_, call.method, std::move(call.request),
                      {.cancellation = one.cancellation}, one.result.Done());
      if (open.size() < kCallsAtATime && i + 1 < count) continue;
    }
    Open& oldest = open.front();
    // Some are under way there by now, some are not.
    if (vanishes) {
      if (i % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      oldest.cancellation->Cancel(absl::CancelledError("the peer is gone"));
    }
    const absl::Status status = oldest.result.Take().status();
    EXPECT_NE(status.code(), absl::StatusCode::kDataLoss) << "no answer";
    ++answers[status.code()];
    open.pop_front();
  }
  return answers;
}

Payload HostilePeer::Ask(Call call) {
  absl::StatusOr<Payload> answer =
      CallNow(transport_, address_, call.method, std::move(call.request));
  EXPECT_TRUE(answer.ok()) << call.method.path << ": " << answer.status();
  return answer.ok() ? *std::move(answer) : Payload();
}

std::string HostilePeer::CreateSession(const std::string& graph) {
  pb::CreateSessionRequest request;
  *request.mutable_graph_def() = GraphOf(graph);
  pb::CreateSessionResponse response;
  EXPECT_TRUE(response.ParseFromString(
      Ask({methods::kCreateSession, PayloadOf(request)}).header));
  return response.session_handle();
}

std::string HostilePeer::Register(const std::string& graph,
                                  std::string* session) {
  *session = RandomHandle();
  pb::CreateWorkerSessionRequest create;
  create.set_session_handle(*session);
  Ask({methods::kCreateWorkerSession, PayloadOf(create)});
  pb::RegisterGraphRequest request;
  request.set_session_handle(*session);
  request.set_create_worker_session_called(true);
  *request.mutable_graph_def() = GraphOf(graph);
  pb::RegisterGraphResponse response;
  EXPECT_TRUE(response.ParseFromString(
      Ask({methods::kRegisterGraph, PayloadOf(request)}).header));
  return response.graph_handle();
}

void HostilePeer::DeleteSession(const std::string& session) {
  pb::DeleteWorkerSessionRequest request;
  request.set_session_handle(session);
  Ask({methods::kDeleteWorkerSession, PayloadOf(request)});
}

uint64_t HostilePeer::Incarnation() {
  pb::GetStatusResponse status;
  EXPECT_TRUE(status.ParseFromString(
      Ask({methods::kGetStatus, PayloadOf(pb::GetStatusRequest())}).header));
  return status.device_attributes_size() == 0
             ? 0
             : status.device_attributes(0).incarnation();
}

HostilePeer::Answers HostilePeer::SendGarbage(int count) {
  return Flood(count, [this](int i) {
    std::string bytes(1 + random_() % 200, '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    const Method& method =
        kMethods[static_cast<size_t>(i) % std::size(kMethods)];
    if (IsOf(method, methods::kCreateWorkerSession) ||
        IsOf(method, methods::kRegisterGraph)) {
      // What could be a message would make something that stays.
      bytes[0] = 0x0f;
    } else if (i % 3 == 0 && bytes.size() > 2) {
      // Begins as a message would.
      for (char& c : bytes) c &= 0x7f;
      bytes[0] = 0x0a;
      bytes[1] %= 100;
    }
    return Call{method, {.header = std::move(bytes)}};
  });
}

HostilePeer::Answers HostilePeer::UseUnknownHandles(int count) {
  static constexpr struct {
    Method method;
    Payload (*request)();
  } kUses[] = {
      {methods::kRunStep, InUnknownSession<pb::RunStepRequest>},
      {methods::kRunCallable, InUnknownSession<pb::RunCallableRequest>},
      {methods::kCloseSession, InUnknownSession<pb::CloseSessionRequest>},
      {methods::kListDevices, InUnknownSession<pb::ListDevicesRequest>},
      {methods::kExtendSession, InUnknownSession<pb::ExtendSessionRequest>},
      {methods::kRegisterGraph, InUnknownSession<pb::RegisterGraphRequest>},
      {methods::kRunGraph, InUnknownSession<pb::RunGraphRequest>},
      {methods::kDeregisterGraph, InUnknownSession<pb::DeregisterGraphRequest>},
      {methods::kFetchChunk, OfUnknownStep}};
  return Flood(count, [](int i) -> Call {
    const auto& use = kUses[static_cast<size_t>(i) % std::size(kUses)];
    return {use.method, use.request()};
  });
}

HostilePeer::Answers HostilePeer::SendGraphsForAbsentDevices(int count) {
  std::string session;
  Register(
      absl::Substitute(kFedPart, task_, static_cast<int64_t>(Incarnation())),
      &session);
  Answers answers = Flood(count, [&session, this](int i) -> Call {
    const std::string device =
        i % 4 < 2 ? "/job:nobody/replica:0/task:3" : absl::StrCat(task_, "7");
    if (i % 2 == 0) {
      pb::CreateSessionRequest request;
      *request.mutable_graph_def() = GraphOf(absl::Substitute(kGraph, device));
      return {methods::kCreateSession, PayloadOf(request)};
    }
    pb::RegisterGraphRequest request;
    request.set_session_handle(session);
    request.set_create_worker_session_called(true);
    *request.mutable_graph_def() =
        GraphOf(absl::Substitute(kWaitingPart, device));
    return {methods::kRegisterGraph, PayloadOf(request)};
  });
  DeleteSession(session);
  return answers;
}

HostilePeer::Answers HostilePeer::SendOversizedMessages(int count) {
  const std::string header(static_cast<size_t>(max_message_bytes_) + 1, 'x');
  const Tensor tensor = Tensor::Filled(Shape{max_message_bytes_ / 4 + 1}, 1.0f);
  return Flood(count, [&](int i) -> Call {
    if (i % 2 == 0) return {methods::kCreateSession, {.header = header}};
    Call call{methods::kRunStep, {}};
    call.request.tensors.push_back({.name = "x", .tensor = tensor});
    return call;
  });
}

HostilePeer::Answers HostilePeer::FeedOtherTypesThanPromised(int count) {
  const std::string session = CreateSession(absl::Substitute(kGraph, task_));
  const uint64_t incarnation = Incarnation();
  std::string worker_session;
  const std::string graph = Register(
      absl::Substitute(kFedPart, task_, static_cast<int64_t>(incarnation)),
      &worker_session);
  const std::string device = absl::StrCat(task_, "/device:CPU:0");
  const std::string key = RendezvousKey{.send_device = device,
                                        .send_incarnation = incarnation,
                                        .recv_device = device,
                                        .tensor_name = "x"}
                              .ToString();
  Answers answers = Flood(count, [&](int i) -> Call {
    Call call;
    if (i % 2 == 0) {
      pb::RunStepRequest request;
      request.set_session_handle(session);
      request.add_fetch("y:0");
      call = {methods::kRunStep, PayloadOf(request)};
      call.request.tensors.push_back(
          {.name = "x:0", .tensor = Tensor::Scalar(int32_t{1})});
    } else {
      pb::RunGraphRequest request;
      request.set_session_handle(worker_session);
      request.set_create_worker_session_called(true);
      request.set_graph_handle(graph);
      request.set_step_id(RandomStepId());
      call = {methods::kRunGraph, PayloadOf(request)};
      call.request.tensors.push_back(
          {.name = key, .tensor = Tensor::Scalar(int64_t{1})});
    }
    return call;
  });
  DeleteSession(worker_session);
  pb::CloseSessionRequest close;
  close.set_session_handle(session);
  Ask({methods::kCloseSession, PayloadOf(close)});
  return answers;
}

HostilePeer::Answers HostilePeer::AskForTensorsThatNobodySends(int count) {
  const uint64_t incarnation = Incarnation();
  const std::string device = absl::StrCat(task_, "/device:CPU:0");
  return Flood(
      count,
      [&](int i) -> Call {
        pb::RecvTensorRequest request;
        request.set_step_id(RandomStepId());
        request.set_request_id(RandomStepId());
        request.set_rendezvous_key(
            RendezvousKey{.send_device = device,
                          .send_incarnation = incarnation,
                          .recv_device = "/job:x/replica:0/task:0/device:CPU:0",
                          .tensor_name = absl::StrCat("t", i)}
                .ToString());
        return {methods::kRecvTensor, PayloadOf(request)};
      },
      /*vanishes=*/true);
}

HostilePeer::Answers HostilePeer::VanishMidCall(int count) {
  const std::string graph_text = absl::Substitute(kGraph, task_);
  const std::string session = CreateSession(graph_text);
  std::string worker_session;
  const std::string graph =
      Register(absl::Substitute(kWaitingPart, task_), &worker_session);
  Answers answers = Flood(
      count,
      [&](int i) -> Call {
        if (i % 10 == 0) {
          pb::CreateSessionRequest request;
          *request.mutable_graph_def() = GraphOf(graph_text);
          return {methods::kCreateSession, PayloadOf(request)};
        }
        if (i % 2 == 0) {
          pb::RunStepRequest request;
          request.set_session_handle(session);
          request.add_fetch("taken:0");
          return {methods::kRunStep, PayloadOf(request)};
        }
        pb::RunGraphRequest request;
        request.set_session_handle(worker_session);
        request.set_create_worker_session_called(true);
        request.set_graph_handle(graph);
        request.set_step_id(RandomStepId());
        return {methods::kRunGraph, PayloadOf(request)};
      },
      /*vanishes=*/true);
  DeleteSession(worker_session);
  pb::CloseSessionRequest close;
  close.set_session_handle(session);
  Ask({methods::kCloseSession, PayloadOf(close)});
  return answers;
}

}  // namespace leat::testing
