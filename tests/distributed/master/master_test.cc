// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests sessions on a cluster of servers in this process. The tests check what
// clients see, and that no task keeps anything of a closed session.
#include "leat/distributed/master/master.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/exchange/peers.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/distributed/scripted_task.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/test_service.h"
#include "leat/train/nn/optimizers.h"

namespace leat::master_test {
namespace {

using ::testing::AllOf;
using testing::Eventually;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using testing::InProcessNetwork;
using testing::ScriptedTask;
using testing::SimulatedClock;
using ::testing::StartsWith;
using testing::TaskClient;
using Code = absl::StatusCode;
using Outputs = std::vector<Output>;

const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};
constexpr char kOnPs[] = "/job:ps/task:0";
constexpr char kOnWorker[] = "/job:worker/task:0";

class MasterTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(cluster.Leaks(), ""); }

  std::shared_ptr<Session> NewSession(GraphBuilder& b,
                                      RemoteSessionOptions options = {},
                                      const TaskId& task = kWorker) {
    auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto session = cluster.NewSession(*graph, task, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    init = graph->init_op();
    return *session;
  }

  // Describes a variable on the parameter server and an output that a worker
  // computes from it.
  struct Counter {
    explicit Counter(GraphBuilder& b) {
      auto ps = b.OnDevice(kOnPs);
      variable = b.Variable("count", b.Const(10.0f));
      add = op::AssignAddVariableOp(variable.handle(), b.Const(1.0f));
      auto worker = b.OnDevice(kOnWorker);
      doubled = variable.value() * 2.0f;
    }
    Variable variable;
    Operation add;
    Output doubled;
  };

  static float Fetch(Session& session, const Output& output) {
    auto out = session.Run({.fetches = {output}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<float>() : -1;
  }

  SimulatedClock clock;
  InProcessCluster cluster{{{"ps", 1}, {"worker", 1}}};
  std::string init;
};

TEST_F(MasterTest, RunsStepsOverTasks) {
  GraphBuilder b;
  Counter c(b);
  const Output x = b.Placeholder<float>("x");
  const Output y = c.doubled + x;
  auto session = NewSession(b);
  ASSERT_TRUE(session->Run({.targets = {init}}).ok());
  EXPECT_EQ(Fetch(*session, c.doubled), 20);
  ASSERT_TRUE(session->Run({.targets = {c.add}}).ok());
  auto out = session->Run(
      {.feeds = {{x, Tensor::Scalar(0.5f)}}, .fetches = {y, c.doubled, y}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 22.5f);
  EXPECT_EQ((*out)[1].scalar<float>(), 22);
  EXPECT_EQ((*out)[2].scalar<float>(), 22.5f);
}

TEST_F(MasterTest, SharesVariablesOfSessionsThatAreNotIsolated) {
  GraphBuilder b;
  Counter c(b);
  auto first = NewSession(b);
  ASSERT_TRUE(first->Run({.targets = {init}}).ok());
  auto second = NewSession(b, {}, kPs);  // another master
  EXPECT_EQ(Fetch(*second, c.doubled), 20);
  ASSERT_TRUE(second->Run({.targets = {c.add}}).ok());
  EXPECT_EQ(Fetch(*first, c.doubled), 22);
  auto alone = NewSession(b, {.isolate_state = true});
  EXPECT_EQ(alone->Run({.fetches = {c.doubled}}).status().code(),
            Code::kFailedPrecondition);
  ASSERT_TRUE(alone->Run({.targets = {init}}).ok());
  EXPECT_EQ(Fetch(*alone, c.doubled), 20);
  EXPECT_EQ(Fetch(*first, c.doubled), 22);
}

TEST_F(MasterTest, ExtendsGraphs) {
  GraphBuilder b;
  Counter c(b);
  auto session = NewSession(b);
  ASSERT_TRUE(session->Run({.targets = {init}}).ok());
  const Output more = c.doubled + 1.0f;
  EXPECT_EQ(session->Run({.fetches = {more}}).status().code(), Code::kNotFound);
  ASSERT_TRUE(session->Extend(*b.Build()).ok());
  EXPECT_EQ(Fetch(*session, more), 21);
  const Output most = more + 1.0f;
  ASSERT_TRUE(session->Extend(*b.Build()).ok());
  EXPECT_EQ(Fetch(*session, most), 22);
}

TEST_F(MasterTest, CallsCallables) {
  GraphBuilder b;
  Counter c(b);
  const Output x = b.Placeholder<float>("x");
  const Output y = c.doubled + x;
  auto session = NewSession(b);
  ASSERT_TRUE(session->Run({.targets = {init}}).ok());
  auto call = session->MakeCallable({.feeds = {x}, .fetches = {y}});
  ASSERT_TRUE(call.ok()) << call.status();
  for (float value = 0; value < 3; ++value) {
    auto out = (*call)({Tensor::Scalar(value)});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), 20 + value);
  }
  EXPECT_THAT((*call)({Tensor::Scalar(int32_t{1})}).status().message(),
              HasSubstr("'x:0' is int32"));
}

TEST_F(MasterTest, NamesTheTaskAndTheNodeThatFailed) {
  GraphBuilder b;
  const Output index = b.Placeholder<int32_t>("index");
  Output picked;
  {
    auto ps = b.OnDevice(kOnPs);
    picked = op::GatherV2(b.Const(Tensor::Vector({1.0f, 2.0f})), index, 0);
  }
  Output result;
  {
    auto worker = b.OnDevice(kOnWorker);
    result = picked * 2.0f;
  }
  auto session = NewSession(b);
  for (int i = 0; i < 20; ++i) {
    const absl::Status status =
        session
            ->Run({.feeds = {{index, Tensor::Scalar(int32_t{7})}},
                   .fetches = {result}})
            .status();
    ASSERT_EQ(status.code(), Code::kInvalidArgument);
    ASSERT_THAT(std::string(status.message()),
                AllOf(StartsWith("From /job:ps/replica:0/task:0:"),
                      HasSubstr(picked.operation().name()), HasSubstr("7")));
  }
  auto out = session->Run(
      {.feeds = {{index, Tensor::Scalar(int32_t{1})}}, .fetches = {result}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 4);
}

TEST_F(MasterTest, RefusesWhatCannotBePlacedOrFound) {
  GraphBuilder b;
  {
    auto nowhere = b.OnDevice("/job:nobody/task:3");
    b.Const(1.0f);
  }
  const auto session = cluster.NewSession(*b.Build(), kWorker);
  EXPECT_EQ(session.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(session.status().message(), HasSubstr("/job:nobody/task:3"));

  GraphBuilder fine;
  fine.Const(1.0f);
  auto other = NewSession(fine);
  EXPECT_EQ(other->Run({.fetches = {"missing:0"}}).status().code(),
            Code::kNotFound);
}

TEST_F(MasterTest, KeepsToItsDeviceFilters) {
  GraphBuilder b;
  Counter c(b);
  const Graph graph = *b.Build();
  const auto refused =
      cluster.NewSession(graph, kPs, {.device_filters = {kOnPs}});
  EXPECT_EQ(refused.status().code(), Code::kInvalidArgument);
  GraphBuilder only_ps;
  {
    auto ps = only_ps.OnDevice(kOnPs);
    only_ps.Const(1.0f);
  }
  auto session = NewSession(only_ps, {.device_filters = {kOnPs}}, kPs);
  ASSERT_EQ(session->ListDevices().size(), 1u);
  EXPECT_EQ(session->ListDevices()[0].name,
            "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(cluster.server(kWorker).counters().sessions,
            cluster.server(kPs).counters().sessions - 1);
}

TEST_F(MasterTest, ListsTheDevicesOfItsClusterIfNoSessionIsNamed) {
  const auto transport = *cluster.transports().Create("in-process");
  TaskClient worker(*transport, cluster.Address(kWorker));
  pb::ListDevicesRequest request;
  pb::ListDevicesResponse response;
  const absl::Status listed =
      worker.Call(methods::kListDevices, request, response);
  ASSERT_TRUE(listed.ok()) << listed;
  ASSERT_EQ(response.local_device_size(), 1);
  EXPECT_EQ(response.local_device(0).name(),
            "/job:worker/replica:0/task:0/device:CPU:0");
  ASSERT_EQ(response.remote_device_size(), 1);
  EXPECT_EQ(response.remote_device(0).name(),
            "/job:ps/replica:0/task:0/device:CPU:0");
  request.set_session_handle("unknown");
  const absl::Status refused =
      worker.Call(methods::kListDevices, request, response);
  EXPECT_EQ(refused.code(), Code::kInvalidArgument) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("Session unknown is not found"));
}

class WaitingStepTest : public MasterTest {
 protected:
  WaitingStepTest() {
    {
      auto ps = b.OnDevice(kOnPs);
      queue = op::FIFOQueueV2(b, {DType::kFloat});
      taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
      put = op::QueueEnqueueV2(queue, {b.Const(5.0f)});
    }
    auto worker = b.OnDevice(kOnWorker);
    result = taken + 1.0f;
  }

  GraphBuilder b;
  Output queue, taken, result;
  Operation put;
};

TEST_F(WaitingStepTest, EndsAtItsTimeout) {
  auto session = NewSession(b);
  const absl::Status status =
      session
          ->Run({.fetches = {result},
                 .options = {.timeout = std::chrono::milliseconds(100)}})
          .status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("100ms"));
  // The first step has ended, so it cannot take this element.
  ASSERT_TRUE(session->Run({.targets = {put}}).ok());
  EXPECT_EQ(Fetch(*session, result), 6);
}

// As in TensorFlow, a queue without `shared_name` belongs to its session.
TEST_F(WaitingStepTest, FindsOnlyWhatItsSessionPutIntoTheQueue) {
  auto session = NewSession(b);
  auto other = NewSession(b);
  ASSERT_TRUE(other->Run({.targets = {put}}).ok());
  EXPECT_EQ(session
                ->Run({.fetches = {result},
                       .options = {.timeout = std::chrono::milliseconds(100)}})
                .status()
                .code(),
            Code::kDeadlineExceeded);
  EXPECT_EQ(Fetch(*other, result), 6);
}

TEST_F(WaitingStepTest, EndsOnTheMastersOwnTask) {
  auto session = NewSession(b, {}, kPs);
  EXPECT_EQ(session
                ->Run({.fetches = {taken},
                       .options = {.timeout = std::chrono::milliseconds(50)}})
                .status()
                .code(),
            Code::kDeadlineExceeded);
  EXPECT_EQ(cluster.server(kPs).counters().running, 0u);
}

TEST_F(WaitingStepTest, EndsWhenTheSessionIsClosed) {
  auto session = NewSession(b);
  absl::Status status;
  Thread step("step",
              [&] { status = session->Run({.fetches = {result}}).status(); });
  EXPECT_TRUE(
      Eventually([&] { return cluster.server(kPs).counters().running == 1; }));
  EXPECT_TRUE(session->Close().ok());
  step.Join();
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_THAT(status.message(), HasSubstr("Session::Close"));
}

TEST_F(WaitingStepTest, EndsWhenATaskGoes) {
  auto session = NewSession(b);
  absl::Status status;
  Thread step("step",
              [&] { status = session->Run({.fetches = {result}}).status(); });
  EXPECT_TRUE(
      Eventually([&] { return cluster.server(kPs).counters().running == 1; }));
  cluster.Kill(kPs);
  step.Join();
  EXPECT_EQ(status.code(), Code::kUnavailable) << status;
  EXPECT_THAT(status.message(), HasSubstr("/job:ps/replica:0/task:0"));
  cluster.Start(kPs);
  // The task was restarted and no longer knows the session.
  EXPECT_EQ(session->Run({.targets = {put}}).status().code(), Code::kAborted);
  auto again = NewSession(b);
  EXPECT_TRUE(again->Run({.targets = {put}}).ok());
  EXPECT_EQ(Fetch(*again, result), 6);
}

TEST_F(WaitingStepTest, OthersRunBesideIt) {
  auto session = NewSession(b);
  std::vector<Thread> takers;
  std::atomic<int> taken_count{0};
  for (int i = 0; i < 8; ++i) {
    takers.emplace_back("takes", [&] {
      if (Fetch(*session, result) == 6) ++taken_count;
    });
  }
  EXPECT_TRUE(
      Eventually([&] { return cluster.server(kPs).counters().running == 8; }));
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(session->Run({.targets = {put}}).ok());
  }
  takers.clear();
  EXPECT_EQ(taken_count, 8);
}

TEST_F(MasterTest, KeepsItsSessionsWhenAFormerProcessIsHeardOf) {
  const auto transport = *cluster.transports().Create("in-process");
  TaskClient ps(*transport, cluster.Address(kPs));
  pb::GetStatusResponse status;
  ASSERT_TRUE(
      ps.Call(methods::kGetStatus, pb::GetStatusRequest(), status).ok());
  GraphBuilder b;
  Counter c(b);
  auto session = NewSession(b);
  ASSERT_TRUE(session->Run({.targets = {init}}).ok());
  // This request arrives late, as if an earlier process of the master had sent
  // it.
  pb::CreateWorkerSessionRequest late;
  late.set_session_handle("late");
  late.set_master_task(kWorker.ToString());
  late.set_master_incarnation(1);
  late.set_ticket(status.leat().ticket());
  pb::CreateWorkerSessionResponse response;
  EXPECT_EQ(ps.Call(methods::kCreateWorkerSession, late, response).code(),
            Code::kAborted);
  EXPECT_EQ(Fetch(*session, c.doubled), 20);
}

TEST_F(MasterTest, TakesBranchesAndLoopsAcrossTasks) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Output n = b.Placeholder<int32_t>("n");
  const Output taken = Cond(
      op::Greater(x, 0.0f),
      [&] {
        auto ps = b.OnDevice(kOnPs);
        return Outputs{x * 2.0f};
      },
      [&] {
        auto worker = b.OnDevice(kOnWorker);
        return Outputs{x - 1.0f};
      })[0];
  const Output looped = While(
      {b.Const<int32_t>(0), taken},
      [&](absl::Span<const Output> v) { return op::Less(v[0], n); },
      [&](absl::Span<const Output> v) {
        Output half;
        {
          auto ps = b.OnDevice(kOnPs);
          half = v[1] * 0.5f;
        }
        auto worker = b.OnDevice(kOnWorker);
        return Outputs{v[0] + 1, half + 1.0f};
      })[1];
  auto session = NewSession(b);
  const auto run = [&](float value, int32_t count) {
    auto out = session->Run(
        {.feeds = {{x, Tensor::Scalar(value)}, {n, Tensor::Scalar(count)}},
         .fetches = {looped}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<float>() : -1;
  };
  EXPECT_EQ(run(3, 0), 6);
  EXPECT_EQ(run(3, 1), 4);
  EXPECT_EQ(run(3, 3), 2.5f);
  EXPECT_EQ(run(-3, 2), 0.5f);
}

// The losses must equal those of a local session.
TEST_F(MasterTest, TrainsAsALocalSessionDoes) {
  const auto losses = [this](bool on_cluster) {
    GraphBuilder b;
    Variable w;
    {
      auto ps = b.OnDevice(on_cluster ? kOnPs : "");
      w = b.Variable("w", b.Const(Tensor::Vector({0.5f, -0.25f, 1.0f})));
    }
    auto worker = b.OnDevice(on_cluster ? kOnWorker : "");
    const Output x = b.Placeholder<float>("x");
    const Output loss = op::Mean(op::Square(w.value() * x - 1.0f), {0});
    const Operation step = nn::Adam({.learning_rate = 0.1}).Minimize(loss);
    std::vector<float> values;
    const Graph graph = *b.Build();
    auto session = on_cluster ? cluster.NewSession(graph, kWorker)
                              : NewLocalSession(graph);
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE((*session)->Run({.targets = {graph.init_op()}}).ok());
    for (int i = 0; i < 20; ++i) {
      auto out = (*session)->Run(
          {.feeds = {{x, Tensor::Vector({1.0f, 2.0f, 0.5f + i})}},
           .fetches = {loss},
           .targets = {step}});
      EXPECT_TRUE(out.ok()) << out.status();
      if (out.ok()) values.push_back((*out)[0].scalar<float>());
    }
    return values;
  };
  EXPECT_EQ(losses(true), losses(false));
}

TEST_F(MasterTest, TellsTasksWhichPlansItHasGivenUp) {
  constexpr size_t kSignatures = RegisteredPlans::kMaxPlans + 10;
  GraphBuilder b;
  std::vector<Output> constants;
  for (size_t i = 0; i < kSignatures; ++i) {
    constants.push_back(b.Const(static_cast<float>(i)));
  }
  auto session = NewSession(b);
  for (const Output& constant : constants) Fetch(*session, constant);
  const auto graphs = [this] {
    return cluster.server(kWorker).counters().graphs;
  };
  EXPECT_TRUE(
      Eventually([&] { return graphs() <= RegisteredPlans::kMaxPlans; }));
  EXPECT_EQ(graphs(), RegisteredPlans::kMaxPlans);
  // A plan that was dropped is made again.
  EXPECT_EQ(Fetch(*session, constants[0]), 0);
}

TEST_F(MasterTest, RecordsWhatRanOnEveryTask) {
  GraphBuilder b;
  Counter c(b);
  auto session = NewSession(b);
  ASSERT_TRUE(session->Run({.targets = {init}}).ok());
  pb::RunMetadata metadata;
  auto out = session->Run({.fetches = {c.doubled},
                           .options = {.trace_level = TraceLevel::kFull,
                                       .output_partition_graphs = true}},
                          &metadata);
  ASSERT_TRUE(out.ok()) << out.status();
  std::vector<std::string> devices;
  for (const auto& stats : metadata.step_stats().dev_stats()) {
    devices.push_back(stats.device());
  }
  EXPECT_THAT(devices, ::testing::UnorderedElementsAre(
                           "/job:ps/replica:0/task:0/device:CPU:0",
                           "/job:worker/replica:0/task:0/device:CPU:0"));
  EXPECT_EQ(metadata.partition_graphs_size(), 2);
}

// A task uses the request id to recognize a repeated request, and the ticket to
// recognize a late request.
TEST(MasterTasksTest, GetAnIdAndTheirTicketWithEachSession) {
  SimulatedClock clock;
  const auto network = std::make_shared<InProcessNetwork>(2, clock);
  pb::LeatPeer leat;
  leat.set_version(kLeatPeerVersion);
  std::map<int64_t, std::unique_ptr<ScriptedTask>> tasks;  // by ticket
  for (const int i : {0, 1}) {
    leat.set_ticket(5 + i);
    tasks[leat.ticket()] = std::make_unique<ScriptedTask>(
        absl::StrCat("/job:ps/replica:0/task:", i),
        absl::StrCat("localhost:", 1 + i), network, leat);
  }
  const auto server = Server::Start(
      {.config = {.cluster = *ClusterSpec::Create(
                      {{"ps", {{0, "localhost:1"}, {1, "localhost:2"}}},
                       {"worker", {{0, "localhost:3"}}}}),
                  .task = kWorker},
       .devices = {.num_threads = 2},
       .transport = "in-process",
       .transports = &network->transports()});
  ASSERT_TRUE(server.ok()) << server.status();
  GraphBuilder b;
  b.Const(1.0f);
  constexpr int kSessions = 2;
  for (int i = 0; i < kSessions; ++i) {
    const auto session =
        NewRemoteSession(*b.Build(), "in-process://localhost:3",
                         {.transports = &network->transports()});
    ASSERT_TRUE(session.ok()) << session.status();
  }
  std::set<int64_t> ids;
  for (const auto& [ticket, task] : tasks) {
    for (const auto& header : task->requests(methods::kCreateWorkerSession)) {
      pb::CreateWorkerSessionRequest request;
      ASSERT_TRUE(request.ParseFromString(header));
      EXPECT_EQ(request.ticket(), ticket);
      EXPECT_NE(request.request_id(), 0);
      ids.insert(request.request_id());
    }
  }
  EXPECT_EQ(ids.size(), kSessions * tasks.size());
}

TEST(MasterLimitsTest, RefusesMoreSessionsThanItMayHave) {
  const SimulatedClock clock;
  InProcessCluster cluster({{"worker", 1}}, {.max_sessions = 2});
  GraphBuilder b;
  b.Const(1.0f);
  const Graph graph = *b.Build();
  auto first = cluster.NewSession(graph, kWorker);
  auto second = cluster.NewSession(graph, kWorker);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(cluster.NewSession(graph, kWorker).status().code(),
            Code::kResourceExhausted);
  ASSERT_TRUE((*first)->Close().ok());
  EXPECT_TRUE(cluster.NewSession(graph, kWorker).ok());
}

TEST(MasterLimitsTest, ASessionInUseMakesNoRoomForAnother) {
  SimulatedClock clock;
  InProcessCluster cluster(
      {{"worker", 1}}, {.max_sessions = 1,
                        .session_idle_when_full = std::chrono::nanoseconds(1)});
  GraphBuilder b;
  const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
  const Output taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
  const Operation put = op::QueueEnqueueV2(queue, {b.Const(5.0f)});
  const Graph graph = *b.Build();
  auto session = cluster.NewSession(graph, kWorker);
  ASSERT_TRUE(session.ok()) << session.status();
  absl::Status taking;
  Thread client("client", [&] {
    taking = (*session)->Run({.fetches = {taken}}).status();
  });
  EXPECT_TRUE(Eventually(
      [&] { return cluster.server(kWorker).counters().running == 1; }));
  EXPECT_EQ(cluster.NewSession(graph, kWorker).status().code(),
            Code::kResourceExhausted);
  EXPECT_TRUE((*session)->Run({.targets = {put}}).ok());
  client.Join();
  EXPECT_TRUE(taking.ok()) << taking;
  // The session becomes idle when the master has cleaned up the session's step.
  clock.Advance(std::chrono::seconds(1));
  const auto other = cluster.NewSession(graph, kWorker);
  EXPECT_TRUE(other.ok()) << other.status();
  const absl::Status closed = (*session)->Run({.targets = {put}}).status();
  EXPECT_EQ(closed.code(), Code::kAborted) << closed;
  EXPECT_THAT(closed.message(), HasSubstr("--session-idle-when-full"));
}

TEST(MasterLimitsTest, ClosesSessionsThatNobodyUses) {
  SimulatedClock clock;
  InProcessCluster cluster({{"worker", 1}},
                           {.session_idle = std::chrono::hours(5)});
  GraphBuilder b;
  const Output one = b.Const(1.0f);
  auto session = cluster.NewSession(*b.Build(), kWorker);
  ASSERT_TRUE(session.ok()) << session.status();
  clock.Advance(std::chrono::hours(4));
  EXPECT_TRUE((*session)->Run({.fetches = {one}}).ok());
  clock.Advance(std::chrono::hours(4));
  EXPECT_TRUE((*session)->Run({.fetches = {one}}).ok());
  clock.Advance(std::chrono::hours(6));
  const absl::Status status = (*session)->Run({.fetches = {one}}).status();
  EXPECT_EQ(status.code(), Code::kAborted);
  EXPECT_THAT(status.message(),
              HasSubstr("is not found.\n\tPossibly, this master"));
}

}  // namespace
}  // namespace leat::master_test
