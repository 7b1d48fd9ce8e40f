// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests reading and writing messages in every valid form. wire_memory_test.cc
// tests the memory that messages use.
#include "leat/distributed/wire/wire.h"

#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/resource_handle.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/core/dtype_encodings.h"
#include "leat/tests/core/variant_decoders.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/wire/wire_cases.h"

namespace leat::wire_test {
namespace {

using testing::Decoders;
using ::testing::HasSubstr;
using testing::ReceivedMessage;

constexpr TensorField kSend = methods::kRunGraph.request;
constexpr TensorField kRecv = methods::kRecvTensor.response;
constexpr int64_t kMaxBytes = 1 << 20;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

std::string Join(const std::vector<Segment>& segments) {
  std::string bytes;
  for (const Segment& segment : segments) {
    bytes += segment.bytes;
    if (segment.tensor.IsValid()) {
      bytes.append(segment.tensor.raw_data(), segment.tensor.num_bytes());
    }
  }
  return bytes;
}

Payload Of(std::string header, std::vector<WireTensor> tensors) {
  Payload payload;
  payload.header = std::move(header);
  payload.tensors.assign(tensors.begin(), tensors.end());
  return payload;
}

std::string Encode(std::string header, std::vector<WireTensor> tensors,
                   TensorField field) {
  const auto segments =
      EncodePayload(Of(std::move(header), std::move(tensors)), field);
  EXPECT_TRUE(segments.ok()) << segments.status();
  return segments.ok() ? Join(*segments) : "";
}

absl::StatusOr<Payload> Receive(absl::string_view bytes, TensorField field,
                                const std::vector<size_t>& cuts = {}) {
  ReceivedMessage message(bytes, cuts);
  absl::StatusOr<Payload> payload = SplitPayload(message.Take(), field);
  if (!payload.ok()) return payload;
  const absl::Status status =
      payload->Materialize(HostAllocator(), &Decoders(), kMaxBytes);
  if (!status.ok()) return status;
  return payload;
}

// Variants count as equal if they are encoded equally.
void ExpectSame(const Tensor& actual, const Tensor& expected) {
  if (expected.dtype() != DType::kVariant) {
    EXPECT_TRUE(Identical(actual, expected))
        << actual.DebugString() << " instead of " << expected.DebugString();
    return;
  }
  pb::TensorProto a, b;
  ASSERT_TRUE(EncodeTensor(actual, &a).ok());
  ASSERT_TRUE(EncodeTensor(expected, &b).ok());
  EXPECT_EQ(a.DebugString(), b.DebugString());
}

void ExpectSame(const Payload& actual, const Payload& expected) {
  EXPECT_EQ(actual.header, expected.header);
  ASSERT_EQ(actual.tensors.size(), expected.tensors.size());
  for (size_t i = 0; i < actual.tensors.size(); ++i) {
    EXPECT_EQ(actual.tensors[i].name, expected.tensors[i].name);
    ExpectSame(actual.tensors[i].tensor, expected.tensors[i].tensor);
  }
}

// ---------------------------------------------------------------------------
// Tests that tensors are written and read in TensorFlow's encoding.

struct WireCase {
  const char* hex;
  Tensor tensor;
};

Tensor Counted300() {
  Tensor tensor = Tensor::Filled<float>(Shape({300}), 0);
  for (int i = 0; i < 300; ++i) {
    tensor.mutable_data<float>()[i] = static_cast<float>(i);
  }
  return tensor;
}

// Returns the tensors that make_wire_cases.py sends.
std::vector<WireCase> PlainCases() {
  using namespace wire_cases;
  return {
      {kFloatMatrix, Tensor::Of<float>(Shape({2, 2}), {1.5f, -2, 0, 3})},
      {kFloatScalar, Tensor::Scalar(1.5f)},
      {kFloatEmpty, Tensor::Of<float>(Shape({0, 3}), {})},
      {kFloatLarge, Counted300()},
      {kDouble, Tensor::Vector<double>({1.5, -2})},
      {kHalf, Tensor::Vector<half>({half(1.5f), half(-2.0f)})},
      {kBfloat16, Tensor::Vector<bfloat16>({bfloat16(1.5f), bfloat16(-2.0f)})},
      {kInt8, Tensor::Of<int8_t>(Shape({1, 2, 1, 3, 1}), {0, 1, 2, 3, 4, 5})},
      {kUint8, Tensor::Scalar(uint8_t{200})},
      {kInt16, Tensor::Vector<int16_t>({-3})},
      {kUint16, Tensor::Vector<uint16_t>({65535})},
      {kInt32, Tensor::Vector<int32_t>({-1, 2})},
      {kUint32, Tensor::Scalar(UINT32_MAX)},
      {kInt64, Tensor::Scalar(int64_t{-5})},
      {kUint64, Tensor::Scalar(UINT64_MAX)},
      {kBool, Tensor::Vector<bool>({true, false, true})},
      {kComplex64, Tensor::Scalar(std::complex<float>(1, -2))},
      {kComplex128, Tensor::Scalar(std::complex<double>(1, -2))},
      {kDead, Tensor::Of<float>(Shape({0}), {})},
  };
}

TEST(WireTest, WritesTheBytesThatTensorFlowWrites) {
  for (const WireCase& c : PlainCases()) {
    SCOPED_TRACE(c.tensor.DebugString());
    const std::string bytes = absl::HexStringToBytes(c.hex);
    const absl::StatusOr<Payload> received = Receive(bytes, kRecv);
    ASSERT_TRUE(received.ok()) << received.status();
    EXPECT_EQ(Encode(received->header, {{"", c.tensor}}, kRecv), bytes);
  }
}

TEST(WireTest, ReadsWhatTensorFlowWrites) {
  std::vector<WireCase> cases = PlainCases();
  std::string text;
  for (int i = 0; i < 40; ++i) text += "leat";
  cases.push_back(
      {wire_cases::kStrings, Tensor::Vector<std::string>({"a", "", "xyz"})});
  cases.push_back({wire_cases::kString, Tensor::Scalar(text)});
  TensorList list(DType::kFloat, PartialShape());
  ASSERT_TRUE(list.PushBack(Tensor::Scalar(1.5f)).ok());
  cases.push_back(
      {wire_cases::kVariant, Tensor::Scalar(Variant::Of(std::move(list)))});
  for (const WireCase& c : cases) {
    SCOPED_TRACE(c.tensor.DebugString());
    const absl::StatusOr<Payload> received =
        Receive(absl::HexStringToBytes(c.hex), kRecv);
    ASSERT_TRUE(received.ok()) << received.status();
    ASSERT_EQ(received->tensors.size(), 1);
    ExpectSame(received->tensors[0].tensor, c.tensor);
    pb::RecvTensorResponse header;
    ASSERT_TRUE(header.ParseFromString(received->header));
    EXPECT_GT(header.send_start_micros(), 0);
    EXPECT_FALSE(header.has_tensor());
    EXPECT_EQ(header.is_dead(), c.hex == wire_cases::kDead);
  }
}

TEST(WireTest, ReadsTheResourcesThatTensorFlowWrites) {
  const absl::StatusOr<Payload> received =
      Receive(absl::HexStringToBytes(wire_cases::kResource), kRecv);
  ASSERT_TRUE(received.ok()) << received.status();
  const Tensor& tensor = received->tensors[0].tensor;
  ASSERT_EQ(tensor.dtype(), DType::kResource);
  ASSERT_EQ(tensor.shape(), Shape());
  const ResourceHandle& handle = tensor.scalar<ResourceHandle>();
  EXPECT_EQ(handle.device, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(handle.name, "weights");
  EXPECT_NE(handle.hash_code, 0);
}

// ---------------------------------------------------------------------------
// Tests that decoding returns the tensors that were encoded.

// Returns a tensor with different values. A bool tensor has zeros and ones.
Tensor Counted(DType dtype, const Shape& shape) {
  Tensor tensor = *Tensor::Allocate(HostAllocator(), dtype, shape);
  for (int64_t i = 0; i < tensor.num_bytes(); ++i) {
    tensor.mutable_raw_data()[i] =
        static_cast<char>(dtype == DType::kBool ? i % 3 == 0 : i * 7 + 1);
  }
  return tensor;
}

Tensor Object(DType dtype, const Shape& shape) {
  Tensor tensor = *Tensor::Allocate(HostAllocator(), dtype, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const std::string text(i * 13, 'a');
    if (dtype == DType::kString) {
      tensor.mutable_data<std::string>()[i] = text;
    } else if (dtype == DType::kResource) {
      tensor.mutable_data<ResourceHandle>()[i].name = text;
    } else {
      TensorList list(DType::kInt64, PartialShape());
      EXPECT_TRUE(list.PushBack(Tensor::Scalar(i)).ok());
      tensor.mutable_data<Variant>()[i] = Variant::Of(std::move(list));
    }
  }
  return tensor;
}

std::vector<Tensor> TensorsOfEveryKind() {
  std::vector<Tensor> tensors;
  for (const DTypeEncoding& encoding : kDTypeEncodings) {
    const auto dtype = static_cast<DType>(encoding.number);
    for (const Shape& shape :
         {Shape(), Shape({0}), Shape({3}), Shape({2, 0, 300}),
          Shape({1, 2, 3, 1, 2}), Shape({9, 129})}) {
      tensors.push_back(IsPlainBytes(dtype)          ? Counted(dtype, shape)
                        : shape.num_elements() > 100 ? Object(dtype, {2})
                                                     : Object(dtype, shape));
    }
  }
  return tensors;
}

TEST(WireTest, EveryKindOfTensorRoundTrips) {
  const std::vector<Tensor> tensors = TensorsOfEveryKind();
  ASSERT_GT(tensors.size(), 150);
  for (const Tensor& tensor : tensors) {
    SCOPED_TRACE(tensor.DebugString(1));
    const std::string bytes = Encode("", {{"", tensor}}, kRecv);
    const absl::StatusOr<Payload> received = Receive(bytes, kRecv);
    ASSERT_TRUE(received.ok()) << received.status();
    ExpectSame(*received, Of("", {{"", tensor}}));

    pb::RecvTensorResponse parsed;
    ASSERT_TRUE(parsed.ParseFromString(bytes));
    const auto decoded =
        DecodeTensor(parsed.tensor(), HostAllocator(), kMaxBytes, &Decoders());
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    ExpectSame(*decoded, tensor);
  }
}

TEST(WireTest, AllTensorsOfAMessageRoundTripWithTheirNames) {
  std::vector<WireTensor> tensors;
  for (const Tensor& tensor : TensorsOfEveryKind()) {
    tensors.push_back({absl::StrCat("key;", tensors.size()), tensor});
  }
  tensors[3].name = "";
  pb::RunGraphRequest request;
  request.set_step_id(7);
  request.add_recv_key("r");
  const std::string header = request.SerializeAsString();
  const std::string bytes = Encode(header, tensors, kSend);
  const absl::StatusOr<Payload> received = Receive(bytes, kSend);
  ASSERT_TRUE(received.ok()) << received.status();
  ExpectSame(*received, Of(header, tensors));

  ASSERT_TRUE(request.ParseFromString(bytes));
  ASSERT_EQ(request.send_size(), static_cast<int>(tensors.size()));
  EXPECT_EQ(request.step_id(), 7);
  EXPECT_EQ(request.send(5).name(), "key;5");
}

TEST(WireTest, MessagesWithoutTensorsAreTheirHeader) {
  for (const TensorField field : {TensorField(), kSend, kRecv}) {
    EXPECT_EQ(Encode("", {}, field), "");
    EXPECT_EQ(Encode("\x10\x07", {}, field), "\x10\x07");
    for (const std::string bytes : {"", "\x10\x07"}) {
      ReceivedMessage message(bytes, {0, bytes.size()});
      const auto payload = SplitPayload(message.Take(), field);
      ASSERT_TRUE(payload.ok());
      EXPECT_EQ(payload->header, bytes);
      EXPECT_EQ(payload->pending, nullptr);
      EXPECT_TRUE(message.IsReleased());
    }
  }
}

// ---------------------------------------------------------------------------
// Tests messages in unusual but valid forms.

std::string Bytes(int number, const std::string& value) {
  EXPECT_LT(value.size(), 128);
  return absl::StrCat(std::string(1, static_cast<char>(number << 3 | 2)),
                      std::string(1, static_cast<char>(value.size())), value);
}

// Calls `check` once for each order of the parts, with the parts joined in this
// order.
template <class Check>
void ForEveryOrder(std::vector<std::string> parts, Check check) {
  std::sort(parts.begin(), parts.end());
  do {
    check(absl::StrJoin(parts, ""));
  } while (std::next_permutation(parts.begin(), parts.end()));
}

const std::string kDtypeInt16("\x08\x05", 2);
const std::string kShape2 = Bytes(2, Bytes(2, std::string("\x08\x02", 2)));
const std::string kContent = Bytes(4, "abcd");
const std::string kInt16s = absl::StrCat(kDtypeInt16, kShape2, kContent);

Tensor Int16s() { return Tensor::Vector<int16_t>({0x6261, 0x6463}); }

TEST(WireTest, FieldsOfATensorMayStandInAnyOrder) {
  const std::string version("\x18\x03", 2), unknown("\xa8\x06\x01", 3);
  int orders = 0;
  ForEveryOrder({kDtypeInt16, kShape2, kContent, version, unknown},
                [&](const std::string& proto) {
                  const auto received = Receive(Bytes(1, proto), kRecv);
                  ASSERT_TRUE(received.ok()) << received.status();
                  ExpectSame(received->tensors[0].tensor, Int16s());
                  ++orders;
                });
  EXPECT_EQ(orders, 120);
}

TEST(WireTest, FieldsOfAMessageMayStandInAnyOrder) {
  const std::string unknown("\xa8\x06\x01", 3);
  ForEveryOrder({Bytes(1, "k"), Bytes(2, kInt16s), unknown},
                [&](const std::string& named) {
                  ForEveryOrder(
                      {Bytes(3, named), Bytes(3, Bytes(2, kInt16s)),
                       Bytes(1, "handle"), std::string("\x10\x07", 2)},
                      [&](const std::string& bytes) {
                        const auto received = Receive(bytes, kSend);
                        ASSERT_TRUE(received.ok()) << received.status();
                        pb::RunGraphRequest request;
                        ASSERT_TRUE(request.ParseFromString(received->header));
                        EXPECT_EQ(request.step_id(), 7);
                        EXPECT_EQ(request.graph_handle(), "handle");
                        ASSERT_EQ(received->tensors.size(), 2);
                        EXPECT_EQ(received->tensors[0].name.size() +
                                      received->tensors[1].name.size(),
                                  1);
                        for (const WireTensor& wire : received->tensors) {
                          ExpectSame(wire.tensor, Int16s());
                        }
                      });
                });
}

// Returns a message with numeric tensors, a string tensor, a name, and other
// fields before and after them.
std::string SmallMessage() {
  pb::RunGraphRequest request;
  request.set_step_id(300);
  request.set_graph_handle("handle");
  return Encode(request.SerializeAsString(),
                {{"a", Int16s()},
                 {"", Tensor::Vector<std::string>({"xy", ""})},
                 {"b", Tensor::Scalar(true)}},
                kSend) +
         Bytes(4, "recv_key");
}

TEST(WireTest, EverySplitIntoThreeSlicesGivesTheSame) {
  const std::string bytes = SmallMessage();
  const absl::StatusOr<Payload> whole = Receive(bytes, kSend);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_EQ(whole->tensors.size(), 3);
  for (size_t i = 0; i <= bytes.size(); ++i) {
    for (size_t j = i; j <= bytes.size(); ++j) {
      const absl::StatusOr<Payload> received = Receive(bytes, kSend, {i, j});
      ASSERT_TRUE(received.ok()) << i << " " << j << received.status();
      ExpectSame(*received, *whole);
    }
  }
  std::vector<size_t> every;
  for (size_t i = 0; i <= bytes.size(); ++i) every.push_back(i);
  ExpectSame(*Receive(bytes, kSend, every), *whole);
}

// Returns the tensors that protobuf and DecodeTensor read from the whole
// message, or no tensors if they refuse the message.
std::vector<WireTensor> ByProtobuf(const std::string& bytes) {
  pb::RunGraphRequest request;
  if (!request.ParseFromString(bytes)) return {};
  std::vector<WireTensor> tensors;
  for (const pb::NamedTensorProto& named : request.send()) {
    const auto tensor =
        DecodeTensor(named.tensor(), HostAllocator(), kMaxBytes, &Decoders());
    if (!tensor.ok()) return {};
    tensors.push_back({named.name(), *tensor});
  }
  return tensors;
}

TEST(WireTest, EveryTruncationIsReadOrRefusedAsByProtobuf) {
  const std::string bytes = SmallMessage();
  int refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    const std::string cut = bytes.substr(0, size);
    const absl::StatusOr<Payload> received = Receive(cut, kSend, {size / 2});
    pb::RunGraphRequest request;
    ASSERT_EQ(request.ParseFromString(cut),
              received.ok() && request.ParseFromString(received->header));
    if (!received.ok()) {
      EXPECT_EQ(received.status().code(), kInvalid);
      ++refused;
      continue;
    }
    ExpectSame(*received, Of(received->header, ByProtobuf(cut)));
  }
  EXPECT_GT(refused, 60);
}

TEST(WireTest, EveryChangedByteIsReadOrRefusedAsByProtobuf) {
  const std::string bytes = SmallMessage();
  int read = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 2, 8, 16, 128}) {
      SCOPED_TRACE(absl::StrCat(i, " ^ ", change));
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ change);
      const absl::StatusOr<Payload> received = Receive(changed, kSend, {i});
      pb::RunGraphRequest request;
      if (!received.ok() || !request.ParseFromString(received->header)) {
        EXPECT_TRUE(ByProtobuf(changed).empty()) << received.status();
        continue;
      }
      ++read;
      ExpectSame(*received, Of(received->header, ByProtobuf(changed)));
    }
  }
  EXPECT_GT(read, 50);
}

TEST(WireTest, TensorsGivenTwiceAreMergedAsByProtobuf) {
  const std::string first = absl::StrCat(kDtypeInt16, kShape2);
  const auto received = Receive(
      Bytes(3,
            absl::StrCat(Bytes(2, first), Bytes(1, "k"), Bytes(2, kContent))),
      kSend);
  ASSERT_TRUE(received.ok()) << received.status();
  EXPECT_EQ(received->tensors[0].name, "k");
  ExpectSame(received->tensors[0].tensor, Int16s());
}

TEST(WireTest, ElementsWithoutContentAreValuesOrZero) {
  const auto zeros = Receive(
      Bytes(1, absl::StrCat(kDtypeInt16, kShape2, Bytes(4, ""))), kRecv);
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  ExpectSame(zeros->tensors[0].tensor, Tensor::Vector<int16_t>({0, 0}));
  const auto repeated = Receive(
      Bytes(1, absl::StrCat(kDtypeInt16, kShape2, Bytes(7, "\x05"))), kRecv);
  ASSERT_TRUE(repeated.ok()) << repeated.status();
  ExpectSame(repeated->tensors[0].tensor, Tensor::Vector<int16_t>({5, 5}));
}

TEST(WireTest, BoolsBecomeZeroOrOne) {
  const std::string proto = absl::StrCat(std::string("\x08\x0a", 2), kShape2,
                                         Bytes(4, std::string("\0\x80", 2)));
  const auto received = Receive(Bytes(1, proto), kRecv);
  ASSERT_TRUE(received.ok()) << received.status();
  const Tensor& tensor = received->tensors[0].tensor;
  EXPECT_EQ(std::string(tensor.raw_data(), 2), std::string("\0\1", 2));
}

// ---------------------------------------------------------------------------
// Tests messages that are refused.

void ExpectRefused(const std::string& bytes, TensorField field,
                   const std::string& text) {
  const absl::StatusOr<Payload> received = Receive(bytes, field);
  EXPECT_EQ(received.status().code(), kInvalid);
  EXPECT_THAT(std::string(received.status().message()), HasSubstr(text));
}

TEST(WireTest, RefusesMalformedFieldsNamingTheByte) {
  const std::string good("\x10\x07", 2);
  ExpectRefused(good + std::string("\x00\x01", 2), kSend,  // number 0
                "4 bytes has no valid field at byte 2");
  ExpectRefused(good + "\x0b\x0c", kSend, "at byte 2");  // a group
  // This field announces 5 bytes, but the message ends here.
  ExpectRefused(good + "\x1a\x05", kSend, "at byte 2");
  ExpectRefused("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", kSend,
                "at byte 0");
  ExpectRefused("\x1a\xff\xff\xff\xff\x0f", kSend, "at byte 0");
}

TEST(WireTest, RefusesContentThatIsNotOfTheShape) {
  const std::string proto = absl::StrCat(kDtypeInt16, kShape2, Bytes(4, "abc"));
  ExpectRefused(Bytes(1, proto), kRecv,
                "TensorProto of int16[2] has tensor_content of 3 bytes instead "
                "of 4");
  ExpectRefused(Bytes(3, Bytes(1, "k") + Bytes(2, proto)), kSend,
                "'k': TensorProto of int16[2]");
}

TEST(WireTest, RefusesWhatIsNoTensor) {
  ExpectRefused(Bytes(1, ""), kRecv, "dtype 0");
  ExpectRefused(Bytes(3, Bytes(1, "k")), kSend, "'k': TensorProto has dtype 0");
  ExpectRefused(Bytes(1, std::string("\x08\x65", 2) + Bytes(4, "abcd")), kRecv,
                "dtype 101");
  ExpectRefused(Bytes(1, "\x08"), kRecv, "1 bytes are not a TensorProto");
  ExpectRefused(Bytes(3, Bytes(1, "\xff")), kSend,
                "are not a NamedTensorProto");
  const std::string unknown_rank = Bytes(2, std::string("\x18\x01", 2));
  ExpectRefused(Bytes(1, kDtypeInt16 + unknown_rank + kContent), kRecv,
                "not fully known");
}

TEST(WireTest, DoesNotWriteWhatCannotBeSent) {
  const auto refuse = [](Payload payload, TensorField field) {
    const auto segments = EncodePayload(std::move(payload), field);
    EXPECT_EQ(segments.status().code(), kInvalid);
    return std::string(segments.status().message());
  };
  EXPECT_EQ(refuse(Of("", {{"", Int16s()}}), {}),
            "1 tensors are in a message that has no field for them");
  EXPECT_THAT(refuse(Of("", {{"", Tensor()}}), kRecv),
              HasSubstr("without value"));
}

}  // namespace
}  // namespace leat::wire_test
