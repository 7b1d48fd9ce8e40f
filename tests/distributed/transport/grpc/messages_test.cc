// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how messages and statuses are converted to gRPC's types and back.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "grpcpp/support/status.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/core/tensor.h"
#include "leat/distributed/transport/grpc/byte_buffer.h"
#include "leat/distributed/transport/grpc/status.h"
#include "leat/distributed/wire/wire.h"

namespace leat::testing::messages_test {
namespace {

std::vector<Segment> SegmentsOf(const Tensor& tensor, const std::string& text) {
  std::vector<Segment> segments(3);
  segments[0].bytes = "head";
  segments[1].tensor = tensor;
  segments[2].bytes = text;
  return segments;
}

TEST(ByteBufferTest, SharesTheBytesOfTensorsUntilItGoes) {
  const Tensor tensor = Tensor::Filled<float>(Shape({10'000}), 1);
  {
    grpc::ByteBuffer buffer = ToByteBuffer(SegmentsOf(tensor, "tail"));
    EXPECT_FALSE(tensor.IsUnique());
    std::vector<grpc::Slice> slices;
    ASSERT_TRUE(buffer.Dump(&slices).ok());
    ASSERT_EQ(slices.size(), 3u);
    EXPECT_EQ(reinterpret_cast<const char*>(slices[1].begin()),
              tensor.raw_data());
    EXPECT_EQ(slices[1].size(), 40'000u);
  }
  EXPECT_TRUE(tensor.IsUnique());
}

TEST(ByteBufferTest, KeepsTensorsAliveThatNobodyElseHolds) {
  Tensor tensor = Tensor::Filled<uint8_t>(Shape({10'000}), 'x');
  const std::string text(5000, 'y');
  grpc::ByteBuffer buffer = ToByteBuffer(SegmentsOf(tensor, text));
  tensor.Reset();
  std::string received;
  for (const absl::string_view slice : FromByteBuffer(buffer).bytes) {
    absl::StrAppend(&received, slice);
  }
  EXPECT_EQ(received, "head" + std::string(10'000, 'x') + text);
}

TEST(ByteBufferTest, ReceivedSlicesOutliveTheBuffer) {
  ReceivedSlices slices;
  {
    // This buffer is destroyed before the test reads the slices. gRPC keeps
    // short slices within its own objects, which are destroyed with the buffer.
    grpc::ByteBuffer buffer = ToByteBuffer(
        SegmentsOf(Tensor::Filled<uint8_t>(Shape({2000}), 'x'), "tail"));
    slices = FromByteBuffer(buffer);
  }
  ASSERT_EQ(slices.bytes.size(), 3u);
  EXPECT_EQ(slices.bytes[0], "head");
  EXPECT_EQ(slices.bytes[1], std::string(2000, 'x'));
  EXPECT_EQ(slices.bytes[2], "tail");
}

TEST(ByteBufferTest, AnEmptyMessageIsAMessage) {
  grpc::ByteBuffer buffer = ToByteBuffer({});
  EXPECT_TRUE(buffer.Valid());
  EXPECT_EQ(buffer.Length(), 0u);
  EXPECT_TRUE(FromByteBuffer(buffer).bytes.empty());
}

TEST(GrpcStatusTest, KeepsCodeMessageAndPayloads) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  EXPECT_TRUE(FromGrpcStatus(grpc::Status::OK).ok());
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status = AsDerived(
        absl::Status(static_cast<absl::StatusCode>(code), "why\nand how"));
    const grpc::Status sent = ToGrpcStatus(status);
    EXPECT_EQ(static_cast<int>(sent.error_code()), code);
    EXPECT_EQ(sent.error_details(), EncodePayloads(status));
    EXPECT_EQ(FromGrpcStatus(sent), status);
  }
}

TEST(GrpcStatusTest, UnknownCodesAreUnknown) {
  for (const int code : {17, 31, -5}) {
    const absl::Status status =
        FromGrpcStatus(grpc::Status(static_cast<grpc::StatusCode>(code), "x"));
    EXPECT_EQ(status.code(), absl::StatusCode::kUnknown);
    EXPECT_EQ(status.message(), "x");
  }
}

TEST(GrpcStatusTest, TakesAnyDetails) {
  const absl::Status status =
      FromGrpcStatus(grpc::Status(grpc::StatusCode::ABORTED, "x", "\xff\xff"));
  EXPECT_EQ(status, absl::AbortedError("x"));
}

size_t SentBytes(const std::string& message) {
  size_t bytes = 0;
  for (const char c : message) {
    bytes += c >= ' ' && c <= '~' && c != '%' ? 1 : 3;
  }
  return bytes;
}

TEST(GrpcStatusTest, ShortensMessagesThatNoPeerWouldTake) {
  const std::string fits(3072, 'x');
  EXPECT_EQ(ToGrpcStatus(absl::InternalError(fits)).error_message(), fits);
  for (const std::string unit : {"x", "\n", "\xc3\xa4", "a%b"}) {
    std::string message;
    while (message.size() < 5000) message += unit;
    const std::string sent =
        ToGrpcStatus(absl::InternalError(message)).error_message();
    EXPECT_LE(SentBytes(sent), 3072u);
    EXPECT_GT(SentBytes(sent), 3050u);
    ASSERT_THAT(sent, ::testing::EndsWith("... [cut]"));
    const std::string kept = sent.substr(0, sent.size() - 9);
    EXPECT_EQ(kept, message.substr(0, kept.size()));
    EXPECT_EQ(kept.size() % (unit == "\xc3\xa4" ? 2 : 1), 0u);
  }
}

// TensorFlow's client in Python takes a message up to its first zero byte, and
// raises UnicodeDecodeError where it is not UTF-8.
TEST(GrpcStatusTest, EscapesBytesThatAreNoText) {
  const auto sent = ToGrpcStatus(
      absl::InternalError(absl::string_view("\xc3\xa4\0\n\xff", 5)));
  EXPECT_EQ(sent.error_message(), "\xc3\xa4\\x00\n\\xff");
}

TEST(GrpcStatusTest, LeavesOutThePayloadsThatAreTooLarge) {
  absl::Status status = AsDerived(absl::InternalError("x"));
  status.SetPayload("small", absl::Cord("kept"));
  status.SetPayload("large", absl::Cord(std::string(2900, 'l')));
  status.SetPayload("huge", absl::Cord(std::string(3500, 'h')));
  const grpc::Status sent = ToGrpcStatus(status);
  EXPECT_LE(sent.error_details().size(), 3072u);
  const absl::Status received = FromGrpcStatus(sent);
  EXPECT_TRUE(IsDerived(received));
  EXPECT_EQ(received.GetPayload("small"), absl::Cord("kept"));
  EXPECT_TRUE(received.GetPayload("large").has_value());
  EXPECT_FALSE(received.GetPayload("huge").has_value());
}

}  // namespace
}  // namespace leat::testing::messages_test
