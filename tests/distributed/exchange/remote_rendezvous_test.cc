// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/remote_rendezvous.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/recv_call.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/wire/wire.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/protos/step_stats.pb.h"
#include "leat/runtime/step_stats.h"
#include "leat/tests/distributed/exchange/marked_recvs.h"
#include "leat/tests/distributed/exchange/remote_rendezvous_fixture.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/received_tensor.h"

namespace leat::testing::rendezvous {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(RemoteRendezvousTest, HandsOverWithinTheTask) {
  const std::string key = Key(ps_, ps_, "x", 77, 3);
  const ReceivedTensor received = Recv(ps_, key);
  EXPECT_EQ(received.calls(), 0);
  ASSERT_TRUE(
      ps_.rendezvous->Send(ParsedKey(key), Tensor::Scalar<int>(3), false).ok());
  ASSERT_EQ(received.calls(), 1);
  EXPECT_EQ(received.tensor().scalar<int>(), 3);
}

// Graphs of several masters may use the same keys.
TEST_F(RemoteRendezvousTest, RunsOfASharedStepShareOnlyBuffers) {
  const std::string device(ps_.device().name());
  const std::string edge = Key(ps_, ps_, "edge_1_x");
  const std::string buffer(
      BufferKey(device, ps_.device().info().incarnation, device, "1:2:0:0:x")
          .text());
  ps_.Run({.is_shared = true});
  RemoteRendezvous other(ps_.outbox, ps_.receiver, {.is_shared = true});
  const ReceivedTensor own = Recv(ps_, edge), sent = Recv(ps_, buffer);
  const ReceivedTensor waiting = Recv(ps_, Key(ps_, ps_, "edge_2_x"));
  for (const std::string& key : {edge, buffer}) {
    ASSERT_TRUE(other.Send(ParsedKey(key), Tensor::Scalar<int>(1), false).ok());
  }
  EXPECT_EQ(own.calls(), 0);
  EXPECT_EQ(sent.calls(), 1);
  ASSERT_TRUE(
      ps_.rendezvous->Send(ParsedKey(edge), Tensor::Scalar<int>(2), false)
          .ok());
  ASSERT_EQ(own.calls(), 1);
  EXPECT_EQ(own.tensor().scalar<int>(), 2);
  const absl::Status reason = AsDerived(absl::InternalError("bad op"));
  other.StartAbort(reason);
  EXPECT_EQ(waiting.status(), reason);
}

TEST_F(RemoteRendezvousTest, PullsWhatAnotherTaskProduces) {
  for (const bool send_first : {false, true}) {
    const std::string key = Key(ps_, worker_, absl::StrCat("x", send_first));
    const Tensor sent = Tensor::Vector<float>({1, 2});
    if (send_first) {
      ASSERT_TRUE(ps_.rendezvous->Send(ParsedKey(key), sent, false).ok());
    }
    const ReceivedTensor received = Recv(worker_, key);
    if (!send_first) {
      EXPECT_EQ(received.calls(), 0);
      ASSERT_TRUE(ps_.rendezvous->Send(ParsedKey(key), sent, false).ok());
    }
    ASSERT_EQ(received.calls(), 1);
    EXPECT_TRUE(received.status().ok()) << received.status();
    EXPECT_TRUE(Identical(received.tensor(), sent));
    EXPECT_FALSE(received.is_dead());
  }
}

TEST_F(RemoteRendezvousTest, PullsDeadTensors) {
  for (const bool is_remote : {false, true}) {
    ps_.is_remote = is_remote;
    const std::string key = Key(ps_, worker_, "x", 5, is_remote);
    ASSERT_TRUE(ps_.rendezvous->Send(ParsedKey(key), Tensor(), true).ok());
    const ReceivedTensor received = Recv(worker_, key);
    EXPECT_TRUE(received.status().ok()) << received.status();
    EXPECT_TRUE(received.is_dead());
  }
}

TEST_F(RemoteRendezvousTest, ReceivesInMemoryOfTheReceivingDevice) {
  ps_.is_remote = true;
  Allocator& allocator = worker_.devices->devices()[0]->host_allocator();
  const int64_t before = allocator.stats().live_bytes;
  const std::string key = Key(ps_, worker_, "x");
  const Tensor sent = Tensor::Filled<float>(Shape{int64_t{1} << 20}, 1);
  ASSERT_TRUE(ps_.rendezvous->Send(ParsedKey(key), sent, false).ok());
  const ReceivedTensor received = Recv(worker_, key);
  ASSERT_TRUE(received.Wait());
  EXPECT_TRUE(Identical(received.tensor(), sent));
  EXPECT_GE(allocator.stats().live_bytes - before, sent.num_bytes());
}

TEST_F(RemoteRendezvousTest, SendsForItsOwnDevicesOnly) {
  const absl::Status foreign = ps_.rendezvous->Send(
      ParsedKey(Key(worker_, ps_, "x")), Tensor::Scalar<int>(3), false);
  EXPECT_EQ(foreign, absl::InvalidArgumentError(
                         absl::StrCat("Invalid rendezvous key (src): ",
                                      Key(worker_, ps_, "x"), " @ ", kPs)));
  EXPECT_EQ(ps_.rendezvous->Send(ParsedKey("x"), Tensor::Scalar<int>(3), false),
            absl::InvalidArgumentError("Invalid  rendezvous key: x"));
}

// A stale key has the incarnation that the device had before its task was
// restarted.
TEST_F(RemoteRendezvousTest, RefusesKeysOfAnotherIncarnation) {
  const uint64_t own = ps_.device().info().incarnation;
  const std::string stale =
      absl::StrCat(ps_.device().name(), ";", absl::Hex(own ^ 1), ";",
                   worker_.device().name(), ";x;0:0");
  const auto expect_restart = [&](const absl::Status& status) {
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(status.message(),
              absl::StrCat(
                  "RecvTensor expects a different device incarnation: ",
                  own ^ 1, " vs. ", own, ". Your worker job (\"", kPs,
                  "\") was probably restarted. Check your worker job for the "
                  "reason why it was restarted."));
    EXPECT_TRUE(status.GetPayload(kWorkerPossiblyRestartedPayload));
  };
  expect_restart(RecvForPeer(ps_, stale).status());
  expect_restart(
      ps_.rendezvous->Send(ParsedKey(stale), Tensor::Scalar<int>(1), false));
  expect_restart(Recv(ps_, stale).status());
  // The worker marks the error as derived, because the cause is an error of the
  // peer.
  const absl::Status pulled = Recv(worker_, stale).status();
  expect_restart(pulled);
  EXPECT_TRUE(IsDerived(pulled));
  // This key names a task that had the address of the ps earlier. Such a key is
  // refused in the same way.
  std::string other = stale;
  other.replace(other.find("task:0"), 6, "task:9");
  expect_restart(RecvForPeer(ps_, other).status());
}

TEST_F(RemoteRendezvousTest, AnswersPeersInTensorFlowsWords) {
  std::string key = Key(ps_, worker_, "x");
  std::string unknown = key;
  unknown.replace(unknown.find("CPU:0"), 5, "CPU:7");
  EXPECT_EQ(RecvForPeer(ps_, unknown).status(),
            absl::InvalidArgumentError("/device:CPU:7 unknown device."));
  EXPECT_EQ(Recv(ps_, unknown).status().code(),
            absl::StatusCode::kInvalidArgument);
  std::string foreign = key;
  foreign.replace(foreign.find("task:0"), 6, "task:9");
  EXPECT_EQ(RecvForPeer(ps_, foreign).status(),
            absl::InvalidArgumentError(absl::StrCat(
                "Invalid rendezvous key (src): ", foreign, " @ ", kPs)));
  for (const char* malformed :
       {"",
        "x",
        ";;;;",
        "/cpu:0;1;/cpu:0;name",
        "/cpu:0;1;/cpu:0;name;0:0;x",
        "cpu;1;/cpu:0;name;0:0",
        "/cpu:0;1;cpu;name;0:0",
        "/cpu:0;;/cpu:0;name;0:0",
        "/cpu:0;xyz;/cpu:0;name;0:0",
        "/cpu:0;-1;/cpu:0;name;0:0",
        "/cpu:0;0x1;/cpu:0;name;0:0",
        "/cpu:0;11112222333344445;/cpu:0;n;0:0",
        "/cpu:0;1;/cpu:0;;0:0",
        "/cpu:0;1;/cpu:0;name;0",
        "/cpu:0;1;/cpu:0;name;0:",
        "/cpu:0;1;/cpu:0;name;:0",
        "/cpu:0;1;/cpu:0;name;0:0:0",
        "/cpu:0;1;/cpu:0;name;0:-1",
        "/cpu:0;1;/cpu:0;name;0: 1",
        "/cpu:0;1;/cpu:0;name;0:1 ",
        "/cpu:0;1;/cpu:0;name;0:9223372036854775808",
        "/cpu:0;1;/cpu:0;name;18446744073709551616:0"}) {
    EXPECT_EQ(RecvForPeer(ps_, malformed).status(),
              absl::InvalidArgumentError(
                  absl::StrCat("Invalid  rendezvous key: ", malformed)));
    EXPECT_EQ(Recv(ps_, malformed).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  // The error message does not repeat a long key in full.
  EXPECT_LT(
      RecvForPeer(ps_, std::string(100'000, 'x')).status().message().size(),
      2000u);
}

TEST_F(RemoteRendezvousTest, RefusesToReceiveForOthers) {
  const std::string key = Key(ps_, ps_, "x");
  EXPECT_EQ(Recv(worker_, key).status(),
            absl::InvalidArgumentError(absl::StrCat(
                "Invalid rendezvous key (dst): ", key, " @ ", kWorker)));
}

TEST_F(RemoteRendezvousTest, NamesTheTaskThatCannotBeReached) {
  std::string key = Key(ps_, worker_, "edge_5_w/read");
  key.replace(key.find("/job:ps/replica:0/task:0"), 24,
              "/job:worker/replica:0/task:1");
  const absl::Status status = Recv(worker_, key).status();
  EXPECT_EQ(status, absl::UnavailableError(
                        "task /job:worker/replica:0/task:1 (gone:1) cannot be "
                        "reached: connection refused while receiving "
                        "'edge_5_w/read'"));
  key.replace(key.find("task:1"), 6, "task:8");
  EXPECT_EQ(Recv(worker_, key).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(RemoteRendezvousTest, AnAbortEndsPullsAndWhoWaits) {
  const ReceivedTensor pull = Recv(worker_, Key(ps_, worker_, "x"));
  const std::shared_ptr<CallContext> call = ps_.LastCall();
  const ReceivedTensor local = Recv(worker_, Key(worker_, worker_, "x"));
  const ReceivedTensor peers = RecvForPeer(worker_, Key(worker_, ps_, "x"));
  EXPECT_EQ(pull.calls() + local.calls() + peers.calls(), 0);
  EXPECT_FALSE(call->cancellation.IsCancelled());
  const absl::Status reason = AsDerived(absl::InternalError("bad op"));
  worker_.rendezvous->StartAbort(reason);
  worker_.rendezvous->StartAbort(absl::InternalError("an echo"));
  EXPECT_TRUE(call->cancellation.IsCancelled());
  for (const ReceivedTensor& received :
       {pull, local, peers, Recv(worker_, Key(ps_, worker_, "y")),
        Recv(worker_, Key(worker_, worker_, "y")),
        RecvForPeer(worker_, Key(worker_, ps_, "y"))}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status(), reason);
  }
  EXPECT_EQ(worker_.rendezvous->Send(ParsedKey(Key(worker_, ps_, "z")),
                                     Tensor::Scalar<int>(1), false),
            reason);
}

// A step may have several runs on a task, one for each graph. The failure of
// one run must end the pulls of the other runs.
TEST_F(RemoteRendezvousTest, AnAbortEndsThePullsOfEveryRunOfTheStep) {
  const auto bundles =
      BundlesOf({Marked(ps_, worker_, "a", 0), Marked(ps_, worker_, "b", 0)});
  RemoteRendezvous other(worker_.outbox, worker_.receiver,
                         {.bundles = bundles});
  const auto recv = [&](absl::string_view name) {
    ReceivedTensor received;
    other.RecvAsync(ParsedKey(Key(ps_, worker_, name)), received.Done());
    return received;
  };
  const ReceivedTensor pull = recv("x"), in_bundle = recv("a");
  const std::shared_ptr<CallContext> call = ps_.LastCall();
  EXPECT_EQ(pull.calls() + in_bundle.calls(), 0);
  const absl::Status reason = AsDerived(absl::InternalError("bad op"));
  worker_.rendezvous->StartAbort(reason);
  EXPECT_TRUE(call->cancellation.IsCancelled());
  // The step is already aborted when this run begins.
  worker_.Run({});
  for (const ReceivedTensor& received :
       {pull, in_bundle, recv("b"), Recv(worker_, Key(ps_, worker_, "y"))}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status(), reason);
  }
  EXPECT_EQ(ps_.NumPulls(), 1);
  EXPECT_EQ(ps_.NumBundlePulls(), 0);
}

TEST_F(RemoteRendezvousTest, DestructionEndsThePullsOfOneRun) {
  RemoteRendezvous other(worker_.outbox, worker_.receiver, RunInputs());
  const std::string key = Key(ps_, worker_, "x");
  ReceivedTensor pull;
  other.RecvAsync(ParsedKey(key), pull.Done());
  worker_.rendezvous.reset();
  EXPECT_EQ(pull.calls(), 0);
  ASSERT_TRUE(
      ps_.rendezvous->Send(ParsedKey(key), Tensor::Scalar<int>(1), false).ok());
  EXPECT_EQ(pull.calls(), 1);
  EXPECT_TRUE(pull.status().ok()) << pull.status();
}

TEST_F(RemoteRendezvousTest, DestructionEndsPullsAndWhoWaits) {
  const ReceivedTensor pull = Recv(worker_, Key(ps_, worker_, "x"));
  const ReceivedTensor local = Recv(worker_, Key(worker_, worker_, "x"));
  worker_.rendezvous.reset();
  EXPECT_EQ(pull.calls(), 1);
  EXPECT_EQ(local.calls(), 0);
  worker_.outbox.reset();
  for (const ReceivedTensor& received : {pull, local}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kCancelled);
  }
}

TEST_F(RemoteRendezvousTest, APullMayEndAfterIt) {
  transport_.IgnoreCancellation();
  const std::string key = Key(ps_, worker_, "x");
  const ReceivedTensor pull = Recv(worker_, key);
  worker_.rendezvous.reset();
  EXPECT_EQ(pull.calls(), 0);
  ASSERT_TRUE(
      ps_.rendezvous->Send(ParsedKey(key), Tensor::Scalar<int>(1), false).ok());
  EXPECT_EQ(pull.calls(), 1);
}

// ---------------------------------------------------------------------------
// Tests limits and concurrency.

TEST(RemoteRendezvousLimitTest, BoundsWhatPeersAskFor) {
  FakeTransport transport;
  Task ps(kPs, "ps:1", transport, /*max_entries=*/3);
  Task worker(kWorker, "worker:1", transport);
  std::vector<ReceivedTensor> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back();
    ps.outbox->RecvForPeer(ParsedKey(Key(ps, worker, absl::StrCat("x", i))),
                           waiting.back().Done());
  }
  EXPECT_EQ(waiting[2].calls(), 0);
  EXPECT_EQ(waiting[3].status().code(), absl::StatusCode::kResourceExhausted);
}

// Senders, receivers and aborts of both tasks run at the same time, and every
// receive must end exactly once. In some rounds the receives are in bundles.
TEST(RemoteRendezvousConcurrencyTest, EveryPullEndsOnce) {
  constexpr int kRounds = 60;
  constexpr int kKeys = 40;
  int completed = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::unique_ptr<WorkQueue> threads = NewThreadPool("transport", 2);
    FakeTransport transport(threads.get());
    Task ps(kPs, "ps:1", transport);
    Task worker(kWorker, "worker:1", transport);
    ps.is_remote = round % 2 == 0;
    if (round % 3 == 0) {
      std::vector<MarkedRecv> recvs;
      for (int i = 0; i < 3 * kKeys; ++i) {
        recvs.push_back(Marked(ps, worker, absl::StrCat(i % 3, ".", i / 3),
                               /*bundle=*/i / 9));
      }
      worker.Run({.bundles = BundlesOf(recvs)});
    }
    std::vector<ReceivedTensor> received(3 * kKeys);
    std::atomic<bool> go{false};
    std::vector<std::thread> workers;
    const auto start = [&](auto work) {
      workers.emplace_back([&go, work] {
        while (!go) std::this_thread::yield();
        work();
      });
    };
    for (int t = 0; t < 3; ++t) {
      start([&, t] {
        for (int i = 0; i < kKeys; ++i) {
          const absl::Status status = ps.rendezvous->Send(
              ParsedKey(Key(ps, worker, absl::StrCat(t, ".", i))),
              Tensor::Scalar(i), false);
          EXPECT_TRUE(status.ok() || IsDerived(status)) << status;
        }
      });
      start([&, t] {
        for (int i = 0; i < kKeys; ++i) {
          worker.rendezvous->RecvAsync(
              ParsedKey(Key(ps, worker, absl::StrCat(t, ".", i))),
              received[t * kKeys + i].Done());
        }
      });
    }
    for (Task* const task : {&ps, &worker}) {
      start([task, round] {
        if (round % 4 == 3) return;  // Some steps succeed.
        for (int i = 0; i < round * 10; ++i) std::this_thread::yield();
        task->rendezvous->StartAbort(AsDerived(absl::AbortedError("abort")));
      });
    }
    go = true;
    for (std::thread& thread : workers) thread.join();
    for (const ReceivedTensor& each : received) {
      ASSERT_TRUE(each.Wait());
      completed += each.status().ok();
      EXPECT_TRUE(each.status().ok() || IsDerived(each.status()))
          << each.status();
    }
    threads.reset();  // waits for the closures of the threads
    for (const ReceivedTensor& each : received) EXPECT_EQ(each.calls(), 1);
  }
  EXPECT_GE(completed, kRounds / 4 * 3 * kKeys);
}

}  // namespace
}  // namespace leat::testing::rendezvous
