// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/recv_tensor.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/recv_messages.h"

namespace leat::recv_tensor_test {
namespace {

using ::leat::testing::RequestList;
using ::leat::testing::RequestOne;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RecvTensorTest, WishesTravelOnlyWhereThereAreAny) {
  const Payload plain = RequestOne(7, "key", 9);
  pb::RecvTensorRequest message;
  ASSERT_TRUE(message.ParseFromString(plain.header));
  // A request to a TensorFlow task has only the fields that TensorFlow sends.
  EXPECT_FALSE(message.has_leat());
  const auto wished = DecodeRecvRequest(
      RecvForm::kOne,
      RequestOne(7, "key", 9, {.inline_bytes = 5, .chunk_bytes = 6}).header);
  ASSERT_TRUE(wished.ok()) << wished.status();
  EXPECT_EQ(wished->wish.inline_bytes, 5);
  EXPECT_EQ(wished->wish.chunk_bytes, 6);
}

TEST(RecvTensorTest, WishesAreNotNegative) {
  pb::RecvTensorRequest message;
  message.mutable_leat()->set_inline_bytes(-1);
  message.mutable_leat()->set_chunk_bytes(INT64_MIN);
  const auto request =
      DecodeRecvRequest(RecvForm::kOne, message.SerializeAsString());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->wish.inline_bytes, 0);
  EXPECT_EQ(request->wish.chunk_bytes, 0);
}

// Long keys are refused, because the callee keeps every key until the step
// ends.
TEST(RecvTensorTest, KeysAreShort) {
  const std::string longest(kMaxRecvKeyBytes, 'k');
  EXPECT_TRUE(
      DecodeRecvRequest(RecvForm::kOne, RequestOne(7, longest, 9).header).ok());
  EXPECT_TRUE(DecodeRecvRequest(RecvForm::kList,
                                RequestList(7, {"key", longest}, 9).header)
                  .ok());
  const absl::Status refused =
      absl::InvalidArgumentError("rendezvous key '" + longest.substr(0, 80) +
                                 "...' has 4097 bytes, more than 4096");
  EXPECT_EQ(
      DecodeRecvRequest(RecvForm::kOne, RequestOne(7, longest + 'k', 9).header)
          .status(),
      refused);
  EXPECT_EQ(DecodeRecvRequest(RecvForm::kList,
                              RequestList(7, {"key", longest + 'k'}, 9).header)
                .status(),
            refused);
}

TEST(RecvTensorTest, TransfersTravel) {
  const Transfer sent = {.id = UINT64_MAX,
                         .total_bytes = 40'000,
                         .chunk_bytes = 8192,
                         .dtype = DType::kFloat,
                         .shape = Shape({10, 1000})};
  const Payload payload =
      EncodeTransferResponse(sent, Tensor::Filled<uint8_t>(Shape({8192}), 0));
  ASSERT_EQ(payload.tensors.size(), 1u);
  const auto response = DecodeRecvResponse(RecvForm::kOne, payload.header);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->is_dead, ElementsAre(false));
  ASSERT_TRUE(response->transfer.has_value());
  const Transfer& received = *response->transfer;
  EXPECT_EQ(received.id, sent.id);
  EXPECT_EQ(received.total_bytes, sent.total_bytes);
  EXPECT_EQ(received.chunk_bytes, sent.chunk_bytes);
  EXPECT_EQ(received.dtype, sent.dtype);
  EXPECT_EQ(received.shape, sent.shape);
  EXPECT_EQ(received.num_chunks(), 5);
  EXPECT_EQ(received.LengthOf(4), 40'000 - 4 * 8192);
}

// The response describes the transfer of a float[10,1000] in chunks of 8,192
// bytes. It is valid until a test changes it.
class HostileTransferTest : public ::testing::Test {
 protected:
  HostileTransferTest() {
    transfer().set_id(1);
    transfer().set_total_bytes(40'000);
    transfer().set_chunk_bytes(8192);
    transfer().set_dtype(pb::DT_FLOAT);
    transfer().mutable_shape()->add_dim()->set_size(10);
    transfer().mutable_shape()->add_dim()->set_size(1000);
  }
  pb::LeatTransfer& transfer() { return *message_.mutable_leat(); }
  absl::Status Decode() {
    return DecodeRecvResponse(RecvForm::kOne, message_.SerializeAsString())
        .status();
  }
  void ExpectRefused(absl::string_view why) {
    const absl::Status status = Decode();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  }

  pb::RecvTensorResponse message_;
};

TEST_F(HostileTransferTest, IsFineAsItBegins) { EXPECT_TRUE(Decode().ok()); }

TEST_F(HostileTransferTest, OfOtherBytesThanItsShapeIsRefused) {
  for (const int64_t bytes : {int64_t{39'999}, int64_t{40'004}, INT64_MAX}) {
    transfer().set_total_bytes(bytes);
    ExpectRefused("a float[10,1000] has 40000");
  }
}

TEST_F(HostileTransferTest, OfChunksThatAreNoneIsRefused) {
  for (const int64_t bytes :
       {int64_t{0}, int64_t{-1}, INT64_MIN, kMinChunkBytes - 1, int64_t{40'000},
        kMaxChunkBytes + 1, INT64_MAX}) {
    transfer().set_chunk_bytes(bytes);
    ExpectRefused("a transfer more than one chunk");
  }
}

TEST_F(HostileTransferTest, OfNegativeBytesIsRefused) {
  for (const int64_t bytes : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    transfer().set_total_bytes(bytes);
    ExpectRefused("a transfer more than one chunk");
  }
}

TEST_F(HostileTransferTest, OfElementsThatAreObjectsIsRefused) {
  for (const int type :
       {0, static_cast<int>(pb::DT_STRING), static_cast<int>(pb::DT_VARIANT),
        static_cast<int>(pb::DT_RESOURCE), static_cast<int>(pb::DT_BOOL), 101,
        99, -1}) {
    transfer().set_dtype(static_cast<pb::DataType>(type));
    ExpectRefused("cannot be sent in chunks");
  }
}

TEST_F(HostileTransferTest, OfAShapeThatOverflowsIsRefused) {
  for (int i = 0; i < 8; ++i) {
    transfer().mutable_shape()->add_dim()->set_size(INT64_MAX / 2);
  }
  EXPECT_EQ(Decode().code(), absl::StatusCode::kInvalidArgument);
  transfer().clear_shape();
  transfer().mutable_shape()->add_dim()->set_size(-1);
  EXPECT_EQ(Decode().code(), absl::StatusCode::kInvalidArgument);
  transfer().mutable_shape()->set_unknown_rank(true);
  EXPECT_EQ(Decode().code(), absl::StatusCode::kInvalidArgument);
  transfer().clear_shape();
  transfer().mutable_shape()->add_dim()->set_size(INT64_MAX);
  EXPECT_EQ(Decode().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(HostileTransferTest, OfADeadTensorIsNotLookedAt) {
  message_.set_is_dead(true);
  transfer().set_total_bytes(-1);
  const auto response =
      DecodeRecvResponse(RecvForm::kOne, message_.SerializeAsString());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->is_dead, ElementsAre(true));
  EXPECT_FALSE(response->transfer.has_value());
}

// ---------------------------------------------------------------------------
// Tests messages that ask for or carry several tensors.

TEST(RecvTensorsTest, RequestsTravel) {
  const std::vector<std::string> keys = {"a;0:0", "", "a;0:0", "\xff\n"};
  for (const int64_t number :
       {int64_t{7}, int64_t{0}, int64_t{-1}, INT64_MIN}) {
    const Payload payload = RequestList(number, keys, ~number);
    EXPECT_TRUE(payload.tensors.empty());
    const auto request = DecodeRecvRequest(RecvForm::kList, payload.header);
    ASSERT_TRUE(request.ok()) << request.status();
    EXPECT_EQ(request->step_id, number);
    ASSERT_EQ(request->keys.all().size(), keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(request->keys.all()[i].text(), keys[i]);
    }
    EXPECT_EQ(request->request_id, ~number);
  }
}

TEST(RecvTensorsTest, ResponsesTravelInTheOrderOfTheKeys) {
  const Tensor first = Tensor::Vector<float>({1, 2});
  const Tensor last = Tensor::Scalar<std::string>("last");
  SentTensors sent(4);
  sent[0].tensor = first;
  sent[1].is_dead = true;
  // The contents of a dead tensor do not matter.
  sent[2] = {.tensor = Tensor::Scalar<int>(7), .is_dead = true};
  sent[3].tensor = last;
  const Payload payload = EncodeRecvResponse(RecvForm::kList, std::move(sent));
  ASSERT_EQ(payload.tensors.size(), 4u);
  EXPECT_TRUE(payload.tensors[0].tensor.SharesBufferWith(first));
  for (const size_t dead : {1u, 2u}) {
    EXPECT_TRUE(
        Identical(payload.tensors[dead].tensor, Tensor::Vector<float>({})));
  }
  EXPECT_TRUE(Identical(payload.tensors[3].tensor, last));
  const auto response = DecodeRecvResponse(RecvForm::kList, payload.header);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->is_dead, ElementsAre(false, true, true, false));
  EXPECT_GT(response->send_start_us, 0);
}

// Between processes, the response has the form that the .proto file defines.
TEST(RecvTensorsTest, ResponsesAreMessages) {
  SentTensors sent(2);
  sent[0].tensor = Tensor::Vector<int32_t>({1, 2, 3});
  sent[1].is_dead = true;
  const auto segments =
      EncodePayload(EncodeRecvResponse(RecvForm::kList, std::move(sent)),
                    methods::kRecvTensors.response);
  ASSERT_TRUE(segments.ok()) << segments.status();
  std::string bytes;
  for (const Segment& segment : *segments) {
    ASSERT_FALSE(segment.tensor.IsValid()) << "a small tensor must be copied";
    bytes += segment.bytes;
  }
  pb::RecvTensorsResponse message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  ASSERT_EQ(message.is_dead_size(), 2);
  EXPECT_FALSE(message.is_dead(0));
  EXPECT_TRUE(message.is_dead(1));
  EXPECT_GT(message.send_start_micros(), 0);
  ASSERT_EQ(message.tensor_size(), 2);
  EXPECT_EQ(message.tensor(0).dtype(), pb::DT_INT32);
  EXPECT_EQ(message.tensor(0).tensor_content().size(), 12u);
  EXPECT_EQ(message.tensor(1).dtype(), pb::DT_FLOAT);
  ASSERT_EQ(message.tensor(1).tensor_shape().dim_size(), 1);
  EXPECT_EQ(message.tensor(1).tensor_shape().dim(0).size(), 0);
}

TEST(RecvTensorsTest, AnEmptyResponseSaysNothing) {
  const auto response = DecodeRecvResponse(RecvForm::kList, "");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_TRUE(response->is_dead.empty());
  EXPECT_EQ(response->send_start_us, 0);
}

TEST(RecvTensorsTest, MalformedOnesAreRefused) {
  for (const char* header : {"\xff", "\x0f", "\x12\x05key", "\x1a"}) {
    const absl::Status request =
        DecodeRecvRequest(RecvForm::kList, header).status();
    EXPECT_EQ(request, absl::InvalidArgumentError(
                           "the RecvTensorsRequest is malformed"));
    const absl::Status response =
        DecodeRecvResponse(RecvForm::kList, header).status();
    EXPECT_EQ(response, absl::InvalidArgumentError(
                            "the RecvTensorsResponse is malformed"));
  }
}

TEST(RecvTensorsTest, ARequestHasAKey) {
  const absl::Status none =
      DecodeRecvRequest(RecvForm::kList, RequestList(7, {}, 9).header).status();
  EXPECT_EQ(none, absl::InvalidArgumentError("RecvTensorsRequest has 0 keys; 1 "
                                             "to 64 may be asked for"));
  EXPECT_EQ(DecodeRecvRequest(RecvForm::kList, "").status(), none);
}

}  // namespace
}  // namespace leat::recv_tensor_test
