// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/registered_plan.h"

#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/worker/registered_graph.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/distributed/master/planned_on_two_tasks.h"

namespace leat::registered_plan_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const StepSignature& Signature() {
  static const auto* const signature = new StepSignature{
      .feeds = {"u", "x:0"}, .fetches = {"AddV2:0", "Mul", "AddV2:0"}};
  return *signature;
}

class RegisteredPlanTest : public ::testing::Test {
 protected:
  static StepPlan Plan(const StepSignature& signature = Signature()) {
    auto plan = PlanOnTwoTasks(signature, TwoTasks());
    EXPECT_TRUE(plan.ok()) << plan.status();
    return *std::move(plan);
  }

  PlanSession Session() const {
    return {.handle = &handle_,
            .devices = devices_,
            .foreign_tasks = foreign_,
            .config = &config_};
  }

  std::map<std::string, PartRequest> Requests(StepPlan plan) const {
    auto requests =
        MakePartRequests(std::move(plan.partitions), plan.signature, Session());
    EXPECT_TRUE(requests.ok()) << requests.status();
    std::map<std::string, PartRequest> by_task;
    for (PartRequest& request : *requests) {
      std::string task = request.part.task;
      by_task.emplace(std::move(task), std::move(request));
    }
    return by_task;
  }

  const std::string handle_ = "session-7";
  const std::vector<DeviceInfo> devices_ = TwoTasks();
  std::vector<std::string> foreign_;
  pb::ConfigProto config_;
};

std::vector<int> Indices(const std::vector<BoundaryKey>& keys) {
  std::vector<int> indices;
  for (const BoundaryKey& key : keys) indices.push_back(key.index);
  return indices;
}

std::vector<std::string> Keys(const std::vector<BoundaryKey>& boundary) {
  std::vector<std::string> keys;
  for (const BoundaryKey& key : boundary) keys.push_back(key.key);
  return keys;
}

std::vector<std::string> LeatAttrs(const pb::GraphDef& graph) {
  std::vector<std::string> names;
  for (const pb::NodeDef& node : graph.node()) {
    for (const auto& [name, value] : node.attr()) {
      if (absl::StartsWith(name, "_leat")) names.push_back(name);
    }
  }
  return names;
}

TEST_F(RegisteredPlanTest, EveryTaskGetsItsFeedsAndFetches) {
  const auto requests = Requests(Plan());
  ASSERT_EQ(requests.size(), 2);
  const TaskPart& ps = requests.at(kPsTask).part;
  const TaskPart& worker = requests.at(kWorkerTask).part;
  EXPECT_THAT(Indices(ps.boundary.feeds), ElementsAre(1));
  EXPECT_THAT(Indices(ps.boundary.fetches), ElementsAre(1));
  EXPECT_THAT(Indices(worker.boundary.feeds), ElementsAre(0));
  EXPECT_THAT(Indices(worker.boundary.fetches), ElementsAre(0, 2));
  EXPECT_FALSE(ps.ends_alone);
  EXPECT_FALSE(worker.ends_alone);
}

TEST_F(RegisteredPlanTest, AWorkerFindsTheSameKeysInItsGraph) {
  for (auto& [task, request] : Requests(Plan())) {
    EXPECT_EQ(request.request.session_handle(), handle_);
    EXPECT_TRUE(request.request.create_worker_session_called());
    EXPECT_NE(request.request.request_id(), 0);
    auto graph = ImportGraphDef(request.request.graph_def(), BuiltinOps(),
                                {.allow_internal_names = true});
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (const NodeId id : graph->NodeIds()) {
      EXPECT_TRUE(absl::StartsWith(graph->node(id).def->device, task));
    }
    const auto boundary = RecvsToArgs(*graph);
    ASSERT_TRUE(boundary.ok()) << boundary.status();
    EXPECT_THAT(Keys(boundary->feeds), ::testing::UnorderedElementsAreArray(
                                           Keys(request.part.boundary.feeds)));
    EXPECT_THAT(Keys(boundary->fetches),
                ::testing::UnorderedElementsAreArray(
                    Keys(request.part.boundary.fetches)));
  }
}

TEST_F(RegisteredPlanTest, WhatWorkersCompileGivesTheStepsResults) {
  struct Task {
    std::unique_ptr<DeviceSet> devices;
    std::unique_ptr<GraphRunner> runner;
    std::shared_ptr<const RegisteredGraph> graph;
  };
  std::map<std::string, Task> tasks;
  std::vector<DeviceInfo> devices;
  for (const std::string& name : {kWorkerTask, kPsTask}) {
    Task task;
    task.devices = DeviceSet::Create({.task = name, .num_threads = 1}).value();
    task.runner = std::make_unique<GraphRunner>(
        *task.devices, task.devices->resources(), BuiltinKernels());
    for (DeviceInfo& info : task.devices->Infos()) devices.push_back(info);
    tasks.emplace(name, std::move(task));
  }
  StepPlan plan = PlanOnTwoTasks(Signature(), devices).value();
  auto requests = MakePartRequests(std::move(plan.partitions), Signature(),
                                   {.handle = &handle_, .devices = devices});
  ASSERT_TRUE(requests.ok()) << requests.status();
  const std::vector<Tensor> feeds = {Tensor::Of<float>(Shape{2}, {10, 20}),
                                     Tensor::Of<float>(Shape{2}, {1, 2})};
  std::vector<Tensor> fetches(3);
  LocalRendezvous rendezvous(1000);
  std::vector<std::thread> threads;
  for (PartRequest& request : *requests) {
    threads.emplace_back([&] {
      Task& task = tasks.at(request.part.task);
      auto graph =
          RegisteredGraph::Create(request.request.graph_def(), BuiltinOps(), {},
                                  request.part.task, *task.runner);
      ASSERT_TRUE(graph.ok()) << graph.status();
      WireTensors fed;
      for (const BoundaryKey& feed : request.part.boundary.feeds) {
        fed.push_back({feed.key, feeds[feed.index]});
      }
      const auto arguments = (*graph)->Arguments(std::move(fed));
      ASSERT_TRUE(arguments.ok()) << arguments.status();
      std::vector<const std::string*> keys;
      for (const BoundaryKey& fetch : request.part.boundary.fetches) {
        keys.push_back(&fetch.key);
      }
      const auto which = (*graph)->Returns(keys);
      ASSERT_TRUE(which.ok()) << which.status();
      std::vector<Tensor> returned((*graph)->num_returns());
      Step step(1, rendezvous, *arguments, absl::MakeSpan(returned), nullptr);
      const absl::Status status = task.runner->Run(*(*graph)->compiled(), step);
      EXPECT_TRUE(status.ok()) << status;
      for (size_t i = 0; i < which->size(); ++i) {
        fetches[request.part.boundary.fetches[i].index] = returned[(*which)[i]];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(fetches[0].data<float>(), ElementsAre(12, 24));
  EXPECT_THAT(fetches[1].data<float>(), ElementsAre(2, 4));
  EXPECT_THAT(fetches[2].data<float>(), ElementsAre(12, 24));
}

TEST_F(RegisteredPlanTest, APartWithoutOthersEndsAlone) {
  const auto requests = Requests(Plan({.feeds = {"u"}, .fetches = {"Neg"}}));
  ASSERT_EQ(requests.size(), 1);
  TaskPart part = requests.begin()->second.part;
  EXPECT_TRUE(part.ends_alone);
  SetGraphHandle(handle_, "g", /*is_partial=*/false, part);
  pb::RunGraphRequest run;
  ASSERT_TRUE(run.ParseFromString(RunGraphHeader(part, {})));
  EXPECT_TRUE(run.leat().ends_alone());
  EXPECT_FALSE(run.is_partial());
}

TEST_F(RegisteredPlanTest, ATaskOfTensorFlowGetsNothingOfOurs) {
  foreign_ = {kWorkerTask};
  config_.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(
      pb::OptimizerOptions::L0);
  auto requests = Requests(Plan());
  const PartRequest& ours = requests.at(kPsTask);
  const PartRequest& theirs = requests.at(kWorkerTask);
  EXPECT_TRUE(theirs.part.is_foreign);
  EXPECT_FALSE(ours.part.is_foreign);
  EXPECT_THAT(LeatAttrs(theirs.request.graph_def()), IsEmpty());
  EXPECT_EQ(theirs.request.request_id(), 0);
  EXPECT_GT(theirs.request.graph_def().versions().producer(), 0);
  EXPECT_EQ(theirs.request.graph_options().optimizer_options().opt_level(),
            pb::OptimizerOptions::L0);
  EXPECT_TRUE(theirs.request.has_config_proto());
  EXPECT_FALSE(ours.request.has_config_proto());
  for (const pb::NodeDef& node : theirs.request.graph_def().node()) {
    // The attr client_terminated is left out of a node if its value is the
    // default, false. The value is true only for the _Recv of a feed and the
    // _Send of a fetch, whose names begin with "_".
    if (node.op() != "_Recv" && node.op() != "_Send") continue;
    EXPECT_EQ(node.attr().contains("client_terminated"),
              absl::StartsWith(node.name(), "_"))
        << node.name();
  }
  // A task of TensorFlow forgets a step only when it is told to. So
  // `ends_alone` is false for a part on such a task.
  foreign_ = {kWorkerTask};
  const auto alone = Requests(Plan({.feeds = {"u"}, .fetches = {"Neg"}}));
  EXPECT_FALSE(alone.begin()->second.part.ends_alone);
}

TEST_F(RegisteredPlanTest, OurTasksKeepWhatThePlannerMarked) {
  const auto requests = Requests(Plan());
  EXPECT_THAT(LeatAttrs(requests.at(kWorkerTask).request.graph_def()),
              ElementsAre("_leat_may_be_dead"));
}

TEST_F(RegisteredPlanTest, RunGraphSaysWhatTheStepIs) {
  auto requests = Requests(Plan());
  TaskPart& part = requests.at(kWorkerTask).part;
  SetGraphHandle(handle_, "graph-3", /*is_partial=*/false, part);
  pb::RunGraphRequest call;
  call.set_step_id(41);
  call.set_request_id(42);
  call.mutable_exec_opts()->set_record_timeline(true);
  pb::RunGraphRequest run;
  ASSERT_TRUE(run.ParseFromString(RunGraphHeader(part, call)));
  EXPECT_EQ(run.session_handle(), handle_);
  EXPECT_EQ(run.graph_handle(), "graph-3");
  EXPECT_EQ(run.step_id(), 41);
  EXPECT_EQ(run.request_id(), 42);
  EXPECT_TRUE(run.exec_opts().record_timeline());
  EXPECT_TRUE(run.create_worker_session_called());
  EXPECT_TRUE(run.store_errors_in_response_body());
  EXPECT_FALSE(run.leat().ends_alone());
  EXPECT_THAT(run.recv_key(),
              ::testing::ElementsAreArray(Keys(part.boundary.fetches)));
}

TEST_F(RegisteredPlanTest, APartialRunSaysInEachCallWhatItFetches) {
  const auto requests =
      Requests(Plan({.feeds = {"u"}, .fetches = {"Neg"}, .is_partial = true}));
  ASSERT_EQ(requests.size(), 1);
  EXPECT_TRUE(requests.begin()->second.request.leat().is_partial());
  TaskPart part = requests.begin()->second.part;
  // The step of a partial run goes on after the reply to RunGraph.
  EXPECT_FALSE(part.ends_alone);
  SetGraphHandle(handle_, "g", /*is_partial=*/true, part);
  pb::RunGraphRequest run;
  ASSERT_TRUE(run.ParseFromString(RunGraphHeader(part, {})));
  EXPECT_TRUE(run.is_partial());
  EXPECT_THAT(run.recv_key(), IsEmpty());
}

TEST_F(RegisteredPlanTest, RegistersEveryPartAtOnce) {
  FakeTaskCaller tasks;
  std::optional<absl::StatusOr<std::shared_ptr<const RegisteredPlan>>> got;
  RegisterPlan(tasks, Plan(), Session(), {},
               [&](auto plan) { got = std::move(plan); });
  for (FakeTaskCaller::Received& call : tasks.Take(2)) {
    EXPECT_EQ(call.path, methods::kRegisterGraph.path);
    pb::RegisterGraphRequest request;
    EXPECT_TRUE(request.ParseFromString(call.request.header));
    EXPECT_GT(request.graph_def().node_size(), 0);
    EXPECT_FALSE(got.has_value());
    pb::RegisterGraphResponse response;
    response.set_graph_handle("graph of " + call.task);
    std::move(call.done)(Payload{.header = response.SerializeAsString()});
  }
  ASSERT_TRUE(got.has_value());
  ASSERT_TRUE(got->ok()) << got->status();
  const RegisteredPlan& plan = ***got;
  EXPECT_THAT(plan.feeds.names, ElementsAre("u", "x:0"));
  EXPECT_THAT(plan.feeds.types, ElementsAre(DType::kFloat, DType::kFloat));
  EXPECT_THAT(plan.fetches, ElementsAre("AddV2:0", "Mul", "AddV2:0"));
  ASSERT_EQ(plan.parts.size(), 2);
  for (const TaskPart& part : plan.parts) {
    EXPECT_EQ(part.graph_handle, "graph of " + part.task);
    EXPECT_THAT(part.run_graph, HasSubstr(part.graph_handle));
  }
  EXPECT_EQ(tasks.num_calls(), 0);
}

TEST_F(RegisteredPlanTest, LeavesNothingRegisteredWhenATaskRefuses) {
  FakeTaskCaller tasks;
  absl::Status got;
  RegisterPlan(tasks, Plan(), Session(), {},
               [&](const auto& plan) { got = plan.status(); });
  for (FakeTaskCaller::Received& call : tasks.Take(2)) {
    if (call.task == kPsTask) {
      std::move(call.done)(absl::NotFoundError("no op 'Frobnicate'"));
      continue;
    }
    pb::RegisterGraphResponse response;
    response.set_graph_handle("g");
    std::move(call.done)(Payload{.header = response.SerializeAsString()});
  }
  EXPECT_EQ(got, absl::NotFoundError(
                     absl::StrCat("From ", kPsTask, ":\nno op 'Frobnicate'")));
  auto calls = tasks.Take(1);
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].task, kWorkerTask);
  EXPECT_EQ(calls[0].path, methods::kDeregisterGraph.path);
  pb::DeregisterGraphRequest request;
  ASSERT_TRUE(request.ParseFromString(calls[0].request.header));
  EXPECT_EQ(request.graph_handle(), "g");
  EXPECT_EQ(request.session_handle(), handle_);
  EXPECT_TRUE(request.create_worker_session_called());
}

TEST_F(RegisteredPlanTest, RefusesAMalformedReply) {
  FakeTaskCaller tasks;
  absl::Status got;
  RegisterPlan(tasks, Plan(), Session(), {},
               [&](const auto& plan) { got = plan.status(); });
  for (FakeTaskCaller::Received& call : tasks.Take(2)) {
    std::move(call.done)(Payload{.header = "\x0a\xff"});
  }
  EXPECT_TRUE(absl::IsInternal(got)) << got;
}

}  // namespace
}  // namespace leat::registered_plan_test
