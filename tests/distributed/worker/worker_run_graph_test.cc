// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what the worker service answers when steps run.
#include "leat/distributed/worker/worker.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/distributed/worker/worker_fixture.h"
#include "leat/tests/distributed/worker/worker_testing.h"
#include "leat/tests/testing/leaks.h"

namespace leat::worker_run_graph_test {
namespace {

using ::leat::testing::RegisteredStep;
using ::leat::testing::RunAnswer;
using ::leat::testing::RunRequest;
using ::leat::testing::WorkerTest;
using ::testing::HasSubstr;

// ---------------------------------------------------------------------------
// Tests how the worker runs steps.

TEST_F(WorkerTest, RunsWhatItHasRegistered) {
  ASSERT_TRUE(cluster.CreateSession("s").ok());
  const RegisteredStep step = Doubles("s");
  ASSERT_EQ(step.parts.size(), 1u);
  for (const float x : {1.0f, 2.5f}) {
    const auto y = cluster.Run(step, RandomStepId(), {Tensor::Scalar(x)});
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)[0].scalar<float>(), 2 * x);
  }
  cluster.Deregister(step);
  cluster.DeleteSession("s");
}

TEST_F(WorkerTest, FetchesInTheOrderOfTheCall) {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Output x = b.Placeholder<float>("x");
  const Output twice = x * 2.0f, thrice = x * 3.0f;
  const RegisteredStep step = Register(
      "", b, {.feeds = {"x"}, .fetches = {twice.name(), thrice.name()}});
  const WireTensors feeds = {{task.Key("x"), Tensor::Scalar(1.0f)}};
  pb::RunGraphRequest request = Request(step);
  request.add_recv_key(task.Key(thrice.name()));
  request.add_recv_key(task.Key(twice.name()));
  const RunAnswer both = Run(request, feeds);
  ASSERT_TRUE(both.status.ok()) << both.status;
  ASSERT_EQ(both.tensors.size(), 2u);
  EXPECT_EQ(both.tensors[0].name, task.Key(thrice.name()));
  EXPECT_EQ(both.tensors[0].tensor.scalar<float>(), 3.0f);
  EXPECT_EQ(both.tensors[1].tensor.scalar<float>(), 2.0f);
  // Outputs that the request does not name are not sent.
  const RunAnswer none = Run(Request(step), feeds);
  EXPECT_TRUE(none.status.ok()) << none.status;
  EXPECT_TRUE(none.tensors.empty());
  cluster.Deregister(step);
}

TEST_F(WorkerTest, RefusesFeedsAndFetchesAtOnce) {
  const RegisteredStep step = Doubles("");
  const std::string x = task.Key("x");
  const WireTensors good = {{x, Tensor::Scalar(1.0f)}};
  struct Case {
    WireTensors feeds;
    std::vector<std::string> fetches;
    const char* expected;
  };
  const std::string y = step.parts[0].boundary.fetches[0].key;
  for (const Case& c : std::vector<Case>{
           {{}, {y}, "was not given"},
           {{{x, Tensor::Scalar(1)}}, {y}, "is float but the tensor is int32"},
           {{{x, Tensor()}}, {y}, "is float but"},
           {{{x, Tensor::Scalar(1.0f)}, {x, Tensor::Scalar(1.0f)}},
            {y},
            "was given twice"},
           {{{x, Tensor::Scalar(1.0f)}, {"z", Tensor::Scalar(1.0f)}},
            {y},
            "'z' is not one that the graph takes"},
           {good, {"z"}, "'z' is not one that the graph gives"},
           {good, {x}, "is not one that the graph gives"},
           {good, {y, y}, "was asked for twice"}}) {
    SCOPED_TRACE(c.expected);
    pb::RunGraphRequest request = Request(step);
    for (const std::string& fetch : c.fetches) request.add_recv_key(fetch);
    const absl::Status status = Run(request, c.feeds).status;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(c.expected));
    EXPECT_FALSE(IsDerived(status));
  }
  cluster.Deregister(step);
}

TEST_F(WorkerTest, RunsACallOnce) {
  const RegisteredStep step = Doubles("");
  const WireTensors feeds = {{task.Key("x"), Tensor::Scalar(1.0f)}};
  pb::RunGraphRequest request = Request(step);
  EXPECT_TRUE(Run(request, feeds).status.ok());
  request.set_step_id(RandomStepId());
  const RunAnswer again = Run(request, feeds);
  EXPECT_EQ(again.status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(again.status.message(),
              HasSubstr("The same RunGraph (Worker) request was received "
                        "twice."));
  EXPECT_NE(again.response.status_code(), 0);
  cluster.Deregister(step);
}

TEST_F(WorkerTest, RunsNoStepThatHasEnded) {
  const RegisteredStep step = Doubles("");
  const WireTensors feeds = {{task.Key("x"), Tensor::Scalar(1.0f)}};
  pb::RunGraphRequest request = Request(step);
  EXPECT_TRUE(Run(request, feeds).status.ok());
  request.set_request_id(0);
  const absl::Status late = Run(request, feeds).status;
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(late));
  cluster.Deregister(step);
}

// When a TensorFlow master registers a graph, it does not say whether the graph
// is for partial runs.
TEST_F(WorkerTest, MakesPartialRunsOfAnyGraphForAForeignMaster) {
  const RegisteredStep step = Doubles("");
  const std::string y = step.parts[0].boundary.fetches[0].key;
  const WireTensors feeds = {{task.Key("x"), Tensor::Scalar(2.5f)}};
  const auto call = [&](const pb::RunGraphRequest& request,
                        WireTensors fed = {}) {
    return WaitForRun(*task.Start(methods::kRunGraph, request, std::move(fed)));
  };
  for (int i = 0; i < 2; ++i) {
    pb::RunGraphRequest request = Request(step);
    request.set_is_partial(true);
    const RunAnswer fed = call(request, feeds);
    EXPECT_TRUE(fed.status.ok()) << fed.status;
    EXPECT_TRUE(fed.tensors.empty());
    request.set_request_id(request.request_id() + 1);
    request.set_is_last_partial_run(true);
    request.add_recv_key(y);
    const RunAnswer fetched = call(request);
    EXPECT_TRUE(fetched.status.ok()) << fetched.status;
    ASSERT_EQ(fetched.tensors.size(), 1u);
    EXPECT_EQ(fetched.tensors[0].tensor.scalar<float>(), 5.0f);
    EXPECT_TRUE(task.CleanupGraph(request.step_id()).ok());
  }
  // The graph of a partial run can also run whole steps.
  pb::RunGraphRequest whole = Request(step);
  whole.add_recv_key(y);
  EXPECT_TRUE(Run(whole, feeds).status.ok());
  // When a graph is deregistered, another thread ends the graph's abandoned
  // partial run.
  pb::RunGraphRequest abandoned = Request(step);
  abandoned.set_is_partial(true);
  EXPECT_TRUE(call(abandoned, feeds).status.ok());
  cluster.Deregister(step);
  EXPECT_TRUE(testing::BecomesEmpty(
      [&] { return task.worker().counters().running == 0; }));
}

TEST_F(WorkerTest, RunsAGraphAsItsMasterHasSaid) {
  for (const bool is_partial : {false, true}) {
    pb::RegisterGraphRequest registration;
    *registration.mutable_graph_def() =
        ParseGraph(absl::StrCat("node { name: 'n' op: 'NoOp' ", OnPs(), "}"));
    registration.mutable_leat()->set_is_partial(is_partial);
    const auto registered = task.Call<pb::RegisterGraphResponse>(
        methods::kRegisterGraph, registration);
    ASSERT_TRUE(registered.ok()) << registered.status();
    pb::RunGraphRequest request =
        RunRequest("", registered->graph_handle(), RandomStepId());
    request.set_is_partial(!is_partial);
    const absl::Status refused = Run(request).status;
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(refused.message(), HasSubstr("one of partial runs"));
    EXPECT_TRUE(task.Deregister("", registered->graph_handle()).ok());
  }
}

TEST_F(WorkerTest, ErrorsAreWhereTheCallWantsThem) {
  const RegisteredStep step = Doubles("");
  pb::RunGraphRequest request = Request(step);
  const auto in_response = task.Start(methods::kRunGraph, request)->Wait();
  ASSERT_TRUE(in_response.ok()) << in_response.status();
  pb::RunGraphResponse response;
  ASSERT_TRUE(response.ParseFromString(in_response->header));
  EXPECT_EQ(response.status_code(), 3);
  EXPECT_THAT(response.status_error_message(), HasSubstr("was not given"));
  request = Request(step);
  request.set_store_errors_in_response_body(false);
  EXPECT_EQ(task.Start(methods::kRunGraph, request)->Wait().status().code(),
            absl::StatusCode::kInvalidArgument);
  cluster.Deregister(step);
}

// A message whose strings are not UTF-8 could not be parsed.
TEST_F(WorkerTest, AnErrorMayQuoteBytesThatAreNoUtf8) {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Output number = op::StringToNumber(b.Const("\xff"));
  const RegisteredStep step = Register("", b, {.fetches = {number.name()}});
  const absl::Status error = cluster.Run(step, RandomStepId(), {}).status();
  EXPECT_EQ(error.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("string: \\xff\n"));
  cluster.Deregister(step);
}

TEST_F(WorkerTest, ADeadFetchIsAnError) {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Output x = b.Placeholder<float>("x");
  const auto ways = op::Switch(x, b.Const(true));
  const RegisteredStep step =
      Register("", b, {.feeds = {"x"}, .fetches = {ways.output_false.name()}});
  const auto y = cluster.Run(step, RandomStepId(), {Tensor::Scalar(1.0f)});
  EXPECT_EQ(y.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(y.status().message(), HasSubstr(ways.output_false.name()));
  cluster.Deregister(step);
}

TEST_F(WorkerTest, TellsWhatRanWhereWhenAsked) {
  const RegisteredStep step = Doubles("");
  pb::RunGraphRequest request = Request(step);
  request.mutable_exec_opts()->set_record_timeline(true);
  request.mutable_exec_opts()->set_record_partition_graphs(true);
  const RunAnswer answer =
      Run(request, {{task.Key("x"), Tensor::Scalar(1.0f)}});
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  ASSERT_EQ(answer.response.step_stats().dev_stats_size(), 1);
  const pb::DeviceStepStats& stats = answer.response.step_stats().dev_stats(0);
  EXPECT_EQ(stats.device(), task.device());
  EXPECT_GE(stats.node_stats_size(), 3);
  ASSERT_EQ(answer.response.partition_graph_size(), 1);
  EXPECT_GE(answer.response.partition_graph(0).node_size(), 4);
  EXPECT_GT(answer.response.leat().received_us(), 0);
  EXPECT_GE(answer.response.leat().replied_us(),
            answer.response.leat().received_us());
  cluster.Deregister(step);
}

TEST_F(WorkerTest, VariablesAreSharedUnlessTheSessionIsIsolated) {
  ASSERT_TRUE(cluster.CreateSession("a").ok());
  ASSERT_TRUE(cluster.CreateSession("b").ok());
  ASSERT_TRUE(cluster.CreateSession("alone", /*isolated=*/true).ok());
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Variable v = b.Variable("v", b.Const(5.0f));
  std::map<std::string, RegisteredStep> init, read;
  for (const char* session : {"a", "b", "alone"}) {
    init[session] = Register(session, b, {.targets = {v.initializer().name()}});
    read[session] = Register(session, b, {.fetches = {v.value().name()}});
  }
  const auto run = [&](const RegisteredStep& step) {
    return cluster.Run(step, RandomStepId(), {});
  };
  const auto too_early = run(read["b"]);
  EXPECT_EQ(too_early.status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(run(init["a"]).ok());
  const auto shared = run(read["b"]);
  ASSERT_TRUE(shared.ok()) << shared.status();
  EXPECT_EQ((*shared)[0].scalar<float>(), 5.0f);
  EXPECT_EQ(run(read["alone"]).status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(run(init["alone"]).ok());

  pb::CleanupAllRequest request;
  ASSERT_TRUE(
      task.Call<pb::CleanupAllResponse>(methods::kCleanupAll, request).ok());
  EXPECT_EQ(run(read["a"]).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(run(read["alone"]).ok());
  for (const char* session : {"a", "b", "alone"}) {
    cluster.DeleteSession(session);
  }
}

TEST_F(WorkerTest, CleanupAllForgetsTheContainersOfTheCall) {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Variable v = b.Variable("v", b.Const(5.0f), {.container = "mine"});
  const RegisteredStep init =
      Register("", b, {.targets = {v.initializer().name()}});
  const RegisteredStep read = Register("", b, {.fetches = {v.value().name()}});
  ASSERT_TRUE(cluster.Run(init, RandomStepId(), {}).ok());
  const auto clean = [&](const std::string& container) {
    pb::CleanupAllRequest request;
    request.add_container(container);
    EXPECT_TRUE(
        task.Call<pb::CleanupAllResponse>(methods::kCleanupAll, request).ok());
  };
  clean("ps");
  EXPECT_TRUE(cluster.Run(read, RandomStepId(), {}).ok());
  clean("mine");
  EXPECT_FALSE(cluster.Run(read, RandomStepId(), {}).ok());
  cluster.Deregister(init);
  cluster.Deregister(read);
}

// ---------------------------------------------------------------------------
// Tests the fields that Leat adds to TensorFlow's messages.

TEST_F(WorkerTest, AStepThatEndsAloneEndsWithItsReply) {
  const RegisteredStep step = Doubles("");
  const auto run = [&](bool ends_alone, int64_t cleanup) {
    pb::RunGraphRequest request = Request(step);
    request.mutable_leat()->set_ends_alone(ends_alone);
    if (cleanup != 0) request.mutable_leat()->add_cleanup_steps(cleanup);
    EXPECT_TRUE(leat::testing::WaitForRun(
                    *task.Start(methods::kRunGraph, request,
                                {{task.Key("x"), Tensor::Scalar(1.0f)}}))
                    .status.ok());
    return request.step_id();
  };
  run(/*ends_alone=*/true, 0);
  EXPECT_EQ(task.steps().num_steps(), 0u);
  const int64_t lingers = run(/*ends_alone=*/false, 0);
  EXPECT_EQ(task.steps().num_steps(), 1u);
  run(/*ends_alone=*/true, lingers);
  EXPECT_EQ(task.steps().num_steps(), 0u);
  cluster.Deregister(step);
}

TEST_F(WorkerTest, OneMessageTellsOfTheEndOfSeveralSteps) {
  const RegisteredStep step = Doubles("");
  const auto run = [&] {
    const pb::RunGraphRequest request = Request(step);
    EXPECT_TRUE(leat::testing::WaitForRun(
                    *task.Start(methods::kRunGraph, request,
                                {{task.Key("x"), Tensor::Scalar(1.0f)}}))
                    .status.ok());
    return request.step_id();
  };
  const auto clean_up = [this](const pb::CleanupGraphRequest& request) {
    return task.Call<pb::CleanupGraphResponse>(methods::kCleanupGraph, request)
        .status()
        .code();
  };
  pb::CleanupGraphRequest request;
  request.set_step_id(run());
  for (int i = 0; i < 3; ++i) request.mutable_leat()->add_steps(run());
  EXPECT_EQ(task.steps().num_steps(), 4u);
  pb::CleanupGraphRequest too_many = request;
  while (static_cast<size_t>(too_many.leat().steps_size()) <=
         kMaxCleanupSteps) {
    too_many.mutable_leat()->add_steps(7);
  }
  EXPECT_EQ(clean_up(too_many), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(task.steps().num_steps(), 4u);
  EXPECT_EQ(clean_up(request), absl::StatusCode::kOk);
  EXPECT_EQ(task.steps().num_steps(), 0u);
  cluster.Deregister(step);
}

}  // namespace
}  // namespace leat::worker_run_graph_test
