// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/tensor_receiver.h"

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/wire/wire.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/received_tensor.h"
#include "leat/tests/distributed/recv_messages.h"

namespace leat::tensor_receiver_test {
namespace {

using ::leat::testing::FakeTransport;
using ::leat::testing::ReceivedMessage;
using ::leat::testing::ReceivedTensor;
using ::leat::testing::RespondOne;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char kPs[] = "/job:ps/replica:0/task:0";
const char kPsAddress[] = "127.0.0.1:7001";
const char kKey[] =
    "/job:ps/replica:0/task:0/device:CPU:0;000000000000abcd;"
    "/job:worker/replica:0/task:3/device:CPU:0;edge_5_w/read;0:0";

ClusterSpec Cluster() {
  return *ClusterSpec::Create(
      {{"ps", {{0, kPsAddress}}}, {"worker", {{3, "127.0.0.1:7002"}}}});
}

// on_queue() is the number of allocations on the threads of `queue`.
// elsewhere() is the number of allocations on other threads.
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

// Encodes a response and splits the bytes again. The result is what a transport
// between processes gives to its receiver.
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

class TensorReceiverTest : public ::testing::Test {
 protected:
  using Answer = std::function<absl::StatusOr<Payload>(const Payload&)>;

  void Serve(const char* address, Answer answer) {
    transport_.Serve(
        address, [answer](std::shared_ptr<CallContext>, Payload request,
                          Reply reply) { std::move(reply)(answer(request)); });
  }

  absl::StatusOr<PeerStatus> GetStatus(absl::string_view task) {
    absl::StatusOr<PeerStatus> result = absl::UnknownError("not called");
    peers_.Find(task).value()->GetStatus(
        {},
        [&](absl::StatusOr<PeerStatus> status) { result = std::move(status); });
    return result;
  }

  // Returns a receive of one tensor. The result goes to `received`.
  TensorReceive One(std::shared_ptr<Cancellation> cancellation,
                    ReceivedTensor& received) {
    TensorReceive receive{.step_id = 12,
                          .keys = RecvKeys(ParsedKey(kKey)),
                          .allocator = {std::shared_ptr<void>(), &allocator_},
                          .cancellation = std::move(cancellation)};
    receive.dones.push_back(received.Done());
    return receive;
  }

  ReceivedTensor Recv(absl::string_view task,
                      std::shared_ptr<Cancellation> cancellation = {}) {
    ReceivedTensor received;
    receiver_.Receive(task, One(std::move(cancellation), received));
    EXPECT_TRUE(received.Wait());
    EXPECT_EQ(received.calls(), 1);
    return received;
  }

  // Receives a buffer of a collective.
  ReceivedTensor ReceiveBuffer() {
    ReceivedTensor received;
    TensorReceive receive = One({}, received);
    receive.keys = RecvKeys(
        BufferKey(absl::StrCat(kPs, "/device:CPU:0"), 7,
                  "/job:worker/replica:0/task:3/device:CPU:0", "1:2:0:0:x"));
    receiver_.Receive(kPs, std::move(receive));
    EXPECT_TRUE(received.Wait());
    return received;
  }

  FakeTransport transport_;
  const std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test", 1);
  WatchedAllocator allocator_{*queue_};
  Peers peers_{Cluster(), transport_};
  TensorReceiver receiver_{peers_, *queue_, nullptr, 1 << 24};
};

TEST_F(TensorReceiverTest, AsksForATensorOnce) {
  std::set<int64_t> ids;
  Serve(kPsAddress, [&ids](const Payload& payload) {
    pb::RecvTensorRequest request;
    EXPECT_TRUE(request.ParseFromString(payload.header));
    EXPECT_EQ(request.step_id(), 12);
    EXPECT_EQ(request.rendezvous_key(), kKey);
    EXPECT_TRUE(request.dma_ok());
    EXPECT_NE(request.request_id(), 0);
    EXPECT_TRUE(ids.insert(request.request_id()).second);
    const auto decoded = DecodeRecvRequest(RecvForm::kOne, payload.header);
    EXPECT_EQ(decoded->step_id, 12);
    EXPECT_EQ(decoded->keys.all()[0].text(), kKey);
    EXPECT_EQ(decoded->request_id, request.request_id());
    return RespondOne(Tensor::Scalar<int>(5), false);
  });
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Recv(kPs).status().ok());
  EXPECT_EQ(ids.size(), 100u);
}

TEST_F(TensorReceiverTest, GivesTensorsDeadOnesToo) {
  bool is_dead = false;
  bool is_received = false;
  const Tensor sent = Tensor::Vector<double>({1, 2, 3});
  Serve(kPsAddress, [&](const Payload&) {
    Payload response = RespondOne(sent, is_dead);
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

// TensorFlow sends a dead tensor as an empty float[0], whatever the dtype of
// the edge.
TEST_F(TensorReceiverTest, DeadTensorsAreSentAsTensorFlowDoes) {
  const Payload dead = RespondOne(Tensor::Scalar<int>(7), true);
  ASSERT_EQ(dead.tensors.size(), 1u);
  EXPECT_TRUE(Identical(dead.tensors[0].tensor, Tensor::Vector<float>({})));
  EXPECT_TRUE(DecodeRecvResponse(RecvForm::kOne, dead.header)->is_dead[0]);
  EXPECT_FALSE(
      DecodeRecvResponse(RecvForm::kOne,
                         RespondOne(Tensor::Scalar<int>(7), false).header)
          ->is_dead[0]);
}

TEST_F(TensorReceiverTest, CopiesLargeTensorsOnAThreadOfThePool) {
  int64_t elements = 1000;
  Serve(kPsAddress, [&elements](const Payload&) {
    return Received(
        RespondOne(Tensor::Filled<double>(Shape{elements}, 1.5), false));
  });
  EXPECT_EQ(Recv(kPs).tensor().num_elements(), elements);
  EXPECT_EQ(allocator_.on_queue(), 0);
  const int small = allocator_.elsewhere();
  elements = 100'000;
  const ReceivedTensor large = Recv(kPs);
  EXPECT_EQ(large.tensor().data<double>()[elements - 1], 1.5);
  EXPECT_EQ(allocator_.elsewhere(), small);
}

TEST_F(TensorReceiverTest, RefusesTensorsAboveTheLimit) {
  Serve(kPsAddress, [](const Payload&) {
    return Received(
        RespondOne(Tensor::Filled<float>(Shape{int64_t{1} << 23}, 0), false));
  });
  const ReceivedTensor received = Recv(kPs);
  EXPECT_EQ(received.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(received.status().message()),
              AllOf(HasSubstr("(max_message_bytes), while receiving "
                              "'edge_5_w/read' from task "),
                    HasSubstr(kPs), Not(HasSubstr("wrongly"))));
  EXPECT_EQ(allocator_.on_queue() + allocator_.elsewhere(), 0);
}

TEST_F(TensorReceiverTest, TakesAPeersFailureForTheCauseOfItsOwn) {
  absl::Status said = absl::InvalidArgumentError("indices = 7");
  said.SetPayload("k", absl::Cord("v"));
  Serve(kPsAddress, [said](const Payload&) { return said; });
  EXPECT_EQ(Recv(kPs).status(), AsDerived(said));
  EXPECT_FALSE(IsDerived(said));
}

TEST_F(TensorReceiverTest, KnowsThatAnUnreachableTaskIsACause) {
  const absl::Status expected = absl::UnavailableError(
      "task /job:ps/replica:0/task:0 (127.0.0.1:7001) cannot be reached: "
      "connection refused while receiving 'edge_5_w/read'");
  const absl::Status status = Recv(kPs).status();
  EXPECT_EQ(status, expected);
  EXPECT_FALSE(IsDerived(status));
}

TEST_F(TensorReceiverTest, EndsACancelledCallWithItsReason) {
  auto held = std::make_shared<Reply>();
  transport_.Serve(kPsAddress,
                   [held](std::shared_ptr<CallContext>, Payload, Reply reply) {
                     *held = std::move(reply);
                   });
  auto cancellation = std::make_shared<Cancellation>();
  ReceivedTensor received;
  receiver_.Receive(kPs, One(cancellation, received));
  EXPECT_EQ(received.calls(), 0);
  const absl::Status reason = AsDerived(absl::AbortedError("step failed"));
  cancellation->Cancel(reason);
  EXPECT_EQ(received.calls(), 1);
  EXPECT_EQ(received.status(), reason);
  std::move (*held)(absl::InternalError("late"));
  EXPECT_EQ(received.calls(), 1);
  EXPECT_EQ(Recv(kPs, cancellation).status(), reason);
}

TEST_F(TensorReceiverTest, RefusesRepliesThatMakeNoSense) {
  Payload (*make)() = nullptr;
  Serve(kPsAddress, [&make](const Payload&) { return make(); });
  const auto expect_refused = [&](absl::string_view why, Payload (*reply)()) {
    make = reply;
    const ReceivedTensor received = Recv(kPs);
    EXPECT_EQ(received.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(received.status().message()),
                AllOf(HasSubstr(kPs), HasSubstr(kKey), HasSubstr("wrongly"),
                      HasSubstr(why)));
    EXPECT_FALSE(IsDerived(received.status()));
  };
  expect_refused("0 tensors instead of one", [] { return Payload(); });
  expect_refused("2 tensors instead of one", [] {
    Payload two = RespondOne(Tensor::Scalar<int>(1), false);
    two.tensors.push_back({.tensor = Tensor::Scalar<int>(2)});
    return two;
  });
  expect_refused("2 tensors instead of one", [] {
    Payload two = RespondOne(Tensor::Scalar<int>(1), false);
    two.tensors.push_back({.tensor = Tensor::Scalar<int>(2)});
    return Received(std::move(two));
  });
  expect_refused("a transfer, which was not asked for", [] {
    return EncodeTransferResponse(
        {.id = 1,
         .total_bytes = 2 * kMinChunkBytes,
         .chunk_bytes = kMinChunkBytes,
         .dtype = DType::kUint8,
         .shape = Shape{2 * kMinChunkBytes}},
        Tensor::Filled<uint8_t>(Shape{kMinChunkBytes}, 0));
  });
  expect_refused("the RecvTensorResponse is malformed", [] {
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

Payload FirstOfTwoChunks(int64_t chunk_bytes) {
  return EncodeTransferResponse({.id = 1,
                                 .total_bytes = 2 * chunk_bytes,
                                 .chunk_bytes = chunk_bytes,
                                 .dtype = DType::kUint8,
                                 .shape = Shape{2 * chunk_bytes}},
                                Tensor::Filled<uint8_t>(Shape{chunk_bytes}, 0));
}

// RecvBuf copies a buffer several times, so only tasks of TensorFlow are asked
// by it.
TEST_F(TensorReceiverTest, AsksForTheKindOfAPeerBeforeItAsksForABuffer) {
  std::vector<std::string> asked;
  const auto serve = [&](const Method& method,
                         std::function<Payload()> answer) {
    transport_.Serve(kPsAddress, method,
                     [&asked, &method, answer](std::shared_ptr<CallContext>,
                                               const Payload&, Reply reply) {
                       asked.emplace_back(method.path);
                       std::move(reply)(answer());
                     });
  };
  const Tensor tensor = Tensor::Vector<float>({1, 2});
  serve(methods::kGetStatus, [] { return StatusWithChunks(); });
  serve(methods::kRecvTensor, [&] { return RespondOne(tensor, false); });
  for (int i = 0; i < 2; ++i) {
    const ReceivedTensor received = ReceiveBuffer();
    ASSERT_TRUE(received.status().ok()) << received.status();
    EXPECT_TRUE(Identical(received.tensor(), tensor));
  }
  EXPECT_EQ(asked, (std::vector<std::string>{methods::kGetStatus.path,
                                             methods::kRecvTensor.path,
                                             methods::kRecvTensor.path}));
}

TEST_F(TensorReceiverTest, AsksNoPeerOfAnotherVersionForABuffer) {
  int num_calls = 0;
  Serve(kPsAddress, [&](const Payload&) {
    ++num_calls;
    pb::GetStatusResponse status;
    status.mutable_leat()->set_version(kLeatPeerVersion - 1);
    return Payload{.header = status.SerializeAsString()};
  });
  EXPECT_EQ(ReceiveBuffer().status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(num_calls, 1);
}

TEST_F(TensorReceiverTest, RefusesTransfersInLargerChunksThanWished) {
  bool has_chunks = false;
  Serve(kPsAddress, [&has_chunks](const Payload&) {
    if (!std::exchange(has_chunks, true)) return StatusWithChunks();
    return FirstOfTwoChunks(2 * ChunkOptions().chunk_bytes);
  });
  ASSERT_TRUE(GetStatus(kPs).ok());
  const ReceivedTensor received = Recv(kPs);
  EXPECT_EQ(received.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(received.status().message()),
      HasSubstr("in chunks of 2097152 bytes, but chunks of 1048576 bytes "
                "were asked for"));
}

// The peer announced the transfer earlier. So NOT_FOUND means that the peer no
// longer knows the transfer.
TEST_F(TensorReceiverTest, TellsWhoHasForgottenATensorThatIsBeingFetched) {
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
  // Other errors of the peer keep their codes and messages. A NOT_FOUND of the
  // transport stays NOT_FOUND.
  EXPECT_EQ(answered(absl::InternalError("broken")),
            AsDerived(absl::InternalError("broken")));
  const absl::Status unanswered =
      answered(AsTransportError(absl::NotFoundError("no such method")));
  EXPECT_EQ(unanswered.code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(IsDerived(unanswered));
}

TEST_F(TensorReceiverTest, EndsACallThatATransportDrops) {
  transport_.Serve(kPsAddress,
                   [](std::shared_ptr<CallContext>, Payload, Reply) {});
  const ReceivedTensor received = Recv(kPs);
  EXPECT_EQ(received.status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(received.status()));
}

TEST_F(TensorReceiverTest, MayBeGoneBeforeItsCallsEnd) {
  auto held = std::make_shared<Reply>();
  transport_.Serve(kPsAddress,
                   [held](std::shared_ptr<CallContext>, Payload, Reply reply) {
                     *held = std::move(reply);
                   });
  ReceivedTensor received;
  {
    const Peers peers(Cluster(), transport_);
    const TensorReceiver receiver(peers, *queue_, nullptr, 1 << 24);
    receiver.Receive(kPs, One(nullptr, received));
  }
  std::move (*held)(
      Received(RespondOne(Tensor::Filled<double>(Shape{100'000}, 2), false)));
  ASSERT_TRUE(received.Wait());
  EXPECT_EQ(received.tensor().num_elements(), 100'000);
}

TEST_F(TensorReceiverTest, DoesNotFindATaskOutsideOfTheCluster) {
  EXPECT_EQ(Recv("/job:ps/replica:0/task:1").status(),
            absl::NotFoundError(
                "there is no task '/job:ps/replica:0/task:1' in the cluster"));
}

// Large headers are refused because they must not be parsed on a thread of the
// transport.
TEST_F(TensorReceiverTest, RefusesLargeHeaders) {
  Serve(kPsAddress, [](const Payload&) {
    Payload payload;
    payload.header = std::string(65537, '\0');
    return payload;
  });
  const absl::Status status = Recv(kPs).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kPs), HasSubstr("65537 bytes, more than")));
}

}  // namespace
}  // namespace leat::tensor_receiver_test
