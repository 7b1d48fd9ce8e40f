// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how many calls a step takes, because each call costs as much as
// hundreds of ops.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/distributed/transport/transport.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::rpc_counts_test {
namespace {

using ::testing::ElementsAre;
using testing::Eventually;
using testing::InProcessNetwork;
using ::testing::Pair;
using testing::SimulatedClock;

// Counts the calls of all transports that NewCounting makes, by the last part
// of the method's path. All tests share one object, because a transport factory
// is a plain function.
class Calls {
 public:
  void Add(absl::string_view path) {
    MutexLock lock(mutex_);
    ++calls_[std::string(path.substr(path.rfind('/') + 1))];
  }
  void Clear() {
    MutexLock lock(mutex_);
    calls_.clear();
  }
  std::map<std::string, int> Get() const {
    MutexLock lock(mutex_);
    return calls_;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, int> calls_ ABSL_GUARDED_BY(mutex_);
};

Calls& AllCalls() {
  static auto* const calls = new Calls;
  return *calls;
}

class CountingTransport final : public Transport {
 public:
  explicit CountingTransport(std::unique_ptr<Transport> transport)
      : transport_(std::move(transport)) {}

  Clock& clock() const override { return transport_->clock(); }
  void Call(absl::string_view address, const Method& method, Payload request,
            CallOptions options, Reply done) override {
    AllCalls().Add(method.path);
    transport_->Call(address, method, std::move(request), std::move(options),
                     std::move(done));
  }
  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) override {
    return transport_->Listen(address, methods);
  }

 private:
  const std::unique_ptr<Transport> transport_;
};

class RpcCountsTest : public ::testing::Test {
 protected:
  static constexpr int kSteps = 10;

  RpcCountsTest() {
    transports_.Add("in-process", [this](const TransportOptions& options) {
      return std::make_unique<CountingTransport>(
          network_->NewTransport(options));
    });
    for (const TaskId& task : cluster_.Tasks()) {
      ServerOptions options;
      options.config = {.cluster = cluster_, .task = task};
      options.devices.num_threads = 2;
      options.chunks = {
          .inline_bytes = 100'000, .chunk_bytes = 65'536, .in_flight = 2};
      options.transport = "in-process";
      options.transports = &transports_;
      servers_.push_back(Server::Start(std::move(options)).value());
    }
  }

  std::shared_ptr<Session> NewSession(GraphBuilder& b) {
    const Graph graph = b.Build().value();
    RemoteSessionOptions options;
    options.transports = &transports_;
    auto session =
        NewRemoteSession(graph, "in-process://localhost:2", options).value();
    if (!graph.init_op().empty()) {
      EXPECT_TRUE(session->Run({.targets = {graph.init_op()}}).ok());
    }
    return session;
  }

  // Makes a callable and runs it once. Then runs it kSteps times, and returns
  // how often these kSteps steps call each method.
  std::map<std::string, int> CallsOf(Session& session,
                                     const CallableArgs& args) {
    const Callable step = session.MakeCallable(args).value();
    EXPECT_TRUE(step({}).ok());
    WaitUntilIdle();
    AllCalls().Clear();
    for (int i = 0; i < kSteps; ++i) EXPECT_TRUE(step({}).ok());
    WaitUntilIdle();
    std::map<std::string, int> calls = AllCalls().Get();
    // Normally the calls of the next step tell a task that the previous step
    // has ended. If no step follows soon, the master calls CleanupGraph
    // instead. So the number of CleanupGraph calls depends on how fast the
    // steps follow each other.
    const auto cleanups = calls.find("CleanupGraph");
    if (cleanups != calls.end()) {
      EXPECT_LE(cleanups->second, kSteps);
      calls.erase(cleanups);
    }
    return calls;
  }

  // Waits until all steps are cleaned up. A step is cleaned up after its reply.
  void WaitUntilIdle() {
    EXPECT_TRUE(Eventually([this] {
      for (const auto& server : servers_) {
        if (server->counters().steps > 0) return false;
      }
      return true;
    }));
  }

  const ClusterSpec cluster_ = *ClusterSpec::Create(
      {{"ps", {{0, "localhost:1"}}}, {"worker", {{0, "localhost:2"}}}});
  SimulatedClock clock_;
  const std::shared_ptr<InProcessNetwork> network_ =
      std::make_shared<InProcessNetwork>(2, clock_);
  TransportRegistry transports_;
  std::vector<std::unique_ptr<Server>> servers_;
};

// The step runs on the master's own task. The master calls this task without
// sending a message.
TEST_F(RpcCountsTest, AStepOnTheMastersTaskIsOneCall) {
  GraphBuilder b;
  auto worker = b.OnDevice("/job:worker");
  const Operation nothing = b.Group({});
  auto session = NewSession(b);
  EXPECT_THAT(CallsOf(*session, {.targets = {nothing}}),
              ElementsAre(Pair("RunCallable", kSteps)));
}

TEST_F(RpcCountsTest, AVariableOfAnotherTaskTakesOneCallAndTwoForItsStep) {
  GraphBuilder b;
  Output read;
  {
    auto ps = b.OnDevice("/job:ps");
    read = b.Variable("v", b.Const(1.5f)).value();
  }
  auto worker = b.OnDevice("/job:worker");
  const Output negative = op::Neg(read);
  auto session = NewSession(b);
  EXPECT_THAT(
      CallsOf(*session, {.fetches = {negative}}),
      ElementsAre(Pair("RecvTensor", kSteps), Pair("RunCallable", kSteps),
                  Pair("RunGraph", kSteps)));
}

TEST_F(RpcCountsTest, ALargeTensorTakesACallForEachOtherChunk) {
  GraphBuilder b;
  Output read;
  {
    auto ps = b.OnDevice("/job:ps");
    const Output ones =
        op::Fill(b.Const(Tensor::Vector<int32_t>({100'000})), b.Const(1.5f));
    read = b.Variable("v", ones).value();
  }
  auto worker = b.OnDevice("/job:worker");
  const Output largest = op::Max(read, b.Const(Tensor::Vector<int32_t>({0})));
  auto session = NewSession(b);
  // The tensor has 400,000 bytes in 7 chunks.
  EXPECT_THAT(
      CallsOf(*session, {.fetches = {largest}}),
      ElementsAre(Pair("FetchChunk", 6 * kSteps), Pair("RecvTensor", kSteps),
                  Pair("RunCallable", kSteps), Pair("RunGraph", kSteps)));
}

}  // namespace
}  // namespace leat::rpc_counts_test
