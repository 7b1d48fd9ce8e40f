// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests lists and optionals in messages that TensorFlow wrote (see
// make_variant_encodings.py) and in malformed messages.
#include "leat/core/variant_codec.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/variants/optional.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/core/varint.h"
#include "leat/core/wire_names.h"
#include "leat/protos/tensor.pb.h"
#include "leat/tests/core/variant_decoders.h"
#include "leat/tests/core/variant_encodings.h"

namespace leat::variant_codec_test {
namespace {

using leat::testing::Decoders;
using ::testing::HasSubstr;

absl::StatusOr<Tensor> Decode(const pb::TensorProto& proto,
                              int64_t max_bytes = kMaxDecodedTensorBytes) {
  return DecodeTensor(proto, HostAllocator(), max_bytes, &Decoders());
}

pb::TensorProto Parse(absl::string_view hex) {
  pb::TensorProto proto;
  EXPECT_TRUE(proto.ParseFromString(absl::HexStringToBytes(hex)));
  return proto;
}

Tensor DecodeHex(absl::string_view hex) {
  absl::StatusOr<Tensor> tensor = Decode(Parse(hex));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return tensor.ok() ? *tensor : Tensor();
}

const TensorList& ListIn(const Tensor& tensor, int i = 0) {
  const TensorList* list = tensor.data<Variant>()[i].get<TensorList>();
  EXPECT_NE(list, nullptr);
  return *list;
}

void ExpectIsAList(const TensorList& list) {
  EXPECT_EQ(list.element_dtype(), DType::kFloat);
  EXPECT_EQ(list.element_shape(), PartialShape({-1, 2}));
  EXPECT_EQ(list.max_num_elements(), -1);
  ASSERT_EQ(list.size(), 3);
  EXPECT_FALSE(list.at(0).IsValid());
  EXPECT_TRUE(Identical(list.at(1), Tensor::Of<float>(Shape({1, 2}), {1, 2})));
  EXPECT_FALSE(list.at(2).IsValid());
}

TEST(VariantCodecTest, ReadsWhatTensorFlowWrites) {
  ExpectIsAList(ListIn(DecodeHex(kAListHex)));

  const Tensor bounded = DecodeHex(kBoundedListHex);
  EXPECT_EQ(ListIn(bounded).element_dtype(), DType::kString);
  EXPECT_FALSE(ListIn(bounded).element_shape().rank_known());
  EXPECT_EQ(ListIn(bounded).max_num_elements(), 5);
  ASSERT_EQ(ListIn(bounded).size(), 1);
  EXPECT_EQ(ListIn(bounded).at(0).scalar<std::string>(), "a");

  const Tensor nested = DecodeHex(kListOfListsHex);
  EXPECT_EQ(ListIn(nested).depth(), 2);
  ASSERT_EQ(ListIn(nested).size(), 1);
  ExpectIsAList(ListIn(ListIn(nested).at(0)));

  const Tensor two = DecodeHex(kTwoListsHex);
  ASSERT_EQ(two.shape(), Shape({2}));
  ExpectIsAList(ListIn(two, 0));
  EXPECT_EQ(ListIn(two, 1).size(), 1);

  const Tensor some = DecodeHex(kSomeHex);
  const auto* optional = some.scalar<Variant>().get<OptionalValue>();
  ASSERT_NE(optional, nullptr);
  ASSERT_TRUE(optional->has_value());
  ASSERT_EQ(optional->components().size(), 2u);
  EXPECT_EQ(optional->components()[0].scalar<float>(), 1);
  EXPECT_TRUE(
      Identical(optional->components()[1], Tensor::Vector<int32_t>({2, 3})));

  const Tensor none = DecodeHex(kNoneHex);
  ASSERT_NE(none.scalar<Variant>().get<OptionalValue>(), nullptr);
  EXPECT_FALSE(none.scalar<Variant>().get<OptionalValue>()->has_value());
}

// Returns the one value that TensorFlow has put into the tensor_content of
// `proto`.
pb::VariantTensorDataProto ValueIn(const pb::TensorProto& proto) {
  absl::string_view content = proto.tensor_content();
  uint64_t length = 0;
  EXPECT_TRUE(TakeVarint64(content, length));
  EXPECT_EQ(length, content.size());
  pb::VariantTensorDataProto value;
  EXPECT_TRUE(value.ParseFromString(std::string(content)));
  return value;
}

TEST(VariantCodecTest, WritesTheSameMetadataAndTensors) {
  for (const char* hex :
       {kAListHex, kBoundedListHex, kListOfListsHex, kSomeHex, kNoneHex}) {
    const pb::TensorProto theirs = Parse(hex);
    pb::TensorProto ours;
    ASSERT_TRUE(EncodeTensor(DecodeHex(hex), &ours).ok());
    ASSERT_EQ(ours.variant_val_size(), 1);
    const pb::VariantTensorDataProto value = ValueIn(theirs);
    EXPECT_EQ(ours.variant_val(0).type_name(), value.type_name());
    EXPECT_EQ(absl::CHexEscape(ours.variant_val(0).metadata()),
              absl::CHexEscape(value.metadata()));
    ASSERT_EQ(ours.variant_val(0).tensors_size(), value.tensors_size());
    for (int i = 0; i < value.tensors_size(); ++i) {
      if (value.tensors(i).dtype() == pb::DT_VARIANT) continue;
      EXPECT_TRUE(Identical(*Decode(ours.variant_val(0).tensors(i)),
                            *Decode(value.tensors(i))));
    }
    // If Leat decodes its own message `ours` and encodes the tensor again, the
    // bytes are the same.
    pb::TensorProto again;
    ASSERT_TRUE(EncodeTensor(*Decode(ours), &again).ok());
    EXPECT_EQ(again.SerializeAsString(), ours.SerializeAsString());
  }
}

void ExpectRefused(const pb::TensorProto& proto, absl::string_view text) {
  const auto tensor = Decode(proto);
  EXPECT_EQ(tensor.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tensor.status().message()),
              HasSubstr(std::string(text)));
}

pb::TensorProto ListProto(const std::string& metadata) {
  pb::TensorProto proto;
  proto.set_dtype(pb::DT_VARIANT);
  auto* value = proto.add_variant_val();
  value->set_type_name(kTensorListTypeName);
  value->set_metadata(metadata);
  return proto;
}

std::string Varints(std::initializer_list<uint64_t> values) {
  std::string bytes;
  for (const uint64_t value : values) AppendVarint64(value, &bytes);
  return bytes;
}

TEST(VariantCodecTest, RefusesMalformedLists) {
  constexpr uint64_t kNoLimit = ~uint64_t{0};
  EXPECT_TRUE(Decode(ListProto(Varints({0, 1, kNoLimit}))).ok());
  ExpectRefused(ListProto(""), "cut off");
  ExpectRefused(ListProto(Varints({0, 1})), "cut off");
  ExpectRefused(ListProto(std::string(11, '\xff')), "cut off");
  // The first list declares more indices than it has bytes left. The indices of
  // the second list descend. An index of the third list lies behind the end of
  // that list.
  ExpectRefused(ListProto(Varints({kNoLimit, 0, 1, kNoLimit})), "cut off");
  ExpectRefused(ListProto(Varints({2, 1, 0, 1, kNoLimit})), "next one");
  ExpectRefused(ListProto(Varints({1, 5, 1, kNoLimit})), "next one");
  // The element dtypes of these lists are invalid: 0 is not a dtype, 101 is a
  // reference type, and kNoLimit is not the number of any dtype.
  ExpectRefused(ListProto(Varints({0, 0, kNoLimit})), "element dtype 0");
  ExpectRefused(ListProto(Varints({0, 101, kNoLimit})), "element dtype 101");
  ExpectRefused(ListProto(Varints({0, kNoLimit, kNoLimit})), "element dtype");
  // The first shape is not a message. The second one is a message, but not a
  // valid shape.
  ExpectRefused(ListProto(Varints({0, 1, kNoLimit}) + "\x12"), "shape");
  ExpectRefused(ListProto(Varints({0, 1, kNoLimit, 0x12, 2, 8, 5}) +
                          std::string("\x12\x0b\x08\xfe\xff\xff\xff\xff\xff"
                                      "\xff\xff\xff\x01")),
                "");
}

TEST(VariantCodecTest, RefusesTensorsThatDoNotFitTheirList) {
  // The list declares elements of float[2].
  pb::TensorProto proto = ListProto(Varints({0, 1, ~uint64_t{0}}) +
                                    std::string("\x12\x02\x08\x02"));
  pb::TensorProto* element = proto.mutable_variant_val(0)->add_tensors();
  ASSERT_TRUE(EncodeTensor(Tensor::Vector<float>({1, 2}), element).ok());
  EXPECT_TRUE(Decode(proto).ok());
  ASSERT_TRUE(EncodeTensor(Tensor::Vector<float>({1}), element).ok());
  ExpectRefused(proto, "incompatible shape");
  ASSERT_TRUE(EncodeTensor(Tensor::Vector<int32_t>({1, 2}), element).ok());
  ExpectRefused(proto, "Invalid data types");
  element->set_dtype(pb::DT_INVALID);
  ExpectRefused(proto, "dtype 0");
}

TEST(VariantCodecTest, RefusesMalformedOptionalsAndUnknownTypes) {
  pb::TensorProto proto = ListProto("");
  auto* value = proto.mutable_variant_val(0);
  value->set_type_name(kOptionalTypeName);
  for (const char* metadata : {"", "\2", "\1\1"}) {
    value->set_metadata(metadata);
    ExpectRefused(proto, kOptionalTypeName);
  }
  value->set_metadata(std::string(1, '\0'));
  EXPECT_TRUE(Decode(proto).ok());
  value->add_tensors()->set_dtype(pb::DT_FLOAT);
  ExpectRefused(proto, kOptionalTypeName);
  value->set_type_name("tensorflow::DatasetVariantWrapper");
  ExpectRefused(proto, "tensorflow::DatasetVariantWrapper");
  // Without VariantDecoders, even the type of a TensorList is unknown.
  EXPECT_FALSE(
      DecodeTensor(Parse(kAListHex), HostAllocator(), kMaxDecodedTensorBytes)
          .ok());
}

TEST(VariantCodecTest, RefusesMalformedContent) {
  for (const char* content : {"\5abc", "\1abc", "\3\xff\xff\xff", "\x80"}) {
    pb::TensorProto proto;
    proto.set_dtype(pb::DT_VARIANT);
    proto.set_tensor_content(content);
    ExpectRefused(proto, "tensor_content");
  }
}

// Returns an optional whose nesting is `depth` levels deep.
Tensor NestedOptionals(int depth) {
  Tensor tensor = Tensor::Scalar(Variant::Of(OptionalValue()));
  for (int i = 1; i < depth; ++i) {
    tensor = Tensor::Scalar(
        Variant::Of(*OptionalValue::Create({std::move(tensor)})));
  }
  return tensor;
}

TEST(VariantCodecTest, BoundsHowDeepVariantsStand) {
  const Tensor deepest = NestedOptionals(kMaxVariantDepth);
  EXPECT_EQ(VariantDepth(deepest), kMaxVariantDepth);
  EXPECT_EQ(OptionalValue::Create({deepest}).status().code(),
            absl::StatusCode::kInvalidArgument);
  TensorList list(DType::kVariant, PartialShape());
  EXPECT_EQ(list.PushBack(deepest).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(list.PushBack(NestedOptionals(kMaxVariantDepth - 1)).ok());

  pb::TensorProto proto;
  ASSERT_TRUE(EncodeTensor(deepest, &proto).ok());
  EXPECT_TRUE(Decode(proto).ok());
  // protobuf can still parse the message at this depth.
  pb::TensorProto parsed;
  EXPECT_TRUE(parsed.ParseFromString(proto.SerializeAsString()));
  pb::TensorProto deeper = ListProto(std::string(1, '\1'));
  deeper.mutable_variant_val(0)->set_type_name(kOptionalTypeName);
  *deeper.mutable_variant_val(0)->add_tensors() = proto;
  ExpectRefused(deeper, "others");
}

// In tensor_content every level is a separate message, so protobuf's limit for
// nested messages does not apply.
TEST(VariantCodecTest, BoundsHowDeepVariantsStandInContent) {
  pb::TensorProto proto = Parse(kNoneHex);
  for (int i = 0; i < 1000; ++i) {
    pb::VariantTensorDataProto value;
    value.set_type_name(kOptionalTypeName);
    value.set_metadata("\1");
    *value.add_tensors() = proto;
    const std::string bytes = value.SerializeAsString();
    std::string content;
    AppendVarint64(bytes.size(), &content);
    proto.set_tensor_content(content + bytes);
  }
  ExpectRefused(proto, "others");
}

TEST(VariantCodecTest, CountsWhatIsInVariantsAgainstTheLimit) {
  // The list declares float elements of unknown shape.
  pb::TensorProto proto =
      ListProto(Varints({0, 1, ~uint64_t{0}}) + std::string("\x18\x01"));
  for (int i = 0; i < 3; ++i) {
    // 4 bytes in the message become 4 MiB in memory.
    pb::TensorProto* element = proto.mutable_variant_val(0)->add_tensors();
    element->set_dtype(pb::DT_FLOAT);
    element->mutable_tensor_shape()->add_dim()->set_size(1 << 20);
    element->add_float_val(1);
  }
  EXPECT_TRUE(Decode(proto, 13 << 20).ok());
  const auto refused = Decode(proto, 9 << 20);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  int64_t bytes = 0;
  ASSERT_TRUE(
      DecodeTensor(proto, HostAllocator(), 13 << 20, &Decoders(), &bytes).ok());
  EXPECT_GE(bytes, 12 << 20);
  EXPECT_FALSE(
      DecodeTensor(proto, HostAllocator(), 9 << 20, &Decoders(), &bytes).ok());
  EXPECT_GT(bytes, 9 << 20);
}

// Each list holds the previous list twice. There are 32 lists in memory, but a
// message would contain 2^31 lists.
TEST(VariantCodecTest, DoesNotWriteWhatAMessageCannotHold) {
  Tensor tensor =
      Tensor::Scalar(Variant::Of(TensorList(DType::kFloat, PartialShape())));
  for (int i = 1; i < kMaxVariantDepth; ++i) {
    TensorList list(DType::kVariant, PartialShape());
    ASSERT_TRUE(list.PushBack(tensor).ok());
    ASSERT_TRUE(list.PushBack(tensor).ok());
    tensor = Tensor::Scalar(Variant::Of(std::move(list)));
  }
  pb::TensorProto proto;
  EXPECT_EQ(EncodeTensor(tensor, &proto).code(),
            absl::StatusCode::kInvalidArgument);
  TensorList huge(DType::kFloat, PartialShape());
  huge.Resize(TensorList::kMaxSize);
  EXPECT_EQ(
      EncodeTensor(Tensor::Scalar(Variant::Of(std::move(huge))), &proto).code(),
      absl::StatusCode::kInvalidArgument);
}

absl::StatusCode CodeOfEncoding(const Tensor& tensor, int64_t max_bytes) {
  pb::TensorProto proto;
  return EncodeTensor(tensor, &proto, max_bytes).code();
}

// Many variants share one list of 1,000 unwritten elements. The message would
// contain the indices of these elements once for each variant.
TEST(VariantCodecTest, CountsMetadataOfVariantsAgainstTheLimitOfAMessage) {
  TensorList list(DType::kFloat, PartialShape());
  list.Resize(1000);
  const Tensor tensor =
      Tensor::Filled(Shape({100}), Variant::Of(std::move(list)));
  pb::TensorProto proto;
  ASSERT_TRUE(EncodeTensor(tensor, &proto).ok());
  const auto bytes = static_cast<int64_t>(proto.ByteSizeLong());
  EXPECT_GT(bytes, 100 * 1000);
  EXPECT_EQ(CodeOfEncoding(tensor, 2 * bytes), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOfEncoding(tensor, bytes / 2),
            absl::StatusCode::kInvalidArgument);
  // Encoding stops at the limit, which is reached after half of the variants.
  EXPECT_FALSE(EncodeTensor(tensor, &proto, bytes / 2).ok());
  EXPECT_LE(proto.variant_val_size(), 51);
}

TEST(VariantCodecTest, CountsEmptyVariantsOfAMessage) {
  Tensor tensor = Tensor::Filled(Shape({10000}), Variant());
  tensor.mutable_data<Variant>()[0] = Variant::Of(OptionalValue());
  EXPECT_EQ(CodeOfEncoding(tensor, 2000 * 1000), absl::StatusCode::kOk);
  // A variant is a pointer in memory, but an object in a message.
  EXPECT_EQ(CodeOfEncoding(tensor, 100 * 1000),
            absl::StatusCode::kInvalidArgument);
}

// Returns a list of `gaps` elements that were never written, followed by one
// tensor.
pb::TensorProto ListWithGaps(uint64_t gaps) {
  std::string metadata = Varints({gaps});
  for (uint64_t i = 0; i < gaps; ++i) AppendVarint64(i, &metadata);
  pb::TensorProto proto =
      ListProto(metadata + Varints({1, ~uint64_t{0}}) + "\x18\x01");
  pb::TensorProto* element = proto.mutable_variant_val(0)->add_tensors();
  element->set_dtype(pb::DT_FLOAT);
  element->add_float_val(7);
  return proto;
}

TEST(VariantCodecTest, CountsElementsThatWereNeverWrittenAgainstTheLimit) {
  constexpr int64_t kGaps = 10000;
  const pb::TensorProto proto = ListWithGaps(kGaps);
  constexpr auto kListBytes = static_cast<int64_t>(kGaps * sizeof(Tensor));
  EXPECT_EQ(Decode(proto, kListBytes).status().code(),
            absl::StatusCode::kResourceExhausted);
  const auto tensor = Decode(proto, 3 * kListBytes);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  ASSERT_EQ(ListIn(*tensor).size(), kGaps + 1);
  EXPECT_FALSE(ListIn(*tensor).at(kGaps - 1).IsValid());
  EXPECT_EQ(ListIn(*tensor).at(kGaps).scalar<float>(), 7);
}

TEST(VariantCodecTest, ReadsGapsBetweenAndBehindTensors) {
  // Only the elements 0 and 3 are written.
  pb::TensorProto proto =
      ListProto(Varints({4, 1, 2, 4, 5, 1, ~uint64_t{0}}) + "\x18\x01");
  for (const float value : {1.0f, 2.0f}) {
    pb::TensorProto* element = proto.mutable_variant_val(0)->add_tensors();
    element->set_dtype(pb::DT_FLOAT);
    element->add_float_val(value);
  }
  const auto tensor = Decode(proto);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const TensorList& list = ListIn(*tensor);
  ASSERT_EQ(list.size(), 6);
  EXPECT_EQ(list.stored().size(), 4u);
  EXPECT_EQ(list.at(0).scalar<float>(), 1);
  EXPECT_EQ(list.at(3).scalar<float>(), 2);
  for (const int i : {1, 2, 4, 5}) EXPECT_FALSE(list.at(i).IsValid()) << i;
}

// The bytes in tensor_content are first parsed into a message. The memory of
// that message counts against the limit.
TEST(VariantCodecTest, CountsContentOfVariantsAgainstTheLimit) {
  // The value is an empty variant with an unknown field of 1,000 bytes.
  const std::string value = "\x7a\xe8\x07" + std::string(1000, 'x');
  pb::TensorProto proto;
  proto.set_dtype(pb::DT_VARIANT);
  proto.set_tensor_content(Varints({value.size()}) + value);
  EXPECT_EQ(Decode(proto, 500).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Decode(proto, 5000).ok());
}

// A LimitedAllocator is an allocator that hands out `limit` bytes in all and
// then refuses all requests.
class LimitedAllocator final : public Allocator {
 public:
  explicit LimitedAllocator(size_t limit) : left_(limit) {}
  BufferRef Allocate(size_t bytes) override {
    if (bytes > left_) return nullptr;
    left_ -= bytes;
    return HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "limited"; }
  size_t left() const { return left_; }

 private:
  size_t left_;
};

TEST(TensorListTest, TakesItsArrayFromTheAllocator) {
  LimitedAllocator allocator(200 * sizeof(Tensor));
  const Tensor one = Tensor::Scalar(1.0f);
  TensorList list(DType::kFloat, PartialShape());
  list.Resize(1000);
  ASSERT_TRUE(list.Set(99, one, allocator).ok());
  EXPECT_EQ(allocator.left(), 100 * sizeof(Tensor));
  const absl::Status refused = list.Set(100, one, allocator);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("limited"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("101"));
  EXPECT_EQ(list.stored().size(), 100u);
  EXPECT_TRUE(list.Copy(allocator).ok());
  EXPECT_EQ(allocator.left(), 0u);
  EXPECT_EQ(list.Copy(allocator).status().code(),
            absl::StatusCode::kResourceExhausted);
  list.Resize(100);
  EXPECT_EQ(list.PushBack(one, allocator).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(list.size(), 100);
  // Without `allocator`, PushBack uses the default allocator, which has memory.
  // It moves the elements of the old array to the new one. So no reference to
  // `one` is left when the list is destroyed.
  EXPECT_TRUE(list.PushBack(one).ok());
  EXPECT_EQ(list.at(99).scalar<float>(), 1);
  EXPECT_EQ(list.at(100).scalar<float>(), 1);
  list = TensorList(DType::kFloat, PartialShape());
  EXPECT_TRUE(one.IsUnique());
}

TEST(TensorListTest, TakesNoMemoryForWhatWasNeverWritten) {
  TensorList list(DType::kFloat, PartialShape());
  list.Resize(TensorList::kMaxSize);
  EXPECT_EQ(list.size(), TensorList::kMaxSize);
  EXPECT_FALSE(list.at(TensorList::kMaxSize - 1).IsValid());
  EXPECT_TRUE(list.stored().empty());
  EXPECT_TRUE(list.Copy().ok());
  EXPECT_TRUE(list.Set(5, Tensor::Scalar(1.0f)).ok());
  EXPECT_EQ(list.stored().size(), 6u);
  EXPECT_EQ(list.Set(TensorList::kMaxSize - 1, Tensor::Scalar(1.0f)).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(list.PushBack(Tensor::Scalar(1.0f)).code(),
            absl::StatusCode::kResourceExhausted);
  list.Resize(3);
  EXPECT_TRUE(list.stored().empty() || !list.stored()[0].IsValid());
  list.Resize(6);
  EXPECT_FALSE(list.at(5).IsValid());
}

TEST(TensorListTest, ForgetsWhatIsPopped) {
  TensorList list(DType::kFloat, PartialShape());
  const Tensor element = Tensor::Scalar(1.0f);
  EXPECT_TRUE(element.IsUnique());
  ASSERT_TRUE(list.PushBack(element).ok());
  EXPECT_FALSE(element.IsUnique());
  list.PopBack();
  EXPECT_TRUE(element.IsUnique());
}

TEST(VariantTest, OnlyTheLastReferenceMayChangeTheValue) {
  Variant variant = Variant::Of(TensorList(DType::kFloat, PartialShape()));
  EXPECT_NE(variant.MutableIfUnique<TensorList>(), nullptr);
  EXPECT_EQ(variant.MutableIfUnique<OptionalValue>(), nullptr);
  {
    Variant other = variant;
    EXPECT_EQ(variant.MutableIfUnique<TensorList>(), nullptr);
    EXPECT_EQ(other.MutableIfUnique<TensorList>(), nullptr);
  }
  EXPECT_NE(variant.MutableIfUnique<TensorList>(), nullptr);
  EXPECT_EQ(Variant().MutableIfUnique<TensorList>(), nullptr);
}

}  // namespace
}  // namespace leat::variant_codec_test
