// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the memory of messages: who owns the bytes, how long they are kept, and
// how many bytes a message may have.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/received_message.h"

namespace leat::wire_memory_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ReceivedMessage;

constexpr TensorField kSend = methods::kRunGraph.request;
constexpr TensorField kRecv = methods::kRecvTensor.response;
constexpr int64_t kMaxBytes = 1 << 20;
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

Payload Of(std::vector<WireTensor> tensors) {
  Payload payload;
  payload.tensors.assign(tensors.begin(), tensors.end());
  return payload;
}

std::string Encode(std::vector<WireTensor> tensors, TensorField field) {
  std::string bytes;
  const auto segments = EncodePayload(Of(std::move(tensors)), field);
  EXPECT_TRUE(segments.ok()) << segments.status();
  for (const Segment& segment : *segments) {
    bytes += segment.bytes;
    if (segment.tensor.IsValid()) {
      bytes.append(segment.tensor.raw_data(), segment.tensor.num_bytes());
    }
  }
  return bytes;
}

Tensor Floats(int64_t count) {
  Tensor tensor = Tensor::Filled<float>(Shape({count}), 0);
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_data<float>()[i] = static_cast<float>(i);
  }
  return tensor;
}

// Counts its allocations. Allocates at most `limit` bytes at a time.
class LimitedAllocator final : public Allocator {
 public:
  explicit LimitedAllocator(int64_t limit = INT64_MAX) : limit_(limit) {}

  BufferRef Allocate(size_t bytes) override {
    ++allocations;
    if (static_cast<int64_t>(bytes) > limit_) return nullptr;
    return HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "limited"; }

  int allocations = 0;

 private:
  const int64_t limit_;
};

// ---------------------------------------------------------------------------
// Tests the memory of messages that are sent.

TEST(WireMemoryTest, LargeTensorsAreSentWhereTheyLie) {
  Tensor a = Floats(257), b = Floats(1000);
  const auto segments =
      EncodePayload(Of({{"a", a}, {"c", Floats(256)}, {"b", b}}), kSend);
  ASSERT_TRUE(segments.ok()) << segments.status();
  std::vector<Tensor> sent;
  for (const Segment& segment : *segments) {
    EXPECT_NE(segment.bytes.empty(), !segment.tensor.IsValid());
    if (segment.tensor.IsValid()) sent.push_back(segment.tensor);
  }
  ASSERT_EQ(sent.size(), 2);
  EXPECT_TRUE(sent[0].SharesBufferWith(a));
  EXPECT_TRUE(sent[1].SharesBufferWith(b));
  EXPECT_EQ(sent[0].raw_data(), a.raw_data());
}

TEST(WireMemoryTest, SegmentsHoldTheTensorUntilTheyGo) {
  Tensor tensor = Floats(1000);
  {
    const auto segments = EncodePayload(Of({{"", tensor}}), kRecv);
    ASSERT_TRUE(segments.ok());
    EXPECT_FALSE(tensor.IsUnique());
  }
  EXPECT_TRUE(tensor.IsUnique());
}

TEST(WireMemoryTest, SendsOnlyTheRowsOfASlice) {
  Tensor rows = Tensor::Filled<float>(Shape({4, 500}), 1);
  rows.mutable_data<float>()[500] = 7;
  const Tensor slice = rows.Slice(1, 2);
  const auto segments = EncodePayload(Of({{"", slice}}), kRecv);
  ASSERT_TRUE(segments.ok());
  ASSERT_EQ(segments->size(), 2);
  EXPECT_EQ((*segments)[1].tensor.num_bytes(), 2000);
  EXPECT_EQ((*segments)[1].tensor.raw_data(), slice.raw_data());
}

// Claims to have `bytes` bytes, but has only 64.
class ClaimedBuffer final : public Buffer {
 public:
  explicit ClaimedBuffer(size_t bytes) : Buffer(byte_, bytes) {}

 private:
  void Dispose() override { delete this; }
  alignas(64) char byte_[64] = {};
};

Tensor Claimed(int64_t bytes) {
  BufferRef buffer(new ClaimedBuffer(static_cast<size_t>(bytes)));
  char* const data = buffer->data();
  return Tensor::FromBuffer(DType::kUint8, Shape({bytes}), std::move(buffer),
                            data);
}

TEST(WireMemoryTest, RefusesMessagesAboveProtobufsLimit) {
  const auto encode = [](std::vector<WireTensor> tensors) {
    return EncodePayload(Of(std::move(tensors)), kSend).status();
  };
  constexpr int64_t kMost = kMaxMessageBytes;
  EXPECT_TRUE(encode({{"a", Claimed(kMost - 100)}}).ok());
  for (const absl::Status& status :
       {encode({{"a", Claimed(kMost)}}), encode({{"a", Claimed(kMost - 20)}}),
        encode({{"a", Claimed(int64_t{1} << 62)}}),
        encode({{"a", Claimed(kMost / 2)}, {"b", Claimed(kMost / 2)}}),
        encode({{"a", Claimed(kMost - 100)},
                {"b", Tensor::Scalar(std::string(100, 'x'))}})}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_THAT(std::string(encode({{"a", Claimed(3 * kMost)}}).message()),
              HasSubstr("more than the 2147483647 that one may have"));
}

// ---------------------------------------------------------------------------
// Tests the memory of messages that are received.

struct Outcome {
  Payload payload;
  absl::Status status;
  const Tensor& tensor() const { return payload.tensors[0].tensor; }
};

Outcome Receive(ReceivedMessage& message, TensorField field,
                Allocator& allocator, int64_t max_bytes = kMaxBytes) {
  Outcome outcome;
  absl::StatusOr<Payload> payload = SplitPayload(message.Take(), field);
  EXPECT_TRUE(payload.ok()) << payload.status();
  outcome.payload = *std::move(payload);
  outcome.status = outcome.payload.Materialize(allocator, nullptr, max_bytes);
  EXPECT_EQ(outcome.payload.pending, nullptr);
  return outcome;
}

// Receives a tensor and expects that it was copied, so that none of the
// message's slices is held afterwards.
void ExpectCopied(const Tensor& sent, const std::string& bytes,
                  const std::vector<size_t>& cuts) {
  ReceivedMessage message(bytes, cuts);
  LimitedAllocator allocator;
  const Outcome received = Receive(message, kRecv, allocator);
  ASSERT_TRUE(received.status.ok()) << received.status;
  EXPECT_TRUE(Identical(received.tensor(), sent));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(received.tensor().raw_data()) % 64, 0);
  EXPECT_TRUE(message.IsReleased());
  EXPECT_EQ(allocator.allocations, 1);
}

TEST(WireMemoryTest, CopiesOnceWhatLiesInAnySlices) {
  const Tensor sent = Floats(1000);
  const std::string bytes = Encode({{"", sent}}, kRecv);
  ExpectCopied(sent, bytes, {});
  ExpectCopied(sent, bytes, {bytes.size() - 1});
  ExpectCopied(sent, bytes, {bytes.size() - 4000 + 1});
  ExpectCopied(sent, bytes, {3, 1000, 1000, 2000});
}

TEST(WireMemoryTest, PendingBytesAreThoseOfTheTensorFields) {
  pb::RunGraphRequest request;
  request.set_graph_handle("a handle");
  const std::string tensors = Encode({{"a", Floats(1000)}}, kSend);
  ReceivedMessage message(request.SerializeAsString() + tensors);
  absl::StatusOr<Payload> payload = SplitPayload(message.Take(), kSend);
  ASSERT_TRUE(payload.ok());
  ASSERT_NE(payload->pending, nullptr);
  EXPECT_EQ(payload->pending->bytes(), static_cast<int64_t>(tensors.size()));
  EXPECT_EQ(payload->header, request.SerializeAsString());
  payload->pending.reset();
  EXPECT_TRUE(message.IsReleased());
}

// ---------------------------------------------------------------------------
// Tests what a thread of the transport may decode.

bool IsQuick(const std::string& message, TensorField field) {
  ReceivedMessage received(message);
  absl::StatusOr<Payload> payload = SplitPayload(received.Take(), field);
  EXPECT_TRUE(payload.ok()) << payload.status();
  return payload.ok() && payload->IsQuick();
}

TEST(WireMemoryTest, LittleIsDecodedQuickly) {
  EXPECT_TRUE(IsQuick(Encode({{"", Floats(1000)}}, kRecv), kRecv));
  EXPECT_TRUE(
      IsQuick(Encode({{"a", Floats(1000)}, {"b", Floats(1)}}, kSend), kSend));
  EXPECT_TRUE(IsQuick("", kRecv));
  EXPECT_FALSE(IsQuick(Encode({{"", Floats(100'000)}}, kRecv), kRecv));
}

TEST(WireMemoryTest, WhatIsNotPlainMayBecomeMuch) {
  pb::RecvTensorResponse response;
  pb::TensorProto& tensor = *response.mutable_tensor();
  tensor.set_dtype(pb::DT_STRING);
  tensor.add_string_val(std::string(1000, 'x'));
  EXPECT_TRUE(IsQuick(response.SerializeAsString(), kRecv));
  // The tensor has 1,000 elements. The message has one string, which is the
  // value of all elements.
  tensor.mutable_tensor_shape()->add_dim()->set_size(1000);
  EXPECT_FALSE(IsQuick(response.SerializeAsString(), kRecv));
  tensor.clear_string_val();
  tensor.mutable_tensor_shape()->mutable_dim(0)->set_size(10'000'000);
  EXPECT_FALSE(IsQuick(response.SerializeAsString(), kRecv));
  tensor.set_dtype(pb::DT_RESOURCE);
  tensor.add_resource_handle_val()->set_name("x");
  EXPECT_FALSE(IsQuick(response.SerializeAsString(), kRecv));
  // These 20,000 values are encoded one by one, so it takes long to read them.
  tensor.Clear();
  tensor.set_dtype(pb::DT_INT32);
  for (int i = 0; i < 20'000; ++i) tensor.add_int_val(1);
  EXPECT_FALSE(IsQuick(response.SerializeAsString(), kRecv));
  // The variant contains another tensor, which is large.
  tensor.Clear();
  tensor.set_dtype(pb::DT_VARIANT);
  pb::TensorProto& inner = *tensor.add_variant_val()->add_tensors();
  inner.set_dtype(pb::DT_UINT8);
  inner.mutable_tensor_shape()->add_dim()->set_size(2'147'483'000);
  inner.add_int_val(1);
  EXPECT_FALSE(IsQuick(response.SerializeAsString(), kRecv));
}

TEST(WireMemoryTest, SmallMessagesThatClaimMuchAreNotQuick) {
  pb::TensorProto huge;
  huge.set_dtype(pb::DT_UINT8);
  huge.mutable_tensor_shape()->add_dim()->set_size(2'147'483'000);
  huge.add_int_val(1);
  pb::RecvTensorResponse response;
  *response.mutable_tensor() = huge;
  EXPECT_FALSE(IsQuick(response.SerializeAsString(), kRecv));
  pb::RunGraphRequest request;
  *request.add_send()->mutable_tensor() = huge;
  EXPECT_FALSE(IsQuick(request.SerializeAsString(), kSend));
  // Each of the two tensors alone is small enough, but together they are too
  // large.
  request.clear_send();
  huge.mutable_tensor_shape()->mutable_dim(0)->set_size(200'000);
  *request.add_send()->mutable_tensor() = huge;
  EXPECT_TRUE(IsQuick(request.SerializeAsString(), kSend));
  *request.add_send()->mutable_tensor() = huge;
  EXPECT_FALSE(IsQuick(request.SerializeAsString(), kSend));
}

// Protobuf also accepts unusual forms of a message. If a shape occurs twice,
// protobuf concatenates the dimensions. If a dtype is too large, protobuf takes
// the lower 32 bits. Protobuf also reads the fields after a group.
TEST(WireMemoryTest, WhatSaysInOtherWaysThatItIsMuchIsNot) {
  const auto field = [](int number, const std::string& bytes) {
    EXPECT_LT(bytes.size(), 128u);
    return std::string{static_cast<char>(number << 3 | 2),
                       static_cast<char>(bytes.size())} +
           bytes;
  };
  const auto shape = [](int64_t extent) {
    pb::TensorProto proto;
    proto.mutable_tensor_shape()->add_dim()->set_size(extent);
    return proto.SerializeAsString();
  };
  const std::string uint8 = "\x08\x04", value = field(7, "\x01");
  const std::string group = "\x7b\x7c";  // an empty group of field 15
  const std::string many_dtype = "\x08\x84\x80\x80\x80\x10";  // 2^32 + 4
  const std::string much = shape(2'000'000'000);
  for (const std::string& tensor :
       {uint8 + shape(46'341) + shape(46'341) + value,
        many_dtype + much + value, uint8 + group + much + value}) {
    EXPECT_FALSE(IsQuick(field(1, tensor), kRecv)) << tensor;
    EXPECT_FALSE(IsQuick(field(3, field(2, tensor)), kSend)) << tensor;
  }
  EXPECT_TRUE(IsQuick(field(1, uint8 + shape(2) + value), kRecv));
  // In the first entry, the tensor comes in two parts, which protobuf merges.
  // In the second entry, a group comes before the tensor.
  for (const std::string& named : {field(2, uint8) + field(2, much + value),
                                   group + field(2, uint8 + much + value)}) {
    EXPECT_FALSE(IsQuick(field(3, named), kSend)) << named;
  }
}

TEST(WireMemoryTest, ManyTensorsOfNothingAreNotQuick) {
  pb::RunGraphRequest request;
  for (int i = 0; i < 20'000; ++i) {
    request.add_send()->mutable_tensor()->set_dtype(pb::DT_UINT8);
  }
  EXPECT_FALSE(IsQuick(request.SerializeAsString(), kSend));
}

// ---------------------------------------------------------------------------
// Tests the limits of messages.

TEST(WireMemoryTest, RefusesMessagesOfTooManyFields) {
  std::string fields;
  for (int i = 0; i <= 1 << 20; ++i) fields += "\x10\x01";
  ReceivedMessage message(fields);
  const absl::Status refused = SplitPayload(message.Take(), kRecv).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("has more than 1048576 fields"));
  fields.resize(fields.size() - 2);
  ReceivedMessage fewer(fields);
  EXPECT_TRUE(SplitPayload(fewer.Take(), kRecv).ok());
}

void ExpectExhausted(const std::string& bytes, TensorField field,
                     int64_t max_bytes, const std::string& text) {
  ReceivedMessage message(bytes);
  LimitedAllocator allocator;
  const Outcome received = Receive(message, field, allocator, max_bytes);
  EXPECT_EQ(received.status.code(), kExhausted) << received.status;
  EXPECT_THAT(std::string(received.status.message()),
              AllOf(HasSubstr(text), HasSubstr("max_message_bytes)")));
  EXPECT_TRUE(received.payload.tensors.empty());
  EXPECT_TRUE(message.IsReleased());
}

TEST(WireMemoryTest, AllTensorsTogetherAreWithinTheLimit) {
  const std::string bytes =
      Encode({{"a", Floats(1000)}, {"b", Floats(1000)}}, kSend);
  ReceivedMessage message(bytes);
  const Outcome received = Receive(message, kSend, HostAllocator(), 9000);
  EXPECT_TRUE(received.status.ok()) << received.status;
  ExpectExhausted(bytes, kSend, 7900, "A tensor of float[1000] takes at least");
  ExpectExhausted(bytes, kSend, 7900, "'b': ");
}

TEST(WireMemoryTest, AShapeIsCheckedBeforeMemoryIsTaken) {
  // This is a float[2^40] with content of 4 bytes.
  const std::string proto(
      "\x08\x01\x12\x09\x12\x07\x08\x80\x80\x80\x80\x80\x20"
      "\x22\x04"
      "abcd",
      19);
  const std::string bytes = absl::StrCat(
      "\x0a", std::string(1, static_cast<char>(proto.size())), proto);
  ExpectExhausted(bytes, kRecv, kMaxBytes,
                  "A tensor of float[1099511627776] takes at least");
  ReceivedMessage message(bytes);
  LimitedAllocator allocator;
  const Outcome received = Receive(message, kRecv, allocator, INT64_MAX);
  EXPECT_EQ(received.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(allocator.allocations, 0);
}

TEST(WireMemoryTest, MessagesThatParseToMuchMemoryAreNotParsed) {
  // This message has 100,000 empty variants of 2 bytes each.
  pb::RecvTensorResponse response;
  response.mutable_tensor()->set_dtype(pb::DT_VARIANT);
  for (int i = 0; i < 100'000; ++i)
    response.mutable_tensor()->add_variant_val();
  ExpectExhausted(response.SerializeAsString(), kRecv, kMaxBytes,
                  "To parse a TensorProto of 200002 bytes takes at least");
}

TEST(WireMemoryTest, OneStringThatStandsForManyIsNotCopied) {
  pb::RecvTensorResponse response;
  response.mutable_tensor()->set_dtype(pb::DT_STRING);
  response.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(1000);
  response.mutable_tensor()->add_string_val(std::string(100, 'x'));
  ExpectExhausted(response.SerializeAsString(), kRecv, 40'000,
                  "A tensor of string[1000] takes at least");
}

TEST(WireMemoryTest, ManySmallTensorsCountForWhatTheyTake) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) {
    bytes += Encode({{"", Tensor::Of<float>(Shape({0}), {})}}, kRecv);
  }
  ExpectExhausted(bytes, kRecv, kMaxBytes, "Another tensor takes");
}

TEST(WireMemoryTest, AnAllocatorWithoutMemoryIsAStatus) {
  const Tensor sent = Floats(1000);
  const std::string bytes = Encode({{"", sent}}, kRecv);
  for (const size_t cut : {size_t{0}, bytes.size() - 1}) {
    ReceivedMessage message(bytes, {cut});
    LimitedAllocator allocator(100);
    const Outcome received = Receive(message, kRecv, allocator);
    EXPECT_EQ(received.status.code(), kExhausted);
    EXPECT_TRUE(message.IsReleased());
  }
}

}  // namespace
}  // namespace leat::wire_memory_test
