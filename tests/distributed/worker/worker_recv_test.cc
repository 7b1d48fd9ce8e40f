// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what the worker service answers to peers that fetch one tensor or
// several.
#include "leat/distributed/worker/worker.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/random_id.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/recv_call.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/tests/distributed/recv_messages.h"
#include "leat/tests/distributed/worker/worker_fixture.h"
#include "leat/tests/distributed/worker/worker_testing.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::worker_recv_test {
namespace {

using ::leat::testing::CallRef;
using ::leat::testing::ParsedKeys;
using ::leat::testing::RegisteredStep;
using ::leat::testing::RequestList;
using ::leat::testing::RequestOne;
using ::leat::testing::TestClock;
using ::leat::testing::TestTask;
using ::leat::testing::WorkerTest;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPs[] = "/job:ps/replica:0/task:0";

// Asks for tensors of a step. If `request_id` is 0, the worker does not
// remember the request.
using Ask = absl::FunctionRef<CallRef(int64_t step_id, int64_t request_id)>;

void ExpectServedOnce(TestTask& task, Ask ask) {
  const int64_t step_id = RandomStepId();
  const CallRef first = ask(step_id, 9);
  const absl::Status again = ask(step_id, 9)->Wait().status();
  EXPECT_EQ(again.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(again.message(), HasSubstr("received twice"));
  EXPECT_FALSE(first->is_done());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_EQ(first->Wait().status().code(), absl::StatusCode::kAborted);
}

void ExpectFreedByTheEnd(TestTask& task, Ask ask) {
  const int64_t step_id = RandomStepId();
  const CallRef early = ask(step_id, 0);
  EXPECT_FALSE(early->is_done());
  EXPECT_EQ(task.steps().num_steps(), 1u);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  const absl::Status ended = early->Wait().status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(ended));
  // A peer that asks after the end of the step gets the same error.
  const absl::Status late = ask(step_id, 0)->Wait().status();
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(late));
}

// ---------------------------------------------------------------------------
// Tests calls that ask for one tensor.

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
  key.tensor_name = std::string(kMaxRecvKeyBytes, 'x');
  const absl::Status long_key = Recv(key.ToString(), step_id)->Wait().status();
  EXPECT_EQ(long_key.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(long_key.message(), HasSubstr("bytes, more than 4096"));
  EXPECT_EQ(task.steps().num_steps(), 0u);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, AsksForATensorAreServedOnce) {
  ExpectServedOnce(task, [&](int64_t step_id, int64_t request_id) {
    return Recv(KeyForWorker("x"), step_id, request_id);
  });
}

TEST_F(WorkerTest, WhoAsksForATensorIsFreedByTheEndOfTheStep) {
  ExpectFreedByTheEnd(task, [&](int64_t step_id, int64_t request_id) {
    return Recv(KeyForWorker("x"), step_id, request_id);
  });
}

TEST_F(WorkerTest, WhoAsksForATensorMayGiveUp) {
  const int64_t step_id = RandomStepId();
  const CallRef given_up = Recv(KeyForWorker("x"), step_id);
  EXPECT_FALSE(given_up->is_done());
  given_up->Cancel();
  const absl::Status status = given_up->Wait().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
  // The outbox still has the receive, but must not hold the call or its
  // context.
  EXPECT_EQ(given_up.use_count(), 1);
  EXPECT_EQ(given_up->context.use_count(), 1);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

// The outbox keeps the callback of a call until the step ends, so the callback
// must release the request as soon as the call has replied.
TEST_F(WorkerTest, ACallThatHasRepliedKeepsNothingOfItsRequest) {
  const int64_t step_id = RandomStepId();
  const CallRef opens_the_step = Recv(KeyForWorker("never"), step_id);
  const auto outbox = task.steps().Find(step_id).value();
  const RecvKeys::Shared keys =
      ParsedKeys({KeyForWorker("a"), KeyForWorker("b")});
  const auto context = std::make_shared<CallContext>();
  absl::Status status;
  ReceiveForPeer(
      *outbox,
      {.form = RecvForm::kList, .step_id = step_id, .keys = RecvKeys(keys)}, 0,
      std::make_shared<Traffic>(ClusterSpec(), TestClock()), context,
      [&](const absl::StatusOr<Payload>& reply) { status = reply.status(); });
  EXPECT_EQ(keys.use_count(), 2);
  context->cancellation.Cancel(absl::CancelledError("by the test"));
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("RecvTensors of '/job:ps"), HasSubstr("by the test")));
  EXPECT_EQ(keys.use_count(), 1);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_FALSE(opens_the_step->Wait().ok());
}

TEST_F(WorkerTest, WhoHasGivenUpIsNotServed) {
  const int64_t step_id = RandomStepId();
  const auto call = std::make_shared<leat::testing::DirectCall>();
  call->Cancel();
  task.Serve(methods::kRecvTensor, RequestOne(step_id, KeyForWorker("x"), 0),
             call);
  EXPECT_EQ(call->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

// Encoding strings takes long, so a thread of the transport must not do it.
TEST_F(WorkerTest, ThePoolEncodesStringsForPeers) {
  const int64_t step_id = RandomStepId();
  const CallRef opens_the_step = Recv(KeyForWorker("never"), step_id);
  const auto outbox = task.steps().Find(step_id).value();
  WorkQueue& pool = task.devices().compute_queue();
  const std::thread::id here = std::this_thread::get_id();
  const Tensor text = Tensor::Scalar<std::string>("text");
  const Tensor number = Tensor::Scalar(1.0f);
  int num_keys = 0;
  const auto expect_replies = [&](const std::vector<SentTensor>& all,
                                  bool by_pool) {
    std::vector<std::string> keys;
    for (const SentTensor& sent : all) {
      keys.push_back(KeyForWorker(absl::StrCat("t", num_keys++)));
      EXPECT_TRUE(
          outbox->Send(ParsedKey(keys.back()), sent.tensor, sent.is_dead).ok());
    }
    const bool is_one = keys.size() == 1;
    leat::testing::Event replied;
    ReceiveForPeer(*outbox,
                   {.form = is_one ? RecvForm::kOne : RecvForm::kList,
                    .step_id = step_id,
                    .keys = is_one ? RecvKeys(ParsedKey(keys[0]))
                                   : RecvKeys(ParsedKeys(keys))},
                   0, std::make_shared<Traffic>(ClusterSpec(), TestClock()),
                   std::make_shared<CallContext>(),
                   [&](const absl::StatusOr<Payload>& reply) {
                     EXPECT_TRUE(reply.ok()) << reply.status();
                     EXPECT_EQ(pool.IsWorkerThread(), by_pool);
                     EXPECT_EQ(std::this_thread::get_id() == here, !by_pool);
                     replied.Set();
                   });
    EXPECT_TRUE(replied.Wait());
  };
  const SentTensor dead{.is_dead = true};
  expect_replies({{.tensor = text}}, true);
  expect_replies({{.tensor = number}}, false);
  expect_replies({dead}, false);
  expect_replies({{.tensor = number}, {.tensor = text}}, true);
  expect_replies({{.tensor = number}, dead}, false);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_FALSE(opens_the_step->Wait().ok());
}

TEST_F(WorkerTest, OnlyLivePlainBytesAreGivenAsABuffer) {
  const int64_t step_id = RandomStepId();
  const CallRef opens_the_step = Recv(KeyForWorker("never"), step_id);
  const auto outbox = task.steps().Find(step_id).value();
  int num_buffers = 0;
  const auto answer = [&](const SentTensor& sent) {
    const ParsedKey key =
        BufferKey(task.device(), task.incarnation(), cluster[1].device(),
                  absl::StrCat("1:2:0:0:", num_buffers++));
    EXPECT_TRUE(outbox->Send(key, sent.tensor, sent.is_dead).ok());
    const auto call = std::make_shared<leat::testing::DirectCall>();
    task.Serve(methods::kRecvBuf,
               EncodeRecvRequest({.form = RecvForm::kBuffer,
                                  .step_id = step_id,
                                  .keys = RecvKeys(ParsedKey(key))}),
               call);
    return call->Wait().status();
  };
  const absl::Status refused = absl::InvalidArgumentError(
      "RecvBuf needs a live tensor of plain bytes on the host");
  EXPECT_EQ(answer({.tensor = Tensor::Scalar(1.0f)}), absl::OkStatus());
  EXPECT_EQ(answer({.tensor = Tensor::Scalar<std::string>("text")}), refused);
  EXPECT_EQ(answer({.is_dead = true}), refused);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_FALSE(opens_the_step->Wait().ok());
}

// ---------------------------------------------------------------------------
// Tests calls that ask for several tensors.

TEST_F(WorkerTest, GivesTensorsTogetherWhenAllAreThere) {
  const int64_t step_id = RandomStepId();
  const CallRef call = RecvAll(
      {KeyForWorker("a"), KeyForWorker("b"), KeyForWorker("c")}, step_id);
  const auto outbox = task.steps().Find(step_id).value();
  const Tensor a = Tensor::Vector<float>({1, 2});
  const Tensor b = Tensor::Scalar<int>(3);
  EXPECT_TRUE(outbox->Send(ParsedKey(KeyForWorker("c")), Tensor(), true).ok());
  EXPECT_TRUE(outbox->Send(ParsedKey(KeyForWorker("a")), a, false).ok());
  EXPECT_FALSE(call->is_done());
  EXPECT_EQ(task.recvs().size(), 3u);
  EXPECT_TRUE(outbox->Send(ParsedKey(KeyForWorker("b")), b, false).ok());
  const absl::StatusOr<Payload> reply = call->Wait();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(task.recvs().size(), 0u);
  const auto response = DecodeRecvResponse(RecvForm::kList, reply->header);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->is_dead, ElementsAre(false, false, true));
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
  const auto outbox = task.steps().Find(step_id).value();
  for (const char* tensor : {"a", "b"}) {
    EXPECT_TRUE(outbox
                    ->Send(ParsedKey(KeyForWorker(tensor)),
                           Tensor::Scalar<int>(*tensor), false)
                    .ok());
  }
  const CallRef call = RecvAll({KeyForWorker("b"), KeyForWorker("a")}, step_id);
  ASSERT_TRUE(call->is_done());
  const absl::StatusOr<Payload> reply = call->Wait();
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->tensors.size(), 2u);
  EXPECT_EQ(reply->tensors[0].tensor.scalar<int>(), 'b');
  EXPECT_EQ(reply->tensors[1].tensor.scalar<int>(), 'a');
  EXPECT_FALSE(other->is_done());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_FALSE(other->Wait().ok());
}

TEST_F(WorkerTest, TheFirstErrorEndsAllOfTheTensors) {
  const auto error = [&](const std::vector<std::string>& keys) {
    const int64_t step_id = RandomStepId();
    const absl::Status status = RecvAll(keys, step_id)->Wait().status();
    // After the error, the task does not wait for the remaining tensors.
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
  // A key may be asked for only once.
  EXPECT_EQ(error({good, good}).code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(WorkerTest, RefusesToGiveNoTensorsOrTooMany) {
  const int64_t step_id = RandomStepId();
  const absl::Status none = RecvAll({}, step_id)->Wait().status();
  EXPECT_EQ(none.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(none.message(), HasSubstr("has 0 keys"));
  const std::vector<std::string> keys(kMaxRecvKeys + 1, "key");
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
  ExpectServedOnce(task, [&](int64_t step_id, int64_t request_id) {
    return RecvAll({KeyForWorker("a"), KeyForWorker("b")}, step_id, request_id);
  });
}

TEST_F(WorkerTest, WhoAsksForSeveralTensorsIsFreedByTheEndOfTheStep) {
  ExpectFreedByTheEnd(task, [&](int64_t step_id, int64_t request_id) {
    return RecvAll({KeyForWorker("a"), KeyForWorker("b")}, step_id, request_id);
  });
}

TEST_F(WorkerTest, WhoAsksForSeveralTensorsMayGiveUp) {
  const int64_t step_id = RandomStepId();
  const CallRef given_up =
      RecvAll({KeyForWorker("a"), KeyForWorker("b")}, step_id);
  const Tensor a = Tensor::Scalar(1.0f);
  EXPECT_TRUE(task.steps()
                  .Find(step_id)
                  .value()
                  ->Send(ParsedKey(KeyForWorker("a")), a, false)
                  .ok());
  EXPECT_FALSE(given_up->is_done());
  EXPECT_EQ(task.recvs().size(), 2u);
  EXPECT_FALSE(a.IsUnique());
  given_up->Cancel();
  const absl::Status status = given_up->Wait().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
  // No other peer waits for this step, so the task no longer has the step.
  EXPECT_EQ(task.steps().num_steps(), 0u);
  EXPECT_EQ(task.recvs().size(), 0u);
  EXPECT_TRUE(a.IsUnique());
  EXPECT_EQ(given_up.use_count(), 1);
  EXPECT_EQ(given_up->context.use_count(), 1);
}

TEST_F(WorkerTest, WhoGivesUpInAStepThatRunsLeavesNothingThere) {
  const int64_t step_id = RandomStepId();
  const auto outbox =
      task.steps().Begin(step_id, "session", this, [](const absl::Status&) {});
  ASSERT_TRUE(outbox.ok()) << outbox.status();
  const CallRef given_up =
      RecvAll({KeyForWorker("a"), KeyForWorker("b")}, step_id);
  const Tensor a = Tensor::Scalar(1.0f), b = Tensor::Scalar(2.0f);
  EXPECT_TRUE((*outbox)->Send(ParsedKey(KeyForWorker("a")), a, false).ok());
  EXPECT_EQ(task.recvs().size(), 2u);
  EXPECT_FALSE(a.IsUnique());
  given_up->Cancel();
  EXPECT_EQ(given_up->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(task.recvs().size(), 0u);
  EXPECT_EQ(given_up.use_count(), 1);
  EXPECT_EQ(given_up->context.use_count(), 1);
  EXPECT_TRUE(a.IsUnique());
  // The peer no longer waits for b either. So the outbox does not keep b.
  EXPECT_TRUE((*outbox)->Send(ParsedKey(KeyForWorker("b")), b, false).ok());
  EXPECT_TRUE(b.IsUnique());
  task.steps().Finish(step_id, this, absl::OkStatus());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, WhoHasGivenUpGetsNoTensors) {
  const int64_t step_id = RandomStepId();
  const auto call = std::make_shared<leat::testing::DirectCall>();
  call->Cancel();
  task.Serve(methods::kRecvTensors,
             RequestList(step_id, {KeyForWorker("a"), KeyForWorker("b")}, 0),
             call);
  EXPECT_EQ(call->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(task.steps().num_steps(), 0u);
}

// The queue gets its element only after `neg` has arrived at the worker. If
// `neg` and the element were in one bundle, each would wait for the other. So
// no bundle has both (partitioner/bundles.h).
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

}  // namespace
}  // namespace leat::worker_recv_test
