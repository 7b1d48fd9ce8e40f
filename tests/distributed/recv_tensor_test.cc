// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/recv_tensor.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

using ::testing::HasSubstr;

TEST(RecvTensorTest, WishesTravelOnlyWhereThereAreAny) {
  const Payload plain = EncodeRecvTensorRequest(7, "key", 9);
  pb::RecvTensorRequest message;
  ASSERT_TRUE(message.ParseFromString(plain.header));
  // What a task of TensorFlow gets is what TensorFlow sends.
  EXPECT_FALSE(message.has_leat());
  const auto wished = DecodeRecvTensorRequest(
      EncodeRecvTensorRequest(7, "key", 9,
                              {.inline_bytes = 5, .chunk_bytes = 6})
          .header);
  ASSERT_TRUE(wished.ok()) << wished.status();
  EXPECT_EQ(wished->wish.inline_bytes, 5);
  EXPECT_EQ(wished->wish.chunk_bytes, 6);
}

TEST(RecvTensorTest, WishesAreNotNegative) {
  pb::RecvTensorRequest message;
  message.mutable_leat()->set_inline_bytes(-1);
  message.mutable_leat()->set_chunk_bytes(INT64_MIN);
  const auto request = DecodeRecvTensorRequest(message.SerializeAsString());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->wish.inline_bytes, 0);
  EXPECT_EQ(request->wish.chunk_bytes, 0);
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
  const auto response = DecodeRecvTensorResponse(payload.header);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_FALSE(response->is_dead);
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

// A response with that transfer, of float[10,1000] otherwise.
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
    return DecodeRecvTensorResponse(message_.SerializeAsString()).status();
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
    ExpectRefused("these are no chunks");
  }
}

TEST_F(HostileTransferTest, OfNegativeBytesIsRefused) {
  for (const int64_t bytes : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    transfer().set_total_bytes(bytes);
    ExpectRefused("these are no chunks");
  }
}

TEST_F(HostileTransferTest, OfElementsThatAreObjectsIsRefused) {
  for (const int type :
       {0, static_cast<int>(pb::DT_STRING), static_cast<int>(pb::DT_VARIANT),
        static_cast<int>(pb::DT_RESOURCE), static_cast<int>(pb::DT_BOOL), 101,
        99, -1}) {
    transfer().set_dtype(static_cast<pb::DataType>(type));
    ExpectRefused("there are none of type");
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
  const auto response = DecodeRecvTensorResponse(message_.SerializeAsString());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_TRUE(response->is_dead);
  EXPECT_FALSE(response->transfer.has_value());
}

}  // namespace
}  // namespace leat
