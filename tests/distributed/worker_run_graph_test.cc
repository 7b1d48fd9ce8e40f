// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What the worker service answers when steps run and peers fetch.
#include "leat/distributed/worker.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/rendezvous.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/cleanups.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/graph/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/bundles.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/distributed/worker_fixture.h"
#include "leat/tests/distributed/worker_testing.h"
#include "leat/tests/testing/graph_text.h"

namespace leat {
namespace {

using ::leat::testing::CallRef;
using ::leat::testing::RegisteredStep;
using ::leat::testing::RunAnswer;
using ::leat::testing::RunRequest;
using ::leat::testing::TestCluster;
using ::leat::testing::WorkerTest;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
// ---------------------------------------------------------------------------
// Steps

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
  // What nobody asks for is not sent.
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

TEST_F(WorkerTest, DoesNoPartialRuns) {
  const RegisteredStep step = Doubles("");
  pb::RunGraphRequest request = Request(step);
  request.set_is_partial(true);
  EXPECT_EQ(Run(request).status.code(), absl::StatusCode::kUnimplemented);
  cluster.Deregister(step);
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
// Tensors for peers

TEST_F(WorkerTest, RefusesTensorsThatItDoesNotMake) {
  const auto error = [&](const RendezvousKey& key) {
    const int64_t step_id = RandomStepId();
    const absl::Status status = Recv(key.ToString(), step_id)->Wait().status();
    EXPECT_TRUE(task.CleanupGraph(step_id).ok());
    return status;
  };
  RendezvousKey key{.send_device = task.device(),
                    .send_incarnation = task.incarnation() ^ 1,
                    .recv_device = cluster[1].device(),
                    .tensor_name = "edge_1_x"};
  const absl::Status restarted = error(key);
  EXPECT_EQ(restarted.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(
      restarted.GetPayload(kWorkerPossiblyRestartedPayload).has_value());
  key.send_incarnation = task.incarnation();
  key.send_device = absl::StrCat(kPs, "/device:CPU:7");
  EXPECT_EQ(error(key).message(), "/device:CPU:7 unknown device.");
  const int64_t step_id = RandomStepId();
  const absl::Status malformed = Recv("nonsense", step_id)->Wait().status();
  EXPECT_EQ(malformed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(malformed.message(), "Invalid  rendezvous key: nonsense");
  const absl::Status large =
      Recv(std::string(100'000, 'x'), step_id)->Wait().status();
  EXPECT_EQ(large.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(large.message(), HasSubstr("more than 65536"));
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, AsksForATensorAreServedOnce) {
  const int64_t step_id = RandomStepId();
  const CallRef first = Recv(KeyForWorker("x"), step_id, 9);
  const absl::Status again =
      Recv(KeyForWorker("x"), step_id, 9)->Wait().status();
  EXPECT_EQ(again.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(again.message(), HasSubstr("received twice"));
  EXPECT_FALSE(first->is_done());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_EQ(first->Wait().status().code(), absl::StatusCode::kAborted);
}

TEST_F(WorkerTest, WhoAsksForATensorIsFreedByTheEndOfTheStep) {
  const int64_t step_id = RandomStepId();
  const CallRef early = Recv(KeyForWorker("x"), step_id);
  EXPECT_FALSE(early->is_done());
  EXPECT_EQ(task.steps().num_steps(), 1u);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  const absl::Status ended = early->Wait().status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(ended));
  // And who comes later.
  const absl::Status late = Recv(KeyForWorker("x"), step_id)->Wait().status();
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(late));
}

TEST_F(WorkerTest, WhoAsksForATensorMayGiveUp) {
  const int64_t step_id = RandomStepId();
  const CallRef given_up = Recv(KeyForWorker("x"), step_id);
  EXPECT_FALSE(given_up->is_done());
  given_up->Cancel();
  const absl::Status status = given_up->Wait().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
  // What still waits for the tensor keeps nothing of the call.
  EXPECT_EQ(given_up.use_count(), 1);
  EXPECT_EQ(given_up->context.use_count(), 1);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, WhoHasGivenUpIsNotServed) {
  const int64_t step_id = RandomStepId();
  const auto call = std::make_shared<leat::testing::DirectCall>();
  call->Cancel();
  task.Serve(methods::kRecvTensor,
             EncodeRecvTensorRequest(step_id, KeyForWorker("x"), 0), call);
  EXPECT_EQ(call->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

// ---------------------------------------------------------------------------
// Several tensors for peers at once

TEST_F(WorkerTest, GivesTensorsTogetherWhenAllAreThere) {
  const int64_t step_id = RandomStepId();
  const CallRef call = RecvAll(
      {KeyForWorker("a"), KeyForWorker("b"), KeyForWorker("c")}, step_id);
  const auto rendezvous = task.steps().Find(step_id).value();
  const Tensor a = Tensor::Vector<float>({1, 2});
  const Tensor b = Tensor::Scalar<int>(3);
  EXPECT_TRUE(rendezvous->Send(KeyForWorker("c"), Tensor(), true).ok());
  EXPECT_TRUE(rendezvous->Send(KeyForWorker("a"), a, false).ok());
  EXPECT_FALSE(call->is_done());
  EXPECT_EQ(task.recvs().size(), 3u);
  EXPECT_TRUE(rendezvous->Send(KeyForWorker("b"), b, false).ok());
  const absl::StatusOr<Payload> reply = call->Wait();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(task.recvs().size(), 0u);
  const auto response = DecodeRecvTensorsResponse(reply->header);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->is_dead, (std::vector<bool>{false, false, true}));
  EXPECT_GT(response->send_start_us, 0);
  ASSERT_EQ(reply->tensors.size(), 3u);
  EXPECT_TRUE(reply->tensors[0].tensor.SharesBufferWith(a));
  EXPECT_TRUE(reply->tensors[1].tensor.SharesBufferWith(b));
  EXPECT_TRUE(Identical(reply->tensors[2].tensor, Tensor::Vector<float>({})));
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, GivesTensorsThatWereThereBefore) {
  const int64_t step_id = RandomStepId();
  const CallRef other = Recv(KeyForWorker("other"), step_id);
  const auto rendezvous = task.steps().Find(step_id).value();
  for (const char* tensor : {"a", "b"}) {
    EXPECT_TRUE(rendezvous
                    ->Send(KeyForWorker(tensor),
                           Tensor::Scalar<std::string>(tensor), false)
                    .ok());
  }
  const CallRef call = RecvAll({KeyForWorker("b"), KeyForWorker("a")}, step_id);
  ASSERT_TRUE(call->is_done());
  const absl::StatusOr<Payload> reply = call->Wait();
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tensors.size(), 2u);
  EXPECT_EQ(reply->tensors[0].tensor.scalar<std::string>(), "b");
  EXPECT_EQ(reply->tensors[1].tensor.scalar<std::string>(), "a");
  EXPECT_FALSE(other->is_done());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_FALSE(other->Wait().ok());
}

TEST_F(WorkerTest, TheFirstErrorEndsAllOfTheTensors) {
  const auto error = [&](const std::vector<std::string>& keys) {
    const int64_t step_id = RandomStepId();
    const absl::Status status = RecvAll(keys, step_id)->Wait().status();
    // Nothing waits for the others.
    EXPECT_EQ(task.steps().num_steps(), 0u);
    EXPECT_EQ(task.recvs().size(), 0u);
    EXPECT_TRUE(task.CleanupGraph(step_id).ok());
    return status;
  };
  const std::string good = KeyForWorker("good");
  RendezvousKey key = RendezvousKey::Parse(good).value();
  key.send_device = absl::StrCat(kPs, "/device:CPU:7");
  const std::string unknown = key.ToString();
  key.send_device = task.device();
  key.send_incarnation ^= 1;
  const std::string stale = key.ToString();
  EXPECT_EQ(error({good, unknown}).message(), "/device:CPU:7 unknown device.");
  EXPECT_EQ(error({unknown, good}).message(), "/device:CPU:7 unknown device.");
  EXPECT_EQ(error({unknown, stale}).message(), "/device:CPU:7 unknown device.");
  const absl::Status restarted = error({good, stale, unknown});
  EXPECT_EQ(restarted.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(
      restarted.GetPayload(kWorkerPossiblyRestartedPayload).has_value());
  EXPECT_EQ(error({good, "nonsense"}).message(),
            "Invalid  rendezvous key: nonsense");
  // Each is asked for once.
  EXPECT_EQ(error({good, good}).code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(WorkerTest, RefusesToGiveNoTensorsOrTooMany) {
  const int64_t step_id = RandomStepId();
  const absl::Status none = RecvAll({}, step_id)->Wait().status();
  EXPECT_EQ(none.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(none.message(), HasSubstr("has 0 keys"));
  const std::vector<std::string> keys(Bundles::kMaxTensors + 1, "key");
  const absl::Status many = RecvAll(keys, step_id)->Wait().status();
  EXPECT_EQ(many.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(many.message(), HasSubstr("has 65 keys; 1 to 64"));
  const absl::Status large =
      RecvAll(std::vector<std::string>(1000, std::string(100, 'x')), step_id)
          ->Wait()
          .status();
  EXPECT_EQ(large.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(large.message(), AllOf(HasSubstr("RecvTensorsRequest"),
                                     HasSubstr("more than 65536")));
  EXPECT_EQ(task.steps().num_steps(), 0u);
}

TEST_F(WorkerTest, AsksForSeveralTensorsAreServedOnce) {
  const int64_t step_id = RandomStepId();
  const std::vector<std::string> keys = {KeyForWorker("a"), KeyForWorker("b")};
  const CallRef first = RecvAll(keys, step_id, 9);
  const absl::Status again = RecvAll(keys, step_id, 9)->Wait().status();
  EXPECT_EQ(again.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(again.message(), HasSubstr("received twice"));
  EXPECT_FALSE(first->is_done());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_EQ(first->Wait().status().code(), absl::StatusCode::kAborted);
}

TEST_F(WorkerTest, WhoAsksForSeveralTensorsIsFreedByTheEndOfTheStep) {
  const int64_t step_id = RandomStepId();
  const std::vector<std::string> keys = {KeyForWorker("a"), KeyForWorker("b")};
  const CallRef early = RecvAll(keys, step_id);
  EXPECT_FALSE(early->is_done());
  EXPECT_EQ(task.steps().num_steps(), 1u);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  const absl::Status ended = early->Wait().status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(ended));
  // And who comes later.
  const absl::Status late = RecvAll(keys, step_id)->Wait().status();
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(late));
}

TEST_F(WorkerTest, WhoAsksForSeveralTensorsMayGiveUp) {
  const int64_t step_id = RandomStepId();
  const CallRef given_up =
      RecvAll({KeyForWorker("a"), KeyForWorker("b")}, step_id);
  const Tensor a = Tensor::Scalar(1.0f);
  EXPECT_TRUE(task.steps()
                  .Find(step_id)
                  .value()
                  ->Send(KeyForWorker("a"), a, false)
                  .ok());
  EXPECT_FALSE(given_up->is_done());
  EXPECT_EQ(task.recvs().size(), 2u);
  EXPECT_FALSE(a.IsUnique());
  given_up->Cancel();
  const absl::Status status = given_up->Wait().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
  // Nobody else has asked for the step.
  EXPECT_EQ(task.steps().num_steps(), 0u);
  EXPECT_EQ(task.recvs().size(), 0u);
  EXPECT_TRUE(a.IsUnique());
  EXPECT_EQ(given_up.use_count(), 1);
  EXPECT_EQ(given_up->context.use_count(), 1);
}

TEST_F(WorkerTest, WhoGivesUpInAStepThatRunsLeavesNothingThere) {
  const int64_t step_id = RandomStepId();
  const auto rendezvous =
      task.steps().Begin(step_id, "session", this, [](const absl::Status&) {});
  ASSERT_TRUE(rendezvous.ok()) << rendezvous.status();
  const CallRef given_up =
      RecvAll({KeyForWorker("a"), KeyForWorker("b")}, step_id);
  const Tensor a = Tensor::Scalar(1.0f), b = Tensor::Scalar(2.0f);
  EXPECT_TRUE((*rendezvous)->Send(KeyForWorker("a"), a, false).ok());
  EXPECT_EQ(task.recvs().size(), 2u);
  EXPECT_FALSE(a.IsUnique());
  given_up->Cancel();
  EXPECT_EQ(given_up->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(task.recvs().size(), 0u);
  EXPECT_EQ(given_up.use_count(), 1);
  EXPECT_EQ(given_up->context.use_count(), 1);
  EXPECT_TRUE(a.IsUnique());
  // What comes later is not kept either.
  EXPECT_TRUE((*rendezvous)->Send(KeyForWorker("b"), b, false).ok());
  EXPECT_TRUE(b.IsUnique());
  task.steps().Finish(step_id, this, absl::OkStatus());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, WhoHasGivenUpGetsNoTensors) {
  const int64_t step_id = RandomStepId();
  const auto call = std::make_shared<leat::testing::DirectCall>();
  call->Cancel();
  task.Serve(methods::kRecvTensors,
             EncodeRecvTensorsRequest(
                 step_id, {KeyForWorker("a"), KeyForWorker("b")}, 0),
             call);
  EXPECT_EQ(call->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(task.steps().num_steps(), 0u);
}

// The element comes when neg has: it is not in a bundle with it
// (partitioner/bundles.h).
TEST_F(WorkerTest, ATensorThatWaitsForOthersDoesNotKeepThemBack) {
  constexpr char kOnPs[] = "/job:ps/cpu:0";
  constexpr char kOnWorker[] = "/job:worker/cpu:0";
  GraphBuilder b;
  const auto variable_on = [&b](const char* device) {
    const auto there = b.OnDevice(device);
    return b.Variable("v", b.Const(Tensor::Vector<float>({3})));
  };
  const Variable v = variable_on(kOnPs);
  const Variable neg_there = variable_on(kOnWorker);
  const Variable square_there = variable_on(kOnWorker);
  const Variable taken_there = variable_on(kOnWorker);
  Output neg, square, queue, taken;
  {
    const auto ps = b.OnDevice(kOnPs);
    neg = op::Neg(v.value());
    square = op::Square(v.value());
    queue = op::FIFOQueueV2(b, {DType::kFloat});
    taken = op::Reshape(op::QueueDequeueV2(queue, {DType::kFloat})[0],
                        Tensor::Vector<int32_t>({1}));
  }
  Operation squared, put;
  Output element, result;
  {
    const auto worker = b.OnDevice(kOnWorker);
    squared = op::AssignVariableOp(square_there.handle(), square);
    const Operation done = op::AssignVariableOp(neg_there.handle(), neg);
    const auto after = b.ControlDependencies({done});
    element = op::ReadVariableOp(neg_there.handle(), DType::kFloat);
  }
  {
    const auto ps = b.OnDevice(kOnPs);
    put = op::QueueEnqueueV2(queue, {element});
  }
  {
    const auto worker = b.OnDevice(kOnWorker);
    const Operation done = op::AssignVariableOp(taken_there.handle(), taken);
    const auto after = b.ControlDependencies({done});
    result = op::ReadVariableOp(taken_there.handle(), DType::kFloat);
  }
  const RegisteredStep init =
      Register("", b, {.targets = {v.initializer().name()}});
  const RegisteredStep step = Register(
      "", b,
      {.fetches = {result.name()}, .targets = {squared.name(), put.name()}});
  ASSERT_TRUE(cluster.Run(init, RandomStepId(), {}).ok());
  for (int i = 0; i < 10 && !HasFailure(); ++i) {
    const auto out = cluster.Run(step, RandomStepId(), {});
    ASSERT_TRUE(out.ok()) << out.status();
    ASSERT_TRUE((*out)[0].IsValid());
    EXPECT_EQ((*out)[0].data<float>()[0], -3);
  }
  cluster.Deregister(init);
  cluster.Deregister(step);
}

// ---------------------------------------------------------------------------
// What tasks of Leat say beside

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
}  // namespace leat
