// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/peers.h"

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/received_tensor.h"

namespace leat::peers_test {
namespace {

using ::leat::testing::FakeTransport;
using ::leat::testing::OfTheWay;
using ::leat::testing::ReceivedMessage;
using ::leat::testing::ReceivedTensor;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char kPs[] = "/job:ps/replica:0/task:0";
const char kWorker[] = "/job:worker/replica:0/task:3";
const char kPsAddress[] = "127.0.0.1:7001";
const char kWorkerAddress[] = "127.0.0.1:7002";
const char kKey[] =
    "/job:ps/replica:0/task:0/device:CPU:0;000000000000abcd;"
    "/job:worker/replica:0/task:3/device:CPU:0;edge_5_w/read;0:0";

ClusterSpec Cluster() {
  return *ClusterSpec::Create(
      {{"ps", {{0, kPsAddress}}}, {"worker", {{3, kWorkerAddress}}}});
}

// Counts allocations on the threads of a queue and elsewhere.
class WatchedAllocator final : public Allocator {
 public:
  explicit WatchedAllocator(const WorkQueue& queue) : queue_(queue) {}
  BufferRef Allocate(size_t bytes) override {
    ++(queue_.IsWorkerThread() ? on_queue_ : elsewhere_);
    return HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "watched"; }
  int on_queue() const { return on_queue_; }
  int elsewhere() const { return elsewhere_; }

 private:
  const WorkQueue& queue_;
  std::atomic<int> on_queue_{0};
  std::atomic<int> elsewhere_{0};
};

// Encodes a response and splits it again, so that it becomes what a transport
// between processes gives its receiver.
Payload Received(Payload response) {
  const auto segments =
      *EncodePayload(std::move(response), methods::kRecvTensor.response);
  std::string bytes;
  for (const Segment& segment : segments) {
    if (!segment.tensor.IsValid()) {
      bytes += segment.bytes;
    } else {
      bytes.append(segment.tensor.raw_data(),
                   static_cast<size_t>(segment.tensor.num_bytes()));
    }
  }
  return *SplitPayload(ReceivedMessage(bytes).Take(),
                       methods::kRecvTensor.response);
}

class PeersTest : public ::testing::Test {
 protected:
  using Answer = std::function<absl::StatusOr<Payload>(const Payload&)>;

  void Serve(const char* address, Answer answer) {
    transport_.Serve(
        address, [answer](std::shared_ptr<CallContext>, Payload request,
                          Reply reply) { std::move(reply)(answer(request)); });
  }

  absl::StatusOr<Payload> Call(absl::string_view task) {
    absl::StatusOr<Payload> result = absl::UnknownError("not called");
    peers_.Call(
        task, methods::kCleanupGraph, Payload(), {},
        [&](absl::StatusOr<Payload> reply) { result = std::move(reply); });
    return result;
  }

  absl::StatusOr<PeerStatus> GetStatus(absl::string_view task) {
    absl::StatusOr<PeerStatus> result = absl::UnknownError("not called");
    peers_.GetStatus(task, {}, [&](absl::StatusOr<PeerStatus> status) {
      result = std::move(status);
    });
    return result;
  }

  ReceivedTensor Recv(absl::string_view task,
                      std::shared_ptr<Cancellation> cancellation = {}) {
    ReceivedTensor received;
    peers_.RecvTensor(task, 12, kKey, allocator_, std::move(cancellation),
                      received.Done());
    EXPECT_TRUE(received.Wait());
    EXPECT_EQ(received.calls(), 1);
    return received;
  }

  FakeTransport transport_;
  const std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test", 1);
  WatchedAllocator allocator_{*queue_};
  Peers peers_{Cluster(), transport_, *queue_, nullptr, 1 << 24};
};

TEST_F(PeersTest, CallsTasksAtTheirAddresses) {
  for (const char* address : {kPsAddress, kWorkerAddress}) {
    Serve(address, [address](const Payload&) {
      Payload reply;
      reply.header = address;
      return reply;
    });
  }
  EXPECT_EQ(Call(kPs)->header, kPsAddress);
  EXPECT_EQ(Call(kWorker)->header, kWorkerAddress);
}

TEST_F(PeersTest, DoNotFindATaskOutsideOfTheCluster) {
  const absl::Status expected = absl::NotFoundError(
      "there is no task '/job:ps/replica:0/task:1' in the cluster");
  const char* const task = "/job:ps/replica:0/task:1";
  EXPECT_EQ(Call(task).status(), expected);
  EXPECT_EQ(GetStatus(task).status(), expected);
  EXPECT_EQ(Recv(task).status(), expected);
}

TEST_F(PeersTest, NameTaskAndAddressInErrorsOfTheWay) {
  EXPECT_EQ(Call(kPs).status(),
            absl::UnavailableError("task /job:ps/replica:0/task:0 "
                                   "(127.0.0.1:7001) cannot be reached: "
                                   "connection refused"));
  Serve(kWorkerAddress, [](const Payload&) {
    return OfTheWay(absl::DeadlineExceededError("1s"));
  });
  EXPECT_EQ(Call(kWorker).status(),
            absl::DeadlineExceededError("task /job:worker/replica:0/task:3 "
                                        "(127.0.0.1:7002) did not answer in "
                                        "time: 1s"));
}

TEST_F(PeersTest, LeaveWhatAPeerSaysAsItIs) {
  absl::Status said = absl::UnavailableError("queue 'q' is closed");
  said.SetPayload("k", absl::Cord("v"));
  Serve(kPsAddress, [said](const Payload&) { return said; });
  EXPECT_EQ(Call(kPs).status(), said);
}

TEST_F(PeersTest, TellTasksOfLeatFromTensorFlows) {
  for (const bool is_leat : {true, false}) {
    const std::string task = is_leat ? kPs : kWorker;
    Serve(is_leat ? kPsAddress : kWorkerAddress, [=](const Payload& request) {
      pb::GetStatusRequest message;
      EXPECT_TRUE(message.ParseFromString(request.header));
      EXPECT_EQ(message.leat().version(), kLeatPeerVersion);
      pb::GetStatusResponse response;
      pb::DeviceAttributes& device = *response.add_device_attributes();
      device.set_name(absl::StrCat(task, "/device:CPU:0"));
      device.set_device_type("CPU");
      device.set_memory_limit(1000);
      device.set_incarnation(UINT64_MAX);
      if (is_leat) response.mutable_leat()->set_version(kLeatPeerVersion);
      Payload payload;
      payload.header = response.SerializeAsString();
      return payload;
    });
  }
  const auto ps = GetStatus(kPs);
  const auto worker = GetStatus(kWorker);
  ASSERT_TRUE(ps.ok()) << ps.status();
  ASSERT_TRUE(worker.ok()) << worker.status();
  EXPECT_TRUE(ps->is_leat);
  EXPECT_FALSE(worker->is_leat);
  ASSERT_EQ(ps->devices.size(), 1u);
  EXPECT_EQ(ps->devices[0].name, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(ps->devices[0].incarnation, UINT64_MAX);
  EXPECT_EQ(ps->devices[0].memory_bytes, 1000);
  // TensorFlow's tasks do not tolerate the pings.
  EXPECT_THAT(transport_.pinged(), ElementsAre(kPsAddress));
  EXPECT_THAT(transport_.asked(), ElementsAre(kWorkerAddress));
}

TEST_F(PeersTest, RefuseTasksOfAnotherVersion) {
  Serve(kPsAddress, [](const Payload&) {
    pb::GetStatusResponse response;
    response.mutable_leat()->set_version(kLeatPeerVersion + 1);
    Payload payload;
    payload.header = response.SerializeAsString();
    return payload;
  });
  const absl::Status refused = GetStatus(kPs).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(refused.message(), HasSubstr(kPs));
  EXPECT_THAT(refused.message(),
              HasSubstr(absl::StrCat(
                  "it speaks version ", kLeatPeerVersion + 1,
                  " of Leat's protocol between tasks, its caller version ",
                  kLeatPeerVersion)));
  EXPECT_THAT(transport_.pinged(), ElementsAre());
  EXPECT_THAT(transport_.asked(), ElementsAre());
}

TEST_F(PeersTest, RefuseStatusesThatMakeNoSense) {
  std::string header = "\xff";
  Serve(kPsAddress, [&header](const Payload&) {
    Payload payload;
    payload.header = header;
    return payload;
  });
  EXPECT_EQ(GetStatus(kPs).status(),
            absl::InvalidArgumentError(
                "task /job:ps/replica:0/task:0 answered GetStatus wrongly: "
                "malformed GetStatusResponse"));
  for (const char* name :
       {"/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0",
        "/job:ps/replica:0/task:01/device:CPU:0", "x"}) {
    pb::GetStatusResponse response;
    response.add_device_attributes()->set_name(name);
    response.mutable_device_attributes(0)->set_device_type("CPU");
    response.mutable_device_attributes(0)->set_incarnation(1);
    response.mutable_leat()->set_version(kLeatPeerVersion);
    header = response.SerializeAsString();
    EXPECT_EQ(GetStatus(kPs).status().code(),
              absl::StatusCode::kInvalidArgument)
        << name;
  }
  EXPECT_THAT(transport_.pinged(), ElementsAre());
  EXPECT_THAT(transport_.asked(), ElementsAre());
}

TEST_F(PeersTest, AskForATensorOnce) {
  std::set<int64_t> ids;
  Serve(kPsAddress, [&ids](const Payload& payload) {
    pb::RecvTensorRequest request;
    EXPECT_TRUE(request.ParseFromString(payload.header));
    EXPECT_EQ(request.step_id(), 12);
    EXPECT_EQ(request.rendezvous_key(), kKey);
    EXPECT_TRUE(request.dma_ok());
    EXPECT_NE(request.request_id(), 0);
    EXPECT_TRUE(ids.insert(request.request_id()).second);
    const auto decoded = DecodeRecvTensorRequest(payload.header);
    EXPECT_EQ(decoded->step_id, 12);
    EXPECT_EQ(decoded->key, kKey);
    EXPECT_EQ(decoded->request_id, request.request_id());
    return EncodeRecvTensorResponse(Tensor::Scalar<int>(5), false);
  });
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Recv(kPs).status().ok());
  EXPECT_EQ(ids.size(), 100u);
}

TEST_F(PeersTest, GiveTensorsDeadOnesToo) {
  bool is_dead = false;
  bool is_received = false;
  const Tensor sent = Tensor::Vector<double>({1, 2, 3});
  Serve(kPsAddress, [&](const Payload&) {
    Payload response = EncodeRecvTensorResponse(sent, is_dead);
    return is_received ? Received(std::move(response)) : std::move(response);
  });
  ReceivedTensor shared = Recv(kPs);
  EXPECT_TRUE(shared.tensor().SharesBufferWith(sent));
  EXPECT_FALSE(shared.is_dead());
  is_received = true;
  ReceivedTensor copied = Recv(kPs);
  EXPECT_TRUE(Identical(copied.tensor(), sent));
  EXPECT_FALSE(copied.is_dead());
  for (const bool received : {false, true}) {
    is_dead = true;
    is_received = received;
    ReceivedTensor dead = Recv(kPs);
    EXPECT_TRUE(dead.status().ok());
    EXPECT_TRUE(dead.is_dead());
  }
}

// A dead tensor is sent as TensorFlow does: an empty float[0], whatever the
// dtype of the edge.
TEST_F(PeersTest, SendDeadTensorsAsTensorFlowDoes) {
  const Payload dead = EncodeRecvTensorResponse(Tensor::Scalar<int>(7), true);
  ASSERT_EQ(dead.tensors.size(), 1u);
  EXPECT_TRUE(Identical(dead.tensors[0].tensor, Tensor::Vector<float>({})));
  EXPECT_TRUE(DecodeRecvTensorResponse(dead.header)->is_dead);
  EXPECT_FALSE(
      DecodeRecvTensorResponse(
          EncodeRecvTensorResponse(Tensor::Scalar<int>(7), false).header)
          ->is_dead);
}

TEST_F(PeersTest, CopyLargeTensorsOnAThreadOfThePool) {
  int64_t elements = 1000;
  Serve(kPsAddress, [&elements](const Payload&) {
    return Received(EncodeRecvTensorResponse(
        Tensor::Filled<double>(Shape{elements}, 1.5), false));
  });
  EXPECT_EQ(Recv(kPs).tensor().num_elements(), elements);
  EXPECT_EQ(allocator_.on_queue(), 0);
  const int small = allocator_.elsewhere();
  elements = 100'000;
  const ReceivedTensor large = Recv(kPs);
  EXPECT_EQ(large.tensor().data<double>()[elements - 1], 1.5);
  EXPECT_EQ(allocator_.elsewhere(), small);
}

TEST_F(PeersTest, RefuseTensorsAboveTheLimit) {
  Serve(kPsAddress, [](const Payload&) {
    return Received(EncodeRecvTensorResponse(
        Tensor::Filled<float>(Shape{int64_t{1} << 23}, 0), false));
  });
  const ReceivedTensor received = Recv(kPs);
  EXPECT_EQ(received.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(allocator_.on_queue() + allocator_.elsewhere(), 0);
}

TEST_F(PeersTest, TakeAPeersFailureForTheCauseOfItsOwn) {
  absl::Status said = absl::InvalidArgumentError("indices = 7");
  said.SetPayload("k", absl::Cord("v"));
  Serve(kPsAddress, [said](const Payload&) { return said; });
  EXPECT_EQ(Recv(kPs).status(), AsDerived(said));
  EXPECT_FALSE(IsDerived(said));
}

TEST_F(PeersTest, KnowThatAnUnreachableTaskIsACause) {
  const absl::Status expected = absl::UnavailableError(
      "task /job:ps/replica:0/task:0 (127.0.0.1:7001) cannot be reached: "
      "connection refused while receiving 'edge_5_w/read'");
  const absl::Status status = Recv(kPs).status();
  EXPECT_EQ(status, expected);
  EXPECT_FALSE(IsDerived(status));
}

TEST_F(PeersTest, EndACancelledCallWithItsReason) {
  auto held = std::make_shared<Reply>();
  transport_.Serve(kPsAddress,
                   [held](std::shared_ptr<CallContext>, Payload, Reply reply) {
                     *held = std::move(reply);
                   });
  auto cancellation = std::make_shared<Cancellation>();
  ReceivedTensor received;
  peers_.RecvTensor(kPs, 12, kKey, allocator_, cancellation, received.Done());
  EXPECT_EQ(received.calls(), 0);
  const absl::Status reason = AsDerived(absl::AbortedError("step failed"));
  cancellation->Cancel(reason);
  EXPECT_EQ(received.calls(), 1);
  EXPECT_EQ(received.status(), reason);
  std::move (*held)(absl::InternalError("late"));
  EXPECT_EQ(received.calls(), 1);
  EXPECT_EQ(Recv(kPs, cancellation).status(), reason);
}

TEST_F(PeersTest, RefuseRepliesThatMakeNoSense) {
  Payload (*make)() = nullptr;
  Serve(kPsAddress, [&make](const Payload&) { return make(); });
  const auto expect_refused = [&](absl::string_view why, Payload (*reply)()) {
    make = reply;
    const ReceivedTensor received = Recv(kPs);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(received.status().message()),
                AllOf(HasSubstr(kPs), HasSubstr(kKey), HasSubstr(why)));
    EXPECT_FALSE(IsDerived(received.status()));
  };
  expect_refused("0 tensors instead of one", [] { return Payload(); });
  expect_refused("2 tensors instead of one", [] {
    Payload two = EncodeRecvTensorResponse(Tensor::Scalar<int>(1), false);
    two.tensors.push_back({.tensor = Tensor::Scalar<int>(2)});
    return two;
  });
  expect_refused("2 tensors instead of one", [] {
    Payload two = EncodeRecvTensorResponse(Tensor::Scalar<int>(1), false);
    two.tensors.push_back({.tensor = Tensor::Scalar<int>(2)});
    return Received(std::move(two));
  });
  expect_refused("with a transfer; nobody wished one", [] {
    return EncodeTransferResponse(
        {.id = 1,
         .total_bytes = 2 * kMinChunkBytes,
         .chunk_bytes = kMinChunkBytes,
         .dtype = DType::kUint8,
         .shape = Shape{2 * kMinChunkBytes}},
        Tensor::Filled<uint8_t>(Shape{kMinChunkBytes}, 0));
  });
  expect_refused("malformed RecvTensorResponse", [] {
    Payload malformed;
    malformed.header = "\xff";
    return malformed;
  });
  expect_refused("", [] {
    // This reply has a TensorProto of dtype 99.
    return *SplitPayload(
        ReceivedMessage(absl::string_view("\x0a\x02\x08\x63", 4)).Take(),
        methods::kRecvTensor.response);
  });
}

// Returns the status of a task that can send chunks.
Payload StatusWithChunks() {
  pb::GetStatusResponse status;
  status.mutable_leat()->set_version(kLeatPeerVersion);
  status.mutable_leat()->set_max_chunk_bytes(kMaxChunkBytes);
  return {.header = status.SerializeAsString()};
}

TEST_F(PeersTest, AreMetOnce) {
  int num_calls = 0;
  Serve(kPsAddress, [&num_calls](const Payload&) -> absl::StatusOr<Payload> {
    if (num_calls++ == 0) return absl::UnavailableError("not yet");
    return StatusWithChunks();
  });
  peers_.Meet(kPs);
  EXPECT_THAT(transport_.pinged(), ElementsAre());
  for (int i = 0; i < 3; ++i) peers_.Meet(kPs);
  EXPECT_EQ(num_calls, 2);
  EXPECT_THAT(transport_.pinged(), ElementsAre(kPsAddress));
  peers_.Meet("/job:absent/replica:0/task:0");
}

// Large headers are refused because they must not be parsed on a thread of the
// transport.
TEST_F(PeersTest, RefuseLargeHeaders) {
  Serve(kPsAddress, [](const Payload&) {
    Payload payload;
    payload.header = std::string(65537, '\0');
    return payload;
  });
  for (const absl::Status& status :
       {GetStatus(kPs).status(), Recv(kPs).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(kPs), HasSubstr("65537 bytes, more than")));
  }
}

Payload FirstOfTwoChunks(int64_t chunk_bytes) {
  return EncodeTransferResponse({.id = 1,
                                 .total_bytes = 2 * chunk_bytes,
                                 .chunk_bytes = chunk_bytes,
                                 .dtype = DType::kUint8,
                                 .shape = Shape{2 * chunk_bytes}},
                                Tensor::Filled<uint8_t>(Shape{chunk_bytes}, 0));
}

TEST_F(PeersTest, RefuseTransfersInLargerChunksThanWished) {
  bool has_chunks = false;
  Serve(kPsAddress, [&has_chunks](const Payload&) {
    if (!std::exchange(has_chunks, true)) return StatusWithChunks();
    return FirstOfTwoChunks(2 * ChunkOptions().chunk_bytes);
  });
  ASSERT_TRUE(GetStatus(kPs).ok());
  const ReceivedTensor received = Recv(kPs);
  EXPECT_EQ(received.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(received.status().message()),
              HasSubstr("in chunks of 2097152 bytes; 1048576 were wished"));
}

// The peer itself has announced the transfer, so NOT_FOUND does not mean that
// the node is missing.
TEST_F(PeersTest, TellWhoHasForgottenATensorThatIsBeingFetched) {
  absl::Status said;
  int num_calls = 0;
  Serve(kPsAddress, [&](const Payload&) -> absl::StatusOr<Payload> {
    if (num_calls++ == 0) return StatusWithChunks();
    if (num_calls > 2) return said;
    return FirstOfTwoChunks(ChunkOptions().chunk_bytes);
  });
  ASSERT_TRUE(GetStatus(kPs).ok());
  const auto answered = [&](const absl::Status& status) {
    said = status;
    num_calls = 1;
    const absl::Status error = Recv(kPs).status();
    EXPECT_EQ(num_calls, 3);
    return error;
  };
  EXPECT_EQ(answered(absl::NotFoundError("no transfer 1")),
            AsDerived(absl::AbortedError(
                "task /job:ps/replica:0/task:0 has forgotten 'edge_5_w/read' "
                "while it was fetched: no transfer 1")));
  // Other errors of the peer stay as they are, and so do errors of the
  // transport.
  EXPECT_EQ(answered(absl::InternalError("broken")),
            AsDerived(absl::InternalError("broken")));
  const absl::Status of_the_way =
      answered(OfTheWay(absl::NotFoundError("no such method")));
  EXPECT_EQ(of_the_way.code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(IsDerived(of_the_way));
}

TEST_F(PeersTest, EndACallThatATransportDrops) {
  transport_.Serve(kPsAddress,
                   [](std::shared_ptr<CallContext>, Payload, Reply) {});
  const ReceivedTensor received = Recv(kPs);
  EXPECT_EQ(received.status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(received.status()));
}

TEST_F(PeersTest, MayBeGoneBeforeTheirCallsEnd) {
  auto held = std::make_shared<Reply>();
  transport_.Serve(kPsAddress,
                   [held](std::shared_ptr<CallContext>, Payload, Reply reply) {
                     *held = std::move(reply);
                   });
  ReceivedTensor received;
  {
    Peers peers(Cluster(), transport_, *queue_, nullptr, 1 << 24);
    peers.RecvTensor(kPs, 12, kKey, allocator_, nullptr, received.Done());
  }
  std::move (*held)(Received(EncodeRecvTensorResponse(
      Tensor::Filled<double>(Shape{100'000}, 2), false)));
  ASSERT_TRUE(received.Wait());
  EXPECT_EQ(received.tensor().num_elements(), 100'000);
}

}  // namespace
}  // namespace leat::peers_test
