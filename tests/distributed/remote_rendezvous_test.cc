// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/remote_rendezvous.h"

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
#include "leat/distributed/recv_call.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/distributed/wire.h"
#include "leat/protos/step_stats.pb.h"
#include "leat/runtime/step_stats.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/marked_recvs.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/received_tensor.h"

namespace leat {
namespace {

using ::leat::testing::BundlesOf;
using ::leat::testing::FakeTransport;
using ::leat::testing::MarkedRecv;
using ::leat::testing::ReceivedMessage;
using ::leat::testing::ReceivedTensor;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kStepId = 12;
const char kPs[] = "/job:ps/replica:0/task:0";
const char kWorker[] = "/job:worker/replica:0/task:0";

ClusterSpec Cluster() {
  return *ClusterSpec::Create(
      {{"ps", {{0, "ps:1"}}}, {"worker", {{0, "worker:1"}, {1, "gone:1"}}}});
}

std::unique_ptr<DeviceSet> Devices(const char* task) {
  return *DeviceSet::Create(
      {.task = task, .num_threads = 2, .cpu_memory_bytes = 1 << 28});
}

// As a transport between processes gives it.
Payload Received(Payload response) {
  const auto segments =
      *EncodePayload(std::move(response), methods::kRecvTensor.response);
  std::string bytes;
  for (const Segment& segment : segments) {
    if (segment.tensor.IsValid()) {
      bytes.append(segment.tensor.raw_data(),
                   static_cast<size_t>(segment.tensor.num_bytes()));
    } else {
      bytes += segment.bytes;
    }
  }
  return *SplitPayload(ReceivedMessage(bytes).Take(),
                       methods::kRecvTensor.response);
}

// One task with one step.
struct Task {
  Task(const char* name, const char* address, FakeTransport& transport,
       size_t max_entries = 1000)
      : devices(Devices(name)),
        peers(Cluster(), transport, devices->compute_queue(), nullptr, 1 << 28),
        rendezvous(std::make_shared<RemoteRendezvous>(kStepId, *devices, peers,
                                                      max_entries)) {
    transport.Serve(address, [this](std::shared_ptr<CallContext> context,
                                    Payload payload, Reply reply) {
      {
        MutexLock lock(mutex);
        last_call = std::move(context);
        ++num_pulls;
      }
      const auto request = *DecodeRecvTensorRequest(payload.header);
      // Who has sent a large tensor is asked what it is (GetStatus).
      if (request.key.empty()) {
        return std::move(reply)(absl::UnimplementedError("not asked here"));
      }
      EXPECT_EQ(request.step_id, kStepId);
      rendezvous->RecvForPeer(request.key, [this, reply = std::move(reply)](
                                               const absl::Status& status,
                                               Tensor tensor,
                                               bool is_dead) mutable {
        if (!status.ok()) return std::move(reply)(status);
        Payload response = EncodeRecvTensorResponse(std::move(tensor), is_dead);
        if (is_remote) response = Received(std::move(response));
        std::move(reply)(std::move(response));
      });
    });
    transport.Serve(address, methods::kRecvTensors,
                    [this](std::shared_ptr<CallContext> context,
                           const Payload& payload, Reply reply) {
                      GiveBundle(std::move(context), payload, std::move(reply));
                    });
  }

  void GiveBundle(std::shared_ptr<CallContext> context, const Payload& payload,
                  Reply reply) {
    {
      MutexLock lock(mutex);
      last_call = context;
      ++num_bundle_pulls;
    }
    if (bundle_answer) return std::move(reply)(bundle_answer());
    auto request = *DecodeRecvTensorsRequest(payload.header);
    EXPECT_EQ(request.step_id, kStepId);
    EXPECT_NE(request.request_id, 0);
    if (is_remote) reply = AsReceived(std::move(reply));
    ReceiveBundleForPeer(*rendezvous, std::move(request),
                         static_cast<int64_t>(payload.header.size()),
                         peers.traffic(), std::move(context), std::move(reply));
  }

  static Reply AsReceived(Reply reply) {
    return
        [reply = std::move(reply)](absl::StatusOr<Payload> response) mutable {
          if (response.ok()) response = Received(*std::move(response));
          std::move(reply)(std::move(response));
        };
  }

  const Device& device() const { return *devices->devices().front(); }
  std::shared_ptr<CallContext> LastCall() {
    MutexLock lock(mutex);
    return last_call;
  }

  // Calls that it has had.
  int NumPulls() {
    MutexLock lock(mutex);
    return num_pulls;
  }
  int NumBundlePulls() {
    MutexLock lock(mutex);
    return num_bundle_pulls;
  }

  bool is_remote = false;  // tensors travel as bytes
  std::function<absl::StatusOr<Payload>()> bundle_answer;  // or its own
  Mutex mutex;
  std::shared_ptr<CallContext> last_call ABSL_GUARDED_BY(mutex);
  int num_pulls ABSL_GUARDED_BY(mutex) = 0;
  int num_bundle_pulls ABSL_GUARDED_BY(mutex) = 0;
  std::unique_ptr<DeviceSet> devices;
  Peers peers;
  std::shared_ptr<RemoteRendezvous> rendezvous;
};

std::string Key(const Task& from, const Task& to, absl::string_view name,
                uint64_t frame = 0, int64_t iteration = 0) {
  RendezvousKey key;
  key.send_device = from.device().name();
  key.send_incarnation = from.device().info().incarnation;
  key.recv_device = to.device().name();
  key.tensor_name = std::string(name);
  key.frame = frame;
  key.iteration = iteration;
  return key.ToString();
}

class RemoteRendezvousTest : public ::testing::Test {
 protected:
  ReceivedTensor Recv(Task& task, absl::string_view key) {
    ReceivedTensor received;
    task.rendezvous->RecvAsync(key, received.Done());
    return received;
  }
  ReceivedTensor RecvForPeer(Task& task, absl::string_view key) {
    ReceivedTensor received;
    task.rendezvous->RecvForPeer(key, received.Done());
    return received;
  }

  FakeTransport transport_;
  Task ps_{kPs, "ps:1", transport_};
  Task worker_{kWorker, "worker:1", transport_};
};

TEST_F(RemoteRendezvousTest, HandsOverWithinTheTask) {
  const std::string key = Key(ps_, ps_, "x", 77, 3);
  const ReceivedTensor received = Recv(ps_, key);
  EXPECT_EQ(received.calls(), 0);
  ASSERT_TRUE(ps_.rendezvous->Send(key, Tensor::Scalar<int>(3), false).ok());
  ASSERT_EQ(received.calls(), 1);
  EXPECT_EQ(received.tensor().scalar<int>(), 3);
}

TEST_F(RemoteRendezvousTest, PullsWhatAnotherTaskProduces) {
  for (const bool send_first : {false, true}) {
    const std::string key = Key(ps_, worker_, absl::StrCat("x", send_first));
    const Tensor sent = Tensor::Vector<float>({1, 2});
    if (send_first) {
      ASSERT_TRUE(ps_.rendezvous->Send(key, sent, false).ok());
    }
    const ReceivedTensor received = Recv(worker_, key);
    if (!send_first) {
      EXPECT_EQ(received.calls(), 0);
      ASSERT_TRUE(ps_.rendezvous->Send(key, sent, false).ok());
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
    ASSERT_TRUE(ps_.rendezvous->Send(key, Tensor(), true).ok());
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
  ASSERT_TRUE(ps_.rendezvous->Send(key, sent, false).ok());
  const ReceivedTensor received = Recv(worker_, key);
  ASSERT_TRUE(received.Wait());
  EXPECT_TRUE(Identical(received.tensor(), sent));
  EXPECT_GE(allocator.stats().live_bytes - before, sent.num_bytes());
}

TEST_F(RemoteRendezvousTest, SendsForItsOwnDevicesOnly) {
  const absl::Status foreign = ps_.rendezvous->Send(
      Key(worker_, ps_, "x"), Tensor::Scalar<int>(3), false);
  EXPECT_EQ(foreign, absl::InvalidArgumentError(
                         absl::StrCat("Invalid rendezvous key (src): ",
                                      Key(worker_, ps_, "x"), " @ ", kPs)));
  EXPECT_EQ(ps_.rendezvous->Send("x", Tensor::Scalar<int>(3), false),
            absl::InvalidArgumentError("Invalid  rendezvous key: x"));
}

// A graph that was made for a process that this one has taken the place of.
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
  expect_restart(ps_.rendezvous->Send(stale, Tensor::Scalar<int>(1), false));
  expect_restart(Recv(ps_, stale).status());
  // Through the peer: of its failure.
  const absl::Status pulled = Recv(worker_, stale).status();
  expect_restart(pulled);
  EXPECT_TRUE(IsDerived(pulled));
  // Also for the task that had the address before.
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
  // A long one is not repeated in full.
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
  EXPECT_EQ(worker_.rendezvous->Send(Key(worker_, ps_, "z"),
                                     Tensor::Scalar<int>(1), false),
            reason);
}

TEST_F(RemoteRendezvousTest, DestructionEndsPullsAndWhoWaits) {
  const ReceivedTensor pull = Recv(worker_, Key(ps_, worker_, "x"));
  const ReceivedTensor local = Recv(worker_, Key(worker_, worker_, "x"));
  worker_.rendezvous.reset();
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
  ASSERT_TRUE(ps_.rendezvous->Send(key, Tensor::Scalar<int>(1), false).ok());
  EXPECT_EQ(pull.calls(), 1);
}

// ---------------------------------------------------------------------------
// Bundles

MarkedRecv Marked(const Task& from, const Task& to, const std::string& tensor,
                  int64_t bundle) {
  return {.tensor = tensor,
          .bundle = bundle,
          .sender = from.device().name(),
          .incarnation = from.device().info().incarnation,
          .receiver = to.device().name()};
}

class BundleTest : public RemoteRendezvousTest {
 protected:
  // These come from the parameter server together.
  void UseBundles(const std::vector<std::vector<std::string>>& bundles) {
    std::vector<MarkedRecv> recvs;
    for (size_t i = 0; i < bundles.size(); ++i) {
      for (const std::string& tensor : bundles[i]) {
        recvs.push_back(Marked(ps_, worker_, tensor, static_cast<int64_t>(i)));
      }
    }
    worker_.rendezvous->UseBundles(BundlesOf(recvs));
  }
  std::string PsKey(absl::string_view tensor) {
    return Key(ps_, worker_, tensor);
  }
  ReceivedTensor RecvOf(absl::string_view tensor) {
    return Recv(worker_, PsKey(tensor));
  }
  void SendOf(absl::string_view tensor, Tensor value, bool is_dead = false) {
    const absl::Status status =
        ps_.rendezvous->Send(PsKey(tensor), std::move(value), is_dead);
    EXPECT_TRUE(status.ok()) << status;
  }
};

TEST_F(BundleTest, IsPulledWithOneCallWhenAllIsAskedFor) {
  UseBundles({{"a0", "b0", "c0"}, {"a1", "b1", "c1"}});
  const Tensor a = Tensor::Vector<float>({1, 2});
  const Tensor b = Tensor::Scalar<std::string>("b");
  for (const int i : {0, 1}) {
    ps_.is_remote = i == 1;
    const std::string a_name = absl::StrCat("a", i);
    const std::string b_name = absl::StrCat("b", i);
    const std::string c_name = absl::StrCat("c", i);
    const ReceivedTensor received_c = RecvOf(c_name);
    SendOf(a_name, a);
    const ReceivedTensor received_a = RecvOf(a_name);
    EXPECT_EQ(ps_.NumBundlePulls(), i);
    const ReceivedTensor received_b = RecvOf(b_name);
    EXPECT_EQ(ps_.NumBundlePulls(), i + 1);
    EXPECT_EQ(worker_.peers.traffic()->recvs().size(), 3u);
    SendOf(c_name, Tensor(), /*is_dead=*/true);
    EXPECT_EQ(received_a.calls() + received_b.calls() + received_c.calls(), 0);
    SendOf(b_name, b);
    for (const ReceivedTensor& received :
         {received_a, received_b, received_c}) {
      ASSERT_EQ(received.calls(), 1);
      EXPECT_TRUE(received.status().ok()) << received.status();
    }
    EXPECT_TRUE(Identical(received_a.tensor(), a));
    EXPECT_TRUE(Identical(received_b.tensor(), b));
    EXPECT_TRUE(received_c.is_dead());
    EXPECT_FALSE(received_a.is_dead() || received_b.is_dead());
    EXPECT_EQ(received_a.tensor().SharesBufferWith(a), !ps_.is_remote);
    EXPECT_EQ(worker_.peers.traffic()->recvs().size(), 0u);
    EXPECT_EQ(ps_.peers.traffic()->recvs().size(), 0u);
  }
  EXPECT_EQ(ps_.NumPulls(), 0);
}

TEST_F(BundleTest, TakesNothingElse) {
  UseBundles({{"a", "b"}});
  const ReceivedTensor first = RecvOf("a");
  SendOf("other", Tensor::Scalar<int>(7));
  EXPECT_EQ(RecvOf("other").tensor().scalar<int>(), 7);
  EXPECT_EQ(ps_.NumPulls(), 1);
  // In another iteration it is another one.
  const std::string in_loop = Key(ps_, worker_, "b", 5, 1);
  const ReceivedTensor looped = Recv(worker_, in_loop);
  EXPECT_EQ(ps_.NumPulls(), 2);
  // So is what is asked for again.
  const ReceivedTensor again = RecvOf("a");
  EXPECT_EQ(ps_.NumPulls(), 3);
  const ReceivedTensor local = Recv(worker_, Key(worker_, worker_, "b"));
  EXPECT_EQ(first.calls() + looped.calls() + again.calls() + local.calls(), 0);
  EXPECT_EQ(ps_.NumBundlePulls(), 0);
}

TEST_F(BundleTest, TheFirstOnesOfAStepStay) {
  UseBundles({{"a", "b"}});
  UseBundles({{"b", "c"}});
  const ReceivedTensor c = RecvOf("c");
  EXPECT_EQ(ps_.NumPulls(), 1);
  const ReceivedTensor a = RecvOf("a"), b = RecvOf("b");
  EXPECT_EQ(ps_.NumPulls(), 1);
  EXPECT_EQ(ps_.NumBundlePulls(), 1);
}

TEST_F(BundleTest, LargeOnesAreCopiedOnAThreadOfThePool) {
  ps_.is_remote = true;
  UseBundles({{"a", "b"}});
  const Tensor a = Tensor::Filled<float>(Shape{50'000}, 1);
  const Tensor b = Tensor::Filled<float>(Shape{50'000}, 2);
  SendOf("a", a);
  SendOf("b", b);
  Allocator& allocator = worker_.devices->devices()[0]->host_allocator();
  const int64_t before = allocator.stats().live_bytes;
  const ReceivedTensor received_a = RecvOf("a"), received_b = RecvOf("b");
  ASSERT_TRUE(received_a.Wait());
  ASSERT_TRUE(received_b.Wait());
  EXPECT_TRUE(Identical(received_a.tensor(), a));
  EXPECT_TRUE(Identical(received_b.tensor(), b));
  EXPECT_GE(allocator.stats().live_bytes - before,
            a.num_bytes() + b.num_bytes());
}

TEST_F(BundleTest, AnErrorReachesAll) {
  UseBundles({{"a", "b", "c"}, {"d", "e"}});
  const absl::Status cause = absl::InternalError("bad op");
  const ReceivedTensor a = RecvOf("a"), b = RecvOf("b"), c = RecvOf("c");
  SendOf("a", Tensor::Scalar(1.0f));
  ps_.rendezvous->StartAbort(cause);
  const ReceivedTensor d = RecvOf("d"), e = RecvOf("e");
  for (const ReceivedTensor& received : {a, b, c, d, e}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status(), AsDerived(cause));
    EXPECT_FALSE(received.tensor().IsValid());
  }
}

TEST_F(BundleTest, NamesTheTaskThatCannotBeReached) {
  std::vector<MarkedRecv> recvs;
  for (const char* tensor : {"edge_5_w/read", "edge_6_b/read"}) {
    recvs.push_back({.tensor = tensor,
                     .sender = "/job:worker/replica:0/task:1/device:CPU:0",
                     .receiver = worker_.device().name()});
  }
  for (const char* tensor : {"x", "y"}) {
    recvs.push_back({.tensor = tensor,
                     .bundle = 1,
                     .sender = "/job:worker/replica:0/task:8/device:CPU:0",
                     .receiver = worker_.device().name()});
  }
  worker_.rendezvous->UseBundles(BundlesOf(recvs));
  std::vector<ReceivedTensor> received;
  for (const MarkedRecv& recv : recvs) {
    received.push_back(Recv(worker_, leat::testing::KeyOf(recv)));
  }
  for (const int i : {0, 1}) {
    EXPECT_EQ(received[static_cast<size_t>(i)].status(),
              absl::UnavailableError(
                  "task /job:worker/replica:0/task:1 (gone:1) cannot be "
                  "reached: connection refused while receiving "
                  "'edge_5_w/read' and 1 more"));
  }
  for (const int i : {2, 3}) {
    EXPECT_EQ(received[static_cast<size_t>(i)].status().code(),
              absl::StatusCode::kNotFound);
  }
}

TEST_F(BundleTest, AnAbortEndsThoseThatWaitForTheRest) {
  UseBundles({{"a", "b"}, {"c", "d"}});
  const ReceivedTensor a = RecvOf("a");
  const ReceivedTensor c = RecvOf("c"), d = RecvOf("d");
  const std::shared_ptr<CallContext> call = ps_.LastCall();
  EXPECT_EQ(a.calls() + c.calls() + d.calls(), 0);
  const absl::Status reason = AsDerived(absl::InternalError("bad op"));
  worker_.rendezvous->StartAbort(reason);
  worker_.rendezvous->StartAbort(absl::InternalError("an echo"));
  EXPECT_TRUE(call->cancellation.IsCancelled());
  for (const ReceivedTensor& received : {a, c, d, RecvOf("b"), RecvOf("e")}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status(), reason);
  }
  EXPECT_EQ(ps_.NumBundlePulls(), 1);
  EXPECT_EQ(ps_.NumPulls(), 0);
  EXPECT_EQ(worker_.peers.traffic()->recvs().size(), 0u);
  EXPECT_EQ(ps_.peers.traffic()->recvs().size(), 0u);
}

TEST_F(BundleTest, DestructionEndsThoseThatWaitForTheRest) {
  UseBundles({{"a", "b"}, {"c", "d"}});
  const ReceivedTensor a = RecvOf("a");
  const ReceivedTensor c = RecvOf("c"), d = RecvOf("d");
  worker_.rendezvous.reset();
  for (const ReceivedTensor& received : {a, c, d}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kCancelled);
    EXPECT_TRUE(IsDerived(received.status()));
  }
}

TEST_F(BundleTest, MayComeAfterTheStep) {
  transport_.IgnoreCancellation();
  UseBundles({{"a", "b"}});
  const ReceivedTensor a = RecvOf("a"), b = RecvOf("b");
  worker_.rendezvous.reset();
  EXPECT_EQ(a.calls() + b.calls(), 0);
  SendOf("a", Tensor::Scalar<int>(1));
  SendOf("b", Tensor::Scalar<int>(2));
  EXPECT_EQ(a.calls(), 1);
  EXPECT_EQ(b.calls(), 1);
}

TEST_F(BundleTest, RepliesThatDoNotFitAreRefused) {
  const auto reply_of = [](int num_tensors, int num_flags) {
    const SentTensor sent{.tensor = Tensor::Scalar<int>(1)};
    Payload reply = EncodeRecvTensorsResponse(
        std::vector<SentTensor>(static_cast<size_t>(num_flags), sent));
    const WireTensor wire{.tensor = Tensor::Scalar<int>(2)};
    reply.tensors.resize(static_cast<size_t>(num_tensors), wire);
    return reply;
  };
  struct Case {
    std::function<Payload()> reply;
    const char* why;
  };
  const std::vector<Case> cases = {
      {[&] { return reply_of(0, 0); }, "0 tensors, of which 0 are said"},
      {[&] { return reply_of(1, 1); }, "1 tensors, of which 1 are said"},
      {[&] { return reply_of(3, 3); }, "3 tensors, of which 3 are said"},
      {[&] { return reply_of(1, 2); }, "1 tensors, of which 2 are said"},
      {[&] { return reply_of(3, 2); }, "3 tensors, of which 2 are said"},
      {[&] { return reply_of(2, 1); }, "2 tensors, of which 1 are said"},
      {[&] { return reply_of(2, 3); }, "2 tensors, of which 3 are said"},
      {[&] {
         Payload reply = reply_of(2, 2);
         reply.tensors[1].tensor = Tensor();
         return reply;
       },
       "no tensor for '"},
      {[&] {
         Payload reply = reply_of(2, 2);
         reply.header = "\xff";
         return reply;
       },
       "malformed RecvTensorsResponse"},
      {[] {
         // Two TensorProtos, the second one of dtype 99.
         return *SplitPayload(
             ReceivedMessage(
                 absl::string_view("\x0a\x02\x08\x01\x0a\x02\x08\x63", 8))
                 .Take(),
             methods::kRecvTensors.response);
       },
       ""}};
  std::vector<std::vector<std::string>> bundles;
  for (size_t i = 0; i < cases.size(); ++i) {
    bundles.push_back({absl::StrCat("first_", i), absl::StrCat("second_", i)});
  }
  bundles.push_back({"good", "dead"});
  UseBundles(bundles);
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].why);
    ps_.bundle_answer = [&] { return cases[i].reply(); };
    const ReceivedTensor first = RecvOf(bundles[i][0]);
    const ReceivedTensor second = RecvOf(bundles[i][1]);
    for (const ReceivedTensor& received : {first, second}) {
      ASSERT_EQ(received.calls(), 1);
      EXPECT_EQ(received.status().code(), absl::StatusCode::kInvalidArgument)
          << received.status();
      EXPECT_THAT(
          std::string(received.status().message()),
          AllOf(HasSubstr(absl::StrCat("task ", kPs, " answered RecvTensors")),
                HasSubstr(absl::StrCat("'first_", i, "' and 1 more")),
                HasSubstr(cases[i].why)));
      EXPECT_FALSE(IsDerived(received.status()));
    }
  }
  // A dead one needs none.
  ps_.bundle_answer = [] {
    std::vector<SentTensor> sent(2);
    sent[0].tensor = Tensor::Scalar<int>(5);
    sent[1].is_dead = true;
    Payload reply = EncodeRecvTensorsResponse(std::move(sent));
    reply.tensors[1].tensor = Tensor();
    return reply;
  };
  const ReceivedTensor good = RecvOf("good"), dead = RecvOf("dead");
  ASSERT_TRUE(good.status().ok()) << good.status();
  EXPECT_EQ(good.tensor().scalar<int>(), 5);
  EXPECT_TRUE(dead.status().ok()) << dead.status();
  EXPECT_TRUE(dead.is_dead());
}

TEST_F(BundleTest, EachPullIsRecorded) {
  UseBundles({{"edge_1_w", "edge_2_b"}, {"edge_3_x", "edge_4_y"}});
  const auto recorder = std::make_shared<StepStatsRecorder>();
  worker_.rendezvous->RecordPulls(recorder);
  const ReceivedTensor w = RecvOf("edge_1_w"), b = RecvOf("edge_2_b");
  SendOf("edge_1_w", Tensor::Vector<float>({1, 2, 3}));
  SendOf("edge_2_b", Tensor(), /*is_dead=*/true);
  EXPECT_EQ(w.tensor().num_elements(), 3);
  EXPECT_TRUE(b.is_dead());
  // What fails is none.
  ps_.bundle_answer = [] { return absl::InternalError("bad op"); };
  EXPECT_EQ(RecvOf("edge_3_x").calls(), 0);
  EXPECT_FALSE(RecvOf("edge_4_y").status().ok());
  pb::StepStats stats;
  recorder->Export(stats);
  ASSERT_EQ(stats.dev_stats_size(), 1);
  EXPECT_EQ(stats.dev_stats(0).device(), worker_.device().name());
  ASSERT_EQ(stats.dev_stats(0).node_stats_size(), 2);
  const auto& nodes = stats.dev_stats(0).node_stats();
  const std::string ends = absl::StrCat(" from ", ps_.device().name(), " to ",
                                        worker_.device().name());
  EXPECT_THAT(nodes[0].timeline_label(),
              AllOf(HasSubstr("[12B]"), HasSubstr("edge_1_w" + ends)));
  EXPECT_THAT(nodes[1].timeline_label(),
              AllOf(HasSubstr("[0B]"), HasSubstr("edge_2_b" + ends)));
  for (const pb::NodeExecStats& node : nodes) {
    EXPECT_EQ(node.node_name(), "RecvTensor");
  }
}

TEST_F(BundleTest, TakesTheMemoryOfTheSession) {
  constexpr int64_t kBytes = 2000;
  ps_.is_remote = true;
  UseBundles({{"a0", "b0"}, {"a1", "b1"}});
  for (const int i : {0, 1}) {
    for (const char* tensor : {"a", "b"}) {
      SendOf(absl::StrCat(tensor, i),
             Tensor::Filled<float>(Shape{kBytes / 4}, 1));
    }
  }
  const auto use = [this](int64_t limit_bytes) {
    auto session = std::make_shared<const SessionDevices>(
        *worker_.devices, "session 1a2b", limit_bytes);
    worker_.rendezvous->UseSession(session);
    return session;
  };
  // For one of them.
  const auto small = use(kBytes * 3 / 2);
  const ReceivedTensor a0 = RecvOf("a0"), b0 = RecvOf("b0");
  for (const ReceivedTensor& received : {a0, b0}) {
    EXPECT_EQ(received.calls(), 1);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(received.status().message()),
                HasSubstr("of session 1a2b"));
  }
  EXPECT_EQ(small->live_bytes(), 0);
  const auto large = use(10 * kBytes);
  {
    const ReceivedTensor a1 = RecvOf("a1"), b1 = RecvOf("b1");
    EXPECT_TRUE(a1.status().ok()) << a1.status();
    EXPECT_TRUE(b1.status().ok()) << b1.status();
    EXPECT_GE(large->live_bytes(), 2 * kBytes);
  }
  EXPECT_EQ(large->live_bytes(), 0);
}

// ---------------------------------------------------------------------------

TEST(RemoteRendezvousLimitTest, BoundsWhatPeersAskFor) {
  FakeTransport transport;
  Task ps(kPs, "ps:1", transport, /*max_entries=*/3);
  Task worker(kWorker, "worker:1", transport);
  std::vector<ReceivedTensor> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back();
    ps.rendezvous->RecvForPeer(Key(ps, worker, absl::StrCat("x", i)),
                               waiting.back().Done());
  }
  EXPECT_EQ(waiting[2].calls(), 0);
  EXPECT_EQ(waiting[3].status().code(), absl::StatusCode::kResourceExhausted);
}

// Senders, pullers and aborts of both tasks at once: every pull ends once. In
// some rounds those of all pullers come in bundles.
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
      worker.rendezvous->UseBundles(BundlesOf(recvs));
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
          const absl::Status status =
              ps.rendezvous->Send(Key(ps, worker, absl::StrCat(t, ".", i)),
                                  Tensor::Scalar(i), false);
          EXPECT_TRUE(status.ok() || IsDerived(status)) << status;
        }
      });
      start([&, t] {
        for (int i = 0; i < kKeys; ++i) {
          worker.rendezvous->RecvAsync(Key(ps, worker, absl::StrCat(t, ".", i)),
                                       received[t * kKeys + i].Done());
        }
      });
    }
    for (Task* const task : {&ps, &worker}) {
      start([task, round] {
        if (round % 4 == 3) return;  // some steps succeed
        std::this_thread::sleep_for(std::chrono::microseconds(round * 10));
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
    threads.reset();  // when what they run has ended
    for (const ReceivedTensor& each : received) EXPECT_EQ(each.calls(), 1);
  }
  EXPECT_GE(completed, kRounds / 4 * 3 * kKeys);
}

}  // namespace
}  // namespace leat
