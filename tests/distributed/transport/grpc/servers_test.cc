// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests servers that communicate over real sockets: what happens when
// connections are lost, and how the memory of received tensors is limited.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/ops.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/raw_connection.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/tcp_proxy.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/testing/test_service.h"

namespace leat::servers_test {
namespace {

using ::leat::testing::CallNow;
using ::leat::testing::Eventually;
using ::leat::testing::PayloadOf;
using ::leat::testing::RawConnection;
using ::leat::testing::TaskClient;
using ::leat::testing::TcpProxy;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = absl::StatusCode;

class GrpcServersTest : public ::testing::Test {
 protected:
  std::unique_ptr<Server> Start(const std::string& job,
                                const ServerLimits& limits = {},
                                const ServerIntervals& intervals = {}) {
    const auto cluster = ClusterSpec::Create(
        {{"ps", {{0, absl::StrCat("unix:", folder_.Path("ps"))}}},
         {"worker", {{0, absl::StrCat("unix:", folder_.Path("worker"))}}}});
    EXPECT_TRUE(cluster.ok()) << cluster.status();
    auto server =
        Server::Start({.config = {.cluster = *cluster, .task = {.job = job}},
                       .bind = job == "worker" ? "127.0.0.1:0" : "",
                       .devices = {.num_threads = 2},
                       .limits = limits,
                       .intervals = intervals});
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : nullptr;
  }
  static std::string CreateSession(TaskClient& client, GraphBuilder& b) {
    pb::CreateSessionRequest request;
    EXPECT_TRUE(ExportGraphDef(*b.Build(), *request.mutable_graph_def()).ok());
    pb::CreateSessionResponse response;
    const absl::Status created =
        client.Call(methods::kCreateSession, request, response);
    EXPECT_TRUE(created.ok()) << created;
    return response.session_handle();
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
};

TEST_F(GrpcServersTest, AStepWhoseClientLosesItsConnectionEnds) {
  const auto ps = Start("ps");
  const auto worker =
      Start("worker", {.session_idle = std::chrono::seconds(5)});
  TcpProxy network(worker->address());
  TaskClient client(*transport_, network.address());
  GraphBuilder b;
  Output taken;
  {
    const Scope on_ps = b.OnDevice("/job:ps/task:0");
    taken = op::QueueDequeueV2(op::FIFOQueueV2(b, {DType::kFloat}),
                               {DType::kFloat})[0];
  }
  pb::RunStepRequest step;
  step.set_session_handle(CreateSession(client, b));
  step.add_fetch(taken.name());
  const auto call = client.Start(methods::kRunStep, step);
  ASSERT_TRUE(Eventually([&] { return ps->counters().running == 1; }));
  network.Close();
  EXPECT_EQ(call->Wait().status().code(), Code::kUnavailable);
  EXPECT_TRUE(Eventually([&] {
    const ServerCounters left = ps->counters();
    return left.running + left.steps + left.rendezvous == 0;
  }));
  // The client is destroyed and has not closed its session, so the session must
  // end because it is idle.
  EXPECT_TRUE(Eventually([&] {
    return worker->counters().master_sessions == 0 &&
           ps->counters().sessions == 0;
  }));
}

TEST_F(GrpcServersTest, SaysThatItAcceptsNoConnections) {
  const auto worker =
      Start("worker", {.max_connections = 2, .max_connections_per_address = 2});
  const auto health = [&] {
    const auto said = CallNow(*transport_, worker->address(),
                              {"/grpc.health.v1.Health/Check"});
    return said.ok() ? said->header : said.status().ToString();
  };
  const auto connections = [&] {
    pb::TaskStatusResponse status;
    TaskClient client(*transport_, worker->address());
    EXPECT_TRUE(
        client.Call(methods::kTaskStatus, pb::TaskStatusRequest(), status)
            .ok());
    return status.connections();
  };
  EXPECT_EQ(health(), "\x08\x01");  // SERVING
  EXPECT_EQ(connections().open(), 1);
  EXPECT_EQ(connections().max(), 2);
  auto second = std::make_unique<RawConnection>(worker->address());
  EXPECT_TRUE(Eventually([&] { return health() == "\x08\x02"; }));
  EXPECT_EQ(connections().problem(),
            "2 connections are open (--max-connections)");
  const RawConnection third(worker->address());
  EXPECT_TRUE(Eventually([&] { return connections().refused() == 1; }));
  second.reset();
  EXPECT_TRUE(Eventually([&] { return health() == "\x08\x01"; }));
  EXPECT_EQ(connections().open(), 1);
  EXPECT_EQ(connections().problem(), "");
}

TEST_F(GrpcServersTest, ClosesConnectionsThatSayNothing) {
  // Pings would also end the silent connections. So the interval of pings is so
  // long that none is sent.
  const auto worker =
      Start("worker", {.handshake_timeout = std::chrono::milliseconds(100)},
            {.connection = {.ping_interval = std::chrono::minutes(10)}});
  RawConnection silent(worker->address());
  RawConnection slow(worker->address());
  slow.Send("PRI * HT");
  EXPECT_TRUE(silent.IsClosedByPeer());
  EXPECT_TRUE(slow.IsClosedByPeer());
}

TEST_F(GrpcServersTest, RefusesWhatItHasNoRoomForBeforeItComes) {
  const auto worker = Start("worker", {.max_message_bytes = 32 << 20,
                                       .max_transport_bytes = 16 << 20});
  const auto call = [&](int64_t bytes) {
    const WireTensors tensors = {
        {"x", Tensor::Filled<float>(Shape({bytes / 4}), 1)}};
    return std::string(CallNow(*transport_, worker->address(),
                               methods::kRunStep, PayloadOf("", tensors))
                           .status()
                           .message());
  };
  EXPECT_THAT(call(24 << 20),
              HasSubstr("there is no room for a request of 25"));
  EXPECT_THAT(call(24 << 20), HasSubstr("(--max-transport-bytes)"));
  EXPECT_THAT(call(40 << 20), HasSubstr("--max-message-bytes"));
  // This request is received. It is refused because it names no session.
  EXPECT_THAT(call(2 << 20), Not(HasSubstr("bytes)")));
}

// A small request that is refused for lack of memory gets ABORTED, and the
// client may try again. RESOURCE_EXHAUSTED would mean that the request itself
// is too large, and a training program would end.
TEST_F(GrpcServersTest, SmallRequestsAreNotBlamedForTheRoomThatOthersTake) {
  const auto worker = Start("worker", {.max_transport_bytes = 4 << 20});
  const WireTensors tensors = {
      {"x", Tensor::Filled<float>(Shape({1 << 19}), 1)}};
  std::atomic<bool> is_over = false;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      while (!is_over) {
        CallNow(*transport_, worker->address(), methods::kRunStep,
                PayloadOf("", tensors))
            .status()
            .IgnoreError();
      }
    });
  }
  int num_crowded_out = 0;
  EXPECT_TRUE(Eventually([&] {
    const absl::Status status =
        CallNow(*transport_, worker->address(), methods::kHealthCheck).status();
    EXPECT_NE(status.code(), absl::StatusCode::kResourceExhausted) << status;
    if (absl::IsAborted(status)) {
      ++num_crowded_out;
      EXPECT_THAT(status.message(), HasSubstr("--max-transport-bytes)"));
    }
    return num_crowded_out == 3;
  }));
  is_over = true;
  for (std::thread& caller : callers) caller.join();
}

// When the quota is nearly used up, bytes that were received are freed on
// threads that gRPC did not start.
TEST_F(GrpcServersTest, SurvivesRequestsThatUseUpItsQuota) {
  const auto worker = Start("worker", {.max_transport_bytes = 4 << 20});
  const WireTensors tensors = {
      {"x", Tensor::Filled<float>(Shape({1 << 19}), 1)}};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 100; ++call) {
        // Each request fails: either there is no room for it, or it names no
        // session.
        EXPECT_FALSE(CallNow(*transport_, worker->address(), methods::kRunStep,
                             PayloadOf("", tensors))
                         .ok());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(
      CallNow(*transport_, worker->address(), methods::kHealthCheck).ok());
}

TEST_F(GrpcServersTest, TellsItsHealthWhileItStops) {
  const auto ps = Start("ps");
  const auto worker = Start("worker");
  TaskClient client(*transport_, worker->address());
  const auto health = [&] {
    const auto said = CallNow(*transport_, worker->address(),
                              {"/grpc.health.v1.Health/Check"});
    return said.ok() ? said->header : said.status().ToString();
  };
  GraphBuilder b;
  const Output taken = op::QueueDequeueV2(op::FIFOQueueV2(b, {DType::kFloat}),
                                          {DType::kFloat})[0];
  pb::RunStepRequest step;
  step.set_session_handle(CreateSession(client, b));
  step.add_fetch(taken.name());
  const auto call = client.Start(methods::kRunStep, step);
  ASSERT_TRUE(Eventually([&] {
    return ps->counters().running + worker->counters().running == 1;
  }));
  EXPECT_EQ(health(), "\x08\x01");  // SERVING
  std::thread stop([&] { worker->Stop(std::chrono::hours(1)); });
  EXPECT_TRUE(Eventually([&] { return health() == "\x08\x02"; }));
  EXPECT_FALSE(call->is_done());
  pb::CloseSessionRequest close;
  close.set_session_handle(step.session_handle());
  EXPECT_TRUE(client.Start(methods::kCloseSession, close)->Wait().ok());
  EXPECT_FALSE(call->Wait().ok());
  stop.join();
}

TEST_F(GrpcServersTest, ASessionWhoseClientLosesItsConnectionIsNotMade) {
  const auto worker = Start("worker");  // waits for the ps
  TcpProxy network(worker->address());
  TaskClient client(*transport_, network.address());
  GraphBuilder b;
  b.Const(1.0f);
  pb::CreateSessionRequest request;
  EXPECT_TRUE(ExportGraphDef(*b.Build(), *request.mutable_graph_def()).ok());
  const auto call = client.Start(methods::kCreateSession, request);
  ASSERT_TRUE(Eventually([&] { return network.num_accepted() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(call->is_done());
  network.Close();
  EXPECT_EQ(call->Wait().status().code(), Code::kUnavailable);
  // If the server did not notice that the connection was lost, its handler
  // would wait for the ps for a minute, and Stop would wait for the handler.
  const auto begun = std::chrono::steady_clock::now();
  worker->Stop(std::chrono::hours(1));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

// Tensors that come from clients and from peers are charged to the session.
class GrpcSessionBytesTest : public GrpcServersTest {
 protected:
  static constexpr int64_t kLimit = 2'000'000;
  static constexpr int64_t kElements = 300'000;  // of 4 bytes

  GrpcSessionBytesTest() {
    Output a, c;
    {
      const Scope on_ps = b_.OnDevice("/job:ps/task:0");
      size_ = b_.Placeholder<int32_t>("size", PartialShape{1});
      a = made_ = op::Fill(size_, b_.Const(1.0f));
      c = op::Fill(size_, b_.Const(2.0f));
    }
    const Scope on_worker = b_.OnDevice("/job:worker/task:0");
    one_ = op::Sum(a, {0});
    both_ = op::Sum(a * c, {0});
    fed_ = b_.Placeholder<float>("fed", PartialShape{-1});
    of_fed_ = op::Sum(fed_, {0});
  }
  std::shared_ptr<Session> NewSession() {
    auto session = NewRemoteSession(*b_.Build(), worker_->target());
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  absl::Status Pull(Session& session, const Output& fetch) {
    return session
        .Run({.feeds = {{size_, Tensor::Vector<int32_t>({kElements})}},
              .fetches = {fetch}})
        .status();
  }
  absl::Status Give(Session& session, int64_t elements) {
    return session
        .Run({.feeds = {{fed_, Tensor::Filled(Shape{elements}, 1.0f)}},
              .fetches = {of_fed_}})
        .status();
  }
  static void ExpectRefused(const absl::Status& status) {
    EXPECT_EQ(status.code(), Code::kResourceExhausted) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("--max-session-bytes"));
  }

  GraphBuilder b_;
  Output size_, made_, one_, both_, fed_, of_fed_;
  const std::unique_ptr<Server> ps_ = Start("ps");
  const std::unique_ptr<Server> worker_ =
      Start("worker", {.max_session_bytes = kLimit});
};

TEST_F(GrpcSessionBytesTest, CountWhatIsReceived) {
  auto session = NewSession();
  auto other = NewSession();
  EXPECT_TRUE(Pull(*session, one_).ok());
  ExpectRefused(Pull(*session, both_));
  EXPECT_TRUE(Pull(*other, one_).ok());
  EXPECT_TRUE(Pull(*session, one_).ok());
}

// The worker is the master and counts the fetched bytes. The parameter server
// has no limit.
TEST_F(GrpcSessionBytesTest, CountWhatIsFetched) {
  auto session = NewSession();
  const auto fetch = [&](int32_t elements) {
    return session
        ->Run({.feeds = {{size_, Tensor::Vector<int32_t>({elements})}},
               .fetches = {made_}})
        .status();
  };
  ExpectRefused(fetch(2 * kElements));
  EXPECT_TRUE(fetch(kElements).ok());
}

TEST_F(GrpcSessionBytesTest, CountWhatIsFed) {
  auto session = NewSession();
  auto other = NewSession();
  EXPECT_TRUE(Give(*session, kElements).ok());
  ExpectRefused(Give(*session, 2 * kElements));
  EXPECT_TRUE(Give(*other, kElements).ok());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Give(*session, kElements).ok());
}

TEST_F(GrpcSessionBytesTest, CountWhatOpenPartialRunsHold) {
  const Scope on_worker = b_.OnDevice("/job:worker/task:0");
  const Output later = b_.Placeholder<float>("later", PartialShape(Shape{}));
  const Output held = fed_ * later;
  auto session = NewSession();
  const auto start = [&] {
    auto run =
        session->StartPartialRun({.feeds = {fed_, later}, .fetches = {held}});
    EXPECT_TRUE(run.ok()) << run.status();
    return *std::move(run);
  };
  const std::vector<Feed> feed = {
      {fed_, Tensor::Filled(Shape{kElements}, 1.0f)}};
  const PartialRun first = start();
  EXPECT_EQ(first.Feed(feed), absl::OkStatus());
  ExpectRefused(start().Feed(feed));
  EXPECT_EQ(first.Finish(), absl::OkStatus());
  EXPECT_EQ(start().Feed(feed), absl::OkStatus());
}

}  // namespace
}  // namespace leat::servers_test
