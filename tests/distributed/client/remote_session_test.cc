// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what a RemoteSession sends to a master, and how the session handles the
// master's answers. The master is fake: each test provides the answers. Other
// tests run sessions on real masters.
#include "leat/distributed/client/remote_session.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/step_observer.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/client/master_client.h"
#include "leat/distributed/transport/transport.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::remote_session_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTarget[] = "in-process://master:1";

// A ScriptedMaster is a fake master. The test provides its answers.
class ScriptedMaster {
 public:
  template <class Request, class Response>
  using Script = std::function<absl::Status(const Request&,
                                            WireTensors& tensors, Response&)>;

  // Answers `method` with `script`. The script gets the tensors of the request
  // in `tensors`, and replaces them with the tensors of the response.
  template <class Request, class Response>
  void On(const Method& method, Script<Request, Response> script) {
    methods_.Add(
        method, [script = std::move(script)](std::shared_ptr<CallContext>,
                                             Payload payload, Reply reply) {
          Request request;
          EXPECT_TRUE(request.ParseFromString(payload.header));
          Response response;
          Payload answer{.tensors = std::move(payload.tensors)};
          const absl::Status status = script(request, answer.tensors, response);
          if (!status.ok()) return std::move(reply)(status);
          answer.header = response.SerializeAsString();
          std::move(reply)(std::move(answer));
        });
  }
  void OnAny(const Method& method, Handler handler) {
    methods_.Add(method, std::move(handler));
  }

  // Starts the master and returns the transports that reach it.
  const TransportRegistry& Listen() {
    transport_ = network_->NewTransport();
    auto listener = transport_->Listen("master:1", methods_);
    EXPECT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    return network_->transports();
  }

 private:
  MethodTable methods_;
  const std::shared_ptr<testing::InProcessNetwork> network_ =
      std::make_shared<testing::InProcessNetwork>(2, testing::TestClock());
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Listener> listener_;
};

class RemoteSessionTest : public ::testing::Test {
 protected:
  RemoteSessionTest() {
    x = b.Placeholder<float>("x");
    y = op::Square(x);
    master.On<pb::CreateSessionRequest, pb::CreateSessionResponse>(
        methods::kCreateSession,
        [this](const auto& request, auto&, auto& response) {
          created = request;
          response.set_session_handle("handle");
          response.set_graph_version(7);
          return absl::OkStatus();
        });
    master.On<pb::CloseSessionRequest, pb::CloseSessionResponse>(
        methods::kCloseSession, [this](const auto& request, auto&, auto&) {
          closed.push_back(request.session_handle());
          return absl::OkStatus();
        });
  }

  std::shared_ptr<Session> Start(RemoteSessionOptions options = {}) {
    options.transports = &master.Listen();
    auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto session = NewRemoteSession(*graph, kTarget, options);
    EXPECT_TRUE(session.ok()) << session.status();
    return *session;
  }

  testing::SimulatedClock clock;
  GraphBuilder b;
  Output x, y;
  ScriptedMaster master;
  pb::CreateSessionRequest created;
  std::vector<std::string> closed;
};

TEST_F(RemoteSessionTest, SendsItsGraphAndConfiguration) {
  auto session = Start({.device_filters = {"/job:ps", "/job:worker/task:1"},
                        .isolate_state = true,
                        .allow_soft_placement = true,
                        .optimizer = {.level = OptimizeLevel::kOff}});
  EXPECT_EQ(created.graph_def().node_size(), 3);  // including the init op
  EXPECT_GT(created.graph_def().versions().producer(), 0);
  EXPECT_THAT(created.config().device_filters(),
              ElementsAre("/job:ps", "/job:worker/task:1"));
  EXPECT_TRUE(created.config().isolate_session_state());
  EXPECT_TRUE(created.config().allow_soft_placement());
  EXPECT_EQ(created.config().graph_options().optimizer_options().opt_level(),
            pb::OptimizerOptions::L0);
  EXPECT_EQ(created.target(), kTarget);
  EXPECT_NE(created.request_id(), 0);
  session = nullptr;
  EXPECT_THAT(closed, ElementsAre("handle"));
}

// The message that ends a partial run is an extension of Leat, so a TensorFlow
// master would not understand it.
TEST_F(RemoteSessionTest, AForeignMasterIsNotToldThatAPartialRunEnds) {
  int num_steps = 0;
  master.On<pb::PartialRunSetupRequest, pb::PartialRunSetupResponse>(
      methods::kPartialRunSetup, [](const auto&, auto&, auto& response) {
        response.set_partial_run_handle("run");
        return absl::OkStatus();
      });
  master.On<pb::RunStepRequest, pb::RunStepResponse>(
      methods::kRunStep, [&](const auto& request, WireTensors& tensors, auto&) {
        EXPECT_EQ(request.partial_run_handle(), "run");
        tensors.clear();
        ++num_steps;
        return absl::OkStatus();
      });
  const auto session = Start();
  {
    const auto run = session->StartPartialRun({.feeds = {x}, .fetches = {y}});
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->Feed({{x, Tensor::Scalar(1.0f)}}), absl::OkStatus());
    EXPECT_EQ(num_steps, 1);
    const absl::Status finished = run->Finish();
    EXPECT_EQ(finished.code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(finished.message()), HasSubstr("TensorFlow"));
  }
  EXPECT_EQ(session->Close(), absl::OkStatus());
  EXPECT_EQ(num_steps, 1);
}

TEST_F(RemoteSessionTest, FeedsByNameAndFetchesInTheOrderAskedFor) {
  pb::RunStepRequest sent;
  master.On<pb::RunStepRequest, pb::RunStepResponse>(
      methods::kRunStep,
      [&sent](const auto& request, WireTensors& tensors, auto&) {
        sent = request;
        EXPECT_EQ(tensors.size(), 1u);
        EXPECT_EQ(tensors[0].name, "x:0");
        EXPECT_EQ(tensors[0].tensor.template scalar<float>(), 3);
        // These tensors are not in the order of the fetches.
        tensors = {{.name = "b", .tensor = Tensor::Scalar(2.0f)},
                   {.name = "a:0", .tensor = Tensor::Scalar(1.0f)}};
        return absl::OkStatus();
      });
  auto session = Start();
  auto out = session->Run({.feeds = {{x, Tensor::Scalar(3.0f)}},
                           .fetches = {"a:0", "b", "a:0"},
                           .targets = {"train"}});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 3u);
  EXPECT_EQ((*out)[0].scalar<float>(), 1);
  EXPECT_EQ((*out)[1].scalar<float>(), 2);
  EXPECT_EQ((*out)[2].scalar<float>(), 1);
  EXPECT_EQ(sent.session_handle(), "handle");
  EXPECT_THAT(sent.fetch(), ElementsAre("a:0", "b"));
  EXPECT_THAT(sent.target(), ElementsAre("train"));
  EXPECT_TRUE(sent.store_errors_in_response_body());
  EXPECT_NE(sent.request_id(), 0);
}

TEST_F(RemoteSessionTest, GivesTheStatusInTheResponse) {
  master.On<pb::RunStepRequest, pb::RunStepResponse>(
      methods::kRunStep, [](const auto&, WireTensors&, auto& response) {
        response.set_status_code(9);
        response.set_status_error_message("From /job:ps: no value");
        response.mutable_metadata()->mutable_step_stats()->add_dev_stats();
        return absl::OkStatus();
      });
  auto session = Start();
  pb::RunMetadata metadata;
  const absl::Status status =
      session
          ->Run({.fetches = {y}, .options = {.trace_level = TraceLevel::kFull}},
                &metadata)
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "From /job:ps: no value");
  EXPECT_EQ(metadata.step_stats().dev_stats_size(), 1);
}

TEST_F(RemoteSessionTest, RefusesAnswersWithoutWhatWasFetched) {
  master.On<pb::RunStepRequest, pb::RunStepResponse>(
      methods::kRunStep, [](const auto&, WireTensors& tensors, auto&) {
        tensors = {{.name = "other:0", .tensor = Tensor::Scalar(2.0f)}};
        return absl::OkStatus();
      });
  auto session = Start();
  const absl::Status status = session->Run({.fetches = {y}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr(y.name()));
}

TEST_F(RemoteSessionTest, TellsTheMasterOfTimeoutsThatItRoundsUp) {
  int64_t timeout = 0;
  master.On<pb::RunStepRequest, pb::RunStepResponse>(
      methods::kRunStep, [&timeout](const auto& request, auto&, auto&) {
        timeout = request.options().timeout_in_ms();
        return absl::OkStatus();
      });
  auto session = Start();
  EXPECT_TRUE(
      session
          ->Run({.options = {.timeout = std::chrono::microseconds(1'000'001)}})
          .ok());
  EXPECT_EQ(timeout, 1001);
  const absl::Status over =
      session->Run({.options = {.timeout = std::chrono::seconds(-1)}}).status();
  EXPECT_EQ(over.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(over.message(), HasSubstr("-1s"));
}

TEST_F(RemoteSessionTest, EndsWaitingForAMasterThatKeepsSilent) {
  std::shared_ptr<CallContext> context;
  Reply kept;
  master.OnAny(methods::kRunStep,
               [&](std::shared_ptr<CallContext> call, Payload, Reply reply) {
                 context = std::move(call);
                 kept = std::move(reply);
               });
  auto session = Start();
  const Clock::time_point start = clock.Now();
  const absl::Status status =
      session->Run({.options = {.timeout = std::chrono::milliseconds(50)}})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  // Normally the master ends the step at the deadline of 50 ms and answers. So
  // the client waits for the answer until `answer_grace` after the deadline.
  EXPECT_EQ(clock.Now() - start, std::chrono::milliseconds(7050));
  std::move(kept)(absl::CancelledError("at last"));
}

TEST_F(RemoteSessionTest, SendsOnlyNewNodesWhenItIsExtended) {
  std::vector<pb::ExtendSessionRequest> sent;
  master.On<pb::ExtendSessionRequest, pb::ExtendSessionResponse>(
      methods::kExtendSession,
      [&sent](const auto& request, auto&, auto& response) {
        sent.push_back(request);
        response.set_new_graph_version(request.current_graph_version() + 1);
        return absl::OkStatus();
      });
  auto session = Start();
  const Output z = op::Square(y);
  ASSERT_TRUE(session->Extend(*b.Build()).ok());
  op::Square(z);
  ASSERT_TRUE(session->Extend(*b.Build()).ok());
  ASSERT_EQ(sent.size(), 2u);
  for (const auto& request : sent) {
    EXPECT_EQ(request.session_handle(), "handle");
    EXPECT_EQ(request.graph_def().node_size(), 1);
    EXPECT_EQ(request.graph_def().node(0).op(), "Square");
  }
  EXPECT_EQ(sent[0].graph_def().node(0).input(0), y.operation().name());
  EXPECT_EQ(sent[0].current_graph_version(), 7);
  EXPECT_EQ(sent[1].current_graph_version(), 8);

  GraphBuilder other;
  other.Placeholder<int32_t>("x");
  EXPECT_EQ(session->Extend(*other.Build()).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(sent.size(), 2u);
}

TEST_F(RemoteSessionTest, KeepsItsGraphWhenTheMasterRefusesTheExtension) {
  int calls = 0;
  int64_t version = 0, nodes = 0;
  master.On<pb::ExtendSessionRequest, pb::ExtendSessionResponse>(
      methods::kExtendSession,
      [&](const auto& request, auto&, auto& response) -> absl::Status {
        if (++calls == 1) return absl::InvalidArgumentError("not now");
        version = request.current_graph_version();
        nodes = request.graph_def().node_size();
        response.set_new_graph_version(20);
        return absl::OkStatus();
      });
  auto session = Start();
  op::Square(y);
  const Graph extended = *b.Build();
  EXPECT_EQ(session->Extend(extended).message(), "not now");
  EXPECT_TRUE(session->Extend(extended).ok());
  EXPECT_EQ(version, 7);
  EXPECT_EQ(nodes, 1);
}

TEST_F(RemoteSessionTest, CallsAndReleasesCallables) {
  pb::MakeCallableRequest made;
  std::vector<int64_t> released;
  Mutex mutex;
  CondVar changed;
  master.On<pb::MakeCallableRequest, pb::MakeCallableResponse>(
      methods::kMakeCallable,
      [&made](const auto& request, auto&, auto& response) {
        made = request;
        response.set_handle(42);
        return absl::OkStatus();
      });
  master.On<pb::RunCallableRequest, pb::RunCallableResponse>(
      methods::kRunCallable,
      [](const auto& request, WireTensors& tensors, auto&) -> absl::Status {
        EXPECT_EQ(request.handle(), 42);
        if (tensors.size() != 1) return absl::InvalidArgumentError("feeds");
        tensors[0].tensor =
            Tensor::Scalar(tensors[0].tensor.template scalar<float>() + 1);
        return absl::OkStatus();
      });
  master.On<pb::ReleaseCallableRequest, pb::ReleaseCallableResponse>(
      methods::kReleaseCallable, [&](const auto& request, auto&, auto&) {
        MutexLock lock(mutex);
        released.push_back(request.handle());
        changed.NotifyAll();
        return absl::OkStatus();
      });
  auto session = Start();
  auto call =
      session->MakeCallable({.feeds = {x},
                             .fetches = {y},
                             .targets = {"t"},
                             .options = {.timeout = std::chrono::seconds(5)}});
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_THAT(made.options().feed(), ElementsAre(x.name()));
  EXPECT_THAT(made.options().fetch(), ElementsAre(y.name()));
  EXPECT_THAT(made.options().target(), ElementsAre("t"));
  EXPECT_EQ(made.options().run_options().timeout_in_ms(), 5000);
  auto out = (*call)({Tensor::Scalar(1.0f)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 2);
  EXPECT_EQ((*call)().status().code(), absl::StatusCode::kInvalidArgument);
  *call = Callable();
  MutexLock lock(mutex);
  while (released.empty()) changed.Wait(mutex);
  EXPECT_THAT(released, ElementsAre(42));
}

TEST_F(RemoteSessionTest, CloseEndsWhatIsUnderWay) {
  Mutex mutex;
  CondVar changed;
  bool begun = false;
  master.OnAny(methods::kRunStep, [&](std::shared_ptr<CallContext> call,
                                      Payload, Reply reply) {
    // A handler must answer its call when the call is cancelled.
    auto shared = std::make_shared<Reply>(std::move(reply));
    Cancellation::Token token;
    const bool waits = call->cancellation.Register(
        [shared, call](const absl::Status& why) { std::move (*shared)(why); },
        &token);
    EXPECT_TRUE(waits);
    MutexLock lock(mutex);
    begun = true;
    changed.NotifyAll();
  });
  auto session = Start();
  absl::Status status;
  Thread step("step",
              [&] { status = session->Run({.fetches = {y}}).status(); });
  {
    MutexLock lock(mutex);
    while (!begun) changed.Wait(mutex);
  }
  EXPECT_TRUE(session->Close().ok());
  step.Join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(session->Run({.fetches = {y}}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(session->Close().ok());
  EXPECT_THAT(closed, ElementsAre("handle"));
}

TEST_F(RemoteSessionTest, ListsDevicesAndKeepsTheListOfTheLastAnswer) {
  int calls = 0;
  master.On<pb::ListDevicesRequest, pb::ListDevicesResponse>(
      methods::kListDevices,
      [&calls](const auto&, auto&, auto& response) -> absl::Status {
        if (++calls > 1) return absl::UnavailableError("gone");
        auto& local = *response.add_local_device();
        local.set_name("/job:worker/replica:0/task:0/device:CPU:0");
        local.set_device_type("CPU");
        local.set_incarnation(5);
        local.set_memory_limit(100);
        auto& remote = *response.add_remote_device();
        remote.set_name("/job:ps/replica:0/task:0/device:CPU:0");
        remote.set_device_type("CPU");
        remote.set_incarnation(6);
        return absl::OkStatus();
      });
  auto session = Start();
  for (int i = 0; i < 2; ++i) {
    const std::vector<DeviceInfo> devices = session->ListDevices();
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0].name, "/job:worker/replica:0/task:0/device:CPU:0");
    EXPECT_EQ(devices[0].incarnation, 5u);
    EXPECT_EQ(devices[0].memory_bytes, 100);
    EXPECT_EQ(devices[1].name, "/job:ps/replica:0/task:0/device:CPU:0");
  }
}

TEST_F(RemoteSessionTest, RefusesObservers) {
  class Observer final : public StepObserver {
    void OnNodeRun(const NodeRun&) override {}
  };
  auto session = Start();
  Observer observer;
  EXPECT_EQ(session->Run({.fetches = {y}, .options = {.observer = &observer}})
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(
      session
          ->MakeCallable({.fetches = {y}, .options = {.observer = &observer}})
          .status()
          .code(),
      absl::StatusCode::kUnimplemented);
}

TEST(RemoteSessionTargetTest, NoMasterThereIsUnavailable) {
  GraphBuilder b;
  b.Const(1.0f);
  testing::SimulatedClock clock;
  const auto network = std::make_shared<testing::InProcessNetwork>(2, clock);
  const auto session =
      NewRemoteSession(*b.Build(), kTarget,
                       {.connect_timeout = std::chrono::milliseconds(50),
                        .transports = &network->transports()});
  EXPECT_THAT(session.status().message(), HasSubstr("master:1"));
  EXPECT_TRUE(session.status().code() == absl::StatusCode::kUnavailable ||
              session.status().code() == absl::StatusCode::kDeadlineExceeded)
      << session.status();
}

TEST(RemoteSessionTargetTest, ATransportThatThereIsNotIsRefused) {
  GraphBuilder b;
  b.Const(1.0f);
  const absl::Status refused =
      NewRemoteSession(*b.Build(), "http://h:1").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(refused.message(),
            "target 'http://h:1': there is no transport 'http'; there are: "
            "grpc; a target is grpc://host:port or unix:///path");
}

TEST(RemoteSessionTargetTest, ABareAddressIsRefusedWithTheTargetForIt) {
  EXPECT_THAT(std::string(ParseTarget("localhost:1").status().message()),
              HasSubstr("'localhost:1' is not of the form"));
  EXPECT_THAT(std::string(ParseTarget("localhost:1").status().message()),
              HasSubstr("perhaps you mean grpc://localhost:1"));
  EXPECT_THAT(std::string(ParseTarget("unix:/a/b").status().message()),
              HasSubstr("perhaps you mean unix:///a/b"));
  EXPECT_THAT(std::string(ParseTarget("localhost").status().message()),
              ::testing::Not(HasSubstr("perhaps")));
}

TEST(RemoteSessionTargetTest, TargetsNameTransportAndAddress) {
  const auto expect = [](absl::string_view target, absl::string_view transport,
                         absl::string_view address) {
    const auto parsed = ParseTarget(target);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->transport, transport);
    EXPECT_EQ(parsed->address, address);
  };
  expect("grpc://10.0.0.1:7001", "grpc", "10.0.0.1:7001");
  expect("grpc://[::1]:7001", "grpc", "[::1]:7001");
  expect("unix:///tmp/leat.sock", "grpc", "unix:/tmp/leat.sock");
  expect(kTarget, "in-process", "master:1");
  for (const char* wrong : {"", "local", "grpc://", "grpc://host", "://h:1",
                            "grpc://h:99999", "unix://relative", "h:1"}) {
    const auto parsed = ParseTarget(wrong);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument)
        << wrong;
    EXPECT_THAT(parsed.status().message(), HasSubstr(wrong));
  }
}

}  // namespace
}  // namespace leat::remote_session_test
