// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/tensor_codec.h"

#include <complex>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/resource_handle.h"
#include "leat/core/variant.h"
#include "leat/protos/resource_handle.pb.h"
#include "leat/protos/tensor.pb.h"
#include "leat/protos/tensor_shape.pb.h"
#include "leat/tests/core/dtype_encodings.h"

namespace leat::tensor_codec_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<Tensor> Decode(const pb::TensorProto& proto,
                              int64_t max_bytes = kMaxDecodedTensorBytes) {
  return DecodeTensor(proto, HostAllocator(), max_bytes);
}

pb::TensorProto Proto(DType dtype, std::initializer_list<int64_t> dims) {
  pb::TensorProto proto;
  proto.set_dtype(static_cast<pb::DataType>(dtype));
  for (const int64_t dim : dims) {
    proto.mutable_tensor_shape()->add_dim()->set_size(dim);
  }
  return proto;
}

void ExpectError(const absl::StatusOr<Tensor>& tensor, absl::StatusCode code,
                 const std::string& text) {
  EXPECT_EQ(tensor.status().code(), code);
  EXPECT_THAT(std::string(tensor.status().message()), HasSubstr(text));
}

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

// A ForbiddenAllocator makes the test fail if it is asked for memory.
class ForbiddenAllocator final : public Allocator {
 public:
  BufferRef Allocate(size_t bytes) override {
    ADD_FAILURE() << "allocates " << bytes;
    return nullptr;
  }
  absl::string_view name() const override { return "forbidden"; }
};

// Returns the tensor of a message that TensorFlow 2.15.1 serialized with
// tensor_util.make_tensor_proto or tf.io.serialize_tensor. The comment above
// each call gives the value of the tensor.
Tensor FromTensorFlow(absl::string_view hex) {
  pb::TensorProto proto;
  EXPECT_TRUE(proto.ParseFromString(absl::HexStringToBytes(hex)));
  const auto tensor = Decode(proto);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return tensor.value_or(Tensor());
}

void ExpectSame(const Tensor& actual, const Tensor& expected) {
  EXPECT_TRUE(Identical(actual, expected))
      << actual.DebugString() << " instead of " << expected.DebugString();
}

TEST(TensorCodecTest, DecodesWhatTensorFlowEncodes) {
  // [1.5, -2.0]
  ExpectSame(FromTensorFlow("080112041202080222080000c03f000000c0"),
             Tensor::Vector<float>({1.5f, -2.0f}));
  // np.float16(1.5)
  ExpectSame(FromTensorFlow("081312006a02807c"), Tensor::Scalar(half(1.5f)));
  // [1.5, -2.0] and 1.5 as bfloat16
  ExpectSame(FromTensorFlow("080e1204120208022204c03f00c0"),
             Tensor::Vector<bfloat16>({bfloat16(1.5f), bfloat16(-2.0f)}));
  ExpectSame(FromTensorFlow("080e12006a02c07f"),
             Tensor::Scalar(bfloat16(1.5f)));
  // np.uint8(200), np.int8(-3), np.uint16(65535)
  ExpectSame(FromTensorFlow("080412003a02c801"), Tensor::Scalar(uint8_t{200}));
  ExpectSame(FromTensorFlow("080612003a0afdffffffffffffffff01"),
             Tensor::Scalar(int8_t{-3}));
  ExpectSame(FromTensorFlow("081112003a03ffff03"),
             Tensor::Scalar(uint16_t{65535}));
  // np.int64(-5), np.uint64(2**64 - 1), np.uint32(2**32 - 1)
  ExpectSame(FromTensorFlow("08091200520afbffffffffffffffff01"),
             Tensor::Scalar(int64_t{-5}));
  ExpectSame(FromTensorFlow("081712008a010affffffffffffffffff01"),
             Tensor::Scalar(UINT64_MAX));
  ExpectSame(FromTensorFlow("08161200820105ffffffff0f"),
             Tensor::Scalar(UINT32_MAX));
  // np.complex64(1-2j), np.complex128(1-2j)
  ExpectSame(FromTensorFlow("080812004a080000803f000000c0"),
             Tensor::Scalar(std::complex<float>(1, -2)));
  ExpectSame(FromTensorFlow("081212006210000000000000f03f00000000000000c0"),
             Tensor::Scalar(std::complex<double>(1, -2)));
  // True
  ExpectSame(FromTensorFlow("080a12005a0101"), Tensor::Scalar(true));
  // [b'a', b'', b'xyz']
  ExpectSame(FromTensorFlow("08071204120208034201614200420378797a"),
             Tensor::Vector<std::string>({"a", "", "xyz"}));
  // [[7, 7], [7, 7]] as int32
  ExpectSame(FromTensorFlow("0803120812020802120208023a0107"),
             Tensor::Filled<int32_t>(Shape({2, 2}), 7));
  // np.zeros([0, 3], np.float32)
  ExpectSame(FromTensorFlow("08011206120012020803"),
             Tensor::Of<float>(Shape({0, 3}), {}));
}

TEST(TensorCodecTest, EncodesAsTensorFlowDoes) {
  const auto hex = [](const Tensor& tensor) {
    pb::TensorProto proto;
    EXPECT_TRUE(EncodeTensor(tensor, &proto).ok());
    return absl::BytesToHexString(proto.SerializeAsString());
  };
  EXPECT_EQ(hex(Tensor::Vector<float>({1.5f, -2.0f})),
            "080112041202080222080000c03f000000c0");
  EXPECT_EQ(hex(Tensor::Vector<std::string>({"a", "", "xyz"})),
            "08071204120208034201614200420378797a");
  EXPECT_EQ(hex(Tensor::Of<float>(Shape({0, 3}), {})), "08011206120012020803");
}

TEST(TensorCodecTest, ReadsAndWritesEveryPlainTypeAsTensorFlowDoes) {
  for (const DTypeEncoding& encoding : kDTypeEncodings) {
    SCOPED_TRACE(encoding.name);
    const std::string bytes = absl::HexStringToBytes(encoding.bytes_hex);
    if (bytes.empty()) continue;
    const Tensor tensor = FromTensorFlow(encoding.message_hex);
    EXPECT_EQ(static_cast<int>(tensor.dtype()), encoding.number);
    EXPECT_EQ(tensor.shape(), Shape({2}));
    EXPECT_EQ(std::string(tensor.raw_data(), tensor.num_bytes()), bytes);
    pb::TensorProto proto;
    ASSERT_TRUE(EncodeTensor(tensor, &proto).ok());
    EXPECT_EQ(proto.tensor_content(), bytes);
    ExpectSame(*Decode(proto), tensor);
  }
}

TEST(TensorCodecTest, EveryPlainTypeRoundTrips) {
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!DTypeFromWire(i)) continue;
    const DType dtype = static_cast<DType>(i);
    if (!IsPlainBytes(dtype)) continue;
    for (const Shape& shape : {Shape(), Shape({2, 3}), Shape({2, 0})}) {
      Tensor tensor = *Tensor::Allocate(HostAllocator(), dtype, shape);
      for (int64_t b = 0; b < tensor.num_bytes(); ++b) {
        tensor.mutable_raw_data()[b] =
            static_cast<char>(dtype == DType::kBool ? b % 2 : 37 * b + 1);
      }
      pb::TensorProto proto;
      ASSERT_TRUE(EncodeTensor(tensor, &proto).ok());
      const auto decoded = Decode(proto);
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_TRUE(Identical(*decoded, tensor)) << Name(dtype);
    }
  }
}

TEST(TensorCodecTest, EncodingOverwritesAndSlicesEncodeTheirRows) {
  pb::TensorProto proto = Proto(DType::kString, {9});
  proto.add_string_val("left over");
  const Tensor tensor = Tensor::Of<int32_t>(Shape({2, 2}), {1, 2, 3, 4});
  ASSERT_TRUE(EncodeTensor(tensor.Slice(1, 2), &proto).ok());
  ExpectSame(*Decode(proto), Tensor::Of<int32_t>(Shape({1, 2}), {3, 4}));
  EXPECT_EQ(proto.string_val_size(), 0);
}

TEST(TensorCodecTest, ResourceHandlesRoundTrip) {
  ResourceHandle handle;
  handle.device = "/job:ps/replica:0/task:1/device:CPU:0";
  handle.container = "localhost";
  handle.name = "weights";
  handle.hash_code = UINT64_MAX;
  handle.maybe_type_name = "Variable";
  const Tensor tensor = Tensor::Vector<ResourceHandle>({handle, {}});
  pb::TensorProto proto;
  ASSERT_TRUE(EncodeTensor(tensor, &proto).ok());
  EXPECT_EQ(proto.resource_handle_val(0).name(), "weights");
  ExpectSame(*Decode(proto), tensor);
}

// TensorFlow sends resource handles from task to task in tensor_content.
TEST(TensorCodecTest, ReadsResourceHandlesFromContent) {
  pb::ResourceHandleProto first;
  first.set_device("d");
  first.set_container("c");
  first.set_name("n");
  first.set_hash_code(5);
  const std::string bytes = first.SerializeAsString();
  pb::TensorProto proto = Proto(DType::kResource, {2});
  proto.set_tensor_content(absl::StrCat(
      std::string({static_cast<char>(bytes.size()), '\0'}), bytes));
  ResourceHandle handle;
  handle.device = "d";
  handle.container = "c";
  handle.name = "n";
  handle.hash_code = 5;
  ExpectSame(*Decode(proto), Tensor::Vector<ResourceHandle>({handle, {}}));
}

TEST(TensorCodecTest, RefusesContentThatIsNotOfResourceHandles) {
  pb::TensorProto proto = Proto(DType::kResource, {2});
  proto.set_tensor_content(std::string("\x01\x00\x0a", 3));
  ExpectError(Decode(proto), kInvalid,
              "cannot be read as a ResourceHandleProto");
  proto.set_tensor_content(std::string("\x01", 1));
  ExpectError(Decode(proto), kInvalid, "the length of resource 1 of 2");
  proto.set_tensor_content(std::string("\x01\x00", 2));
  ExpectError(Decode(proto), kInvalid, "0 bytes of resources instead of 1");
  // The memory for the handles is estimated before they are parsed.
  proto.set_tensor_content(std::string(1000, '\0'));
  *proto.mutable_tensor_shape() = Proto(DType::kFloat, {1000}).tensor_shape();
  ExpectError(Decode(proto, 1000 * 300), kExhausted, "resource[1000]");
}

TEST(TensorCodecTest, ContentWinsOverValues) {
  pb::TensorProto proto = Proto(DType::kInt32, {1});
  proto.add_int_val(1);
  proto.set_tensor_content(std::string("\2\0\0\0", 4));
  EXPECT_EQ(Decode(proto)->scalar<int32_t>(), 2);
}

TEST(TensorCodecTest, LastValueIsRepeatedAndSurplusIgnored) {
  pb::TensorProto proto = Proto(DType::kFloat, {4});
  proto.add_float_val(1);
  proto.add_float_val(2);
  EXPECT_THAT(Decode(proto)->data<float>(), ElementsAre(1, 2, 2, 2));
  proto.mutable_tensor_shape()->mutable_dim(0)->set_size(1);
  EXPECT_THAT(Decode(proto)->data<float>(), ElementsAre(1));
  proto.mutable_tensor_shape()->mutable_dim(0)->set_size(0);
  EXPECT_EQ(Decode(proto)->num_elements(), 0);

  pb::TensorProto strings = Proto(DType::kString, {3});
  strings.add_string_val("x");
  EXPECT_THAT(Decode(strings)->data<std::string>(), ElementsAre("x", "x", "x"));

  // As in TensorFlow, a real part without an imaginary part is dropped, and the
  // last complete number fills the tensor.
  pb::TensorProto complex = Proto(DType::kComplex64, {2});
  for (const float part : {1, 2, 3}) complex.add_scomplex_val(part);
  EXPECT_THAT(
      Decode(complex)->data<std::complex<float>>(),
      ElementsAre(std::complex<float>(1, 2), std::complex<float>(1, 2)));
}

TEST(TensorCodecTest, WithoutValuesElementsAreZeros) {
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!DTypeFromWire(i)) continue;
    const DType dtype = static_cast<DType>(i);
    const auto tensor = Decode(Proto(dtype, {2}));
    ASSERT_TRUE(tensor.ok()) << Name(dtype);
    if (IsPlainBytes(dtype)) {
      EXPECT_EQ(std::string(tensor->raw_data(), tensor->num_bytes()),
                std::string(tensor->num_bytes(), '\0'));
    }
  }
  EXPECT_THAT(Decode(Proto(DType::kString, {2}))->data<std::string>(),
              ElementsAre("", ""));
}

TEST(TensorCodecTest, MissingShapeIsAScalar) {
  pb::TensorProto proto = Proto(DType::kInt32, {});
  proto.clear_tensor_shape();
  proto.add_int_val(5);
  EXPECT_EQ(Decode(proto)->shape(), Shape());
}

TEST(TensorCodecTest, StringContentIsLengthsThenBytes) {
  pb::TensorProto proto = Proto(DType::kString, {3});
  const std::string text(200, 'x');
  proto.set_tensor_content(
      absl::StrCat(absl::string_view("\1\0\xc8\1", 4), "a", text));
  EXPECT_THAT(Decode(proto)->data<std::string>(), ElementsAre("a", "", text));
}

TEST(TensorCodecTest, RefusesMalformedStringContent) {
  const auto decode = [](int64_t count, absl::string_view content) {
    pb::TensorProto proto = Proto(DType::kString, {count});
    proto.set_tensor_content(std::string(content));
    return Decode(proto);
  };
  ExpectError(decode(3, "\1\1"), kInvalid, "string 2 of 3");
  ExpectError(decode(1, "\x85"), kInvalid, "string 0 of 1");
  ExpectError(decode(1, "\xff\xff\xff\xff\x7f"), kInvalid, "above 32 bits");
  ExpectError(decode(1, "\x80\x80\x80\x80\x80\1"), kInvalid, "string 0");
  ExpectError(decode(1, "\5abc"), kInvalid, "3 bytes of strings instead of 5");
  ExpectError(decode(1, "\1abc"), kInvalid, "3 bytes of strings instead of 1");
  ExpectError(decode(0, "a"), kInvalid, "1 bytes of strings instead of 0");
  ExpectError(decode(2, "\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f"), kInvalid,
              "instead of 8589934590");
}

TEST(TensorCodecTest, RefusesContentOfAnotherLength) {
  pb::TensorProto proto = Proto(DType::kFloat, {2, 3});
  proto.set_tensor_content("12345");
  ExpectError(Decode(proto), kInvalid, "5 bytes instead of 24");
  ExpectError(Decode(proto), kInvalid, "float[2,3]");
  proto = Proto(DType::kFloat, {0});
  proto.set_tensor_content("1234");
  ExpectError(Decode(proto), kInvalid, "4 bytes instead of 0");
  proto = Proto(DType::kResource, {});
  proto.set_tensor_content("1234");
  ExpectError(Decode(proto), kInvalid, "resource[]");
}

TEST(TensorCodecTest, BoolContentIsMadeZeroOrOne) {
  pb::TensorProto proto = Proto(DType::kBool, {4});
  proto.set_tensor_content(std::string("\0\1\2\xff", 4));
  const Tensor tensor = *Decode(proto);
  EXPECT_EQ(std::string(tensor.raw_data(), 4), std::string("\0\1\1\1", 4));
}

TEST(TensorCodecTest, NarrowIntegersKeepTheirLowBits) {
  pb::TensorProto proto = Proto(DType::kUint8, {2});
  proto.add_int_val(-1);
  proto.add_int_val(256 + 7);
  EXPECT_THAT(Decode(proto)->data<uint8_t>(), ElementsAre(255, 7));
}

TEST(TensorCodecTest, RefusesDtypesThatNoTensorHas) {
  for (const int dtype : {0, -1, 26, 100, 101, 107, 357, INT32_MAX}) {
    pb::TensorProto proto;
    proto.set_dtype(static_cast<pb::DataType>(dtype));
    ExpectError(Decode(proto), kInvalid, absl::StrCat("dtype ", dtype));
  }
}

TEST(TensorCodecTest, RefusesShapesThatNoTensorHas) {
  ExpectError(Decode(Proto(DType::kFloat, {-1})), kInvalid, "[?]");
  ExpectError(Decode(Proto(DType::kFloat, {-2})), kInvalid, "-2");
  const int64_t large = int64_t{1} << 40;
  ExpectError(Decode(Proto(DType::kFloat, {large, large})), kInvalid, "2^63");
  pb::TensorProto unknown = Proto(DType::kFloat, {});
  unknown.mutable_tensor_shape()->set_unknown_rank(true);
  ExpectError(Decode(unknown), kInvalid, "<unknown>");
  pb::TensorProto deep = Proto(DType::kFloat, {});
  for (int i = 0; i < 255; ++i) {
    deep.mutable_tensor_shape()->add_dim()->set_size(1);
  }
  ExpectError(Decode(deep), kInvalid, "rank 255");
}

TEST(TensorCodecTest, RefusesHugeShapesBeforeAllocating) {
  ForbiddenAllocator forbidden;
  for (const DType dtype : {DType::kFloat, DType::kString, DType::kVariant,
                            DType::kResource, DType::kComplex128}) {
    for (const int64_t extent : {int64_t{1} << 40, int64_t{1} << 60}) {
      pb::TensorProto proto = Proto(dtype, {extent});
      proto.add_float_val(1);
      const auto tensor =
          DecodeTensor(proto, forbidden, kMaxDecodedTensorBytes);
      ExpectError(tensor, kExhausted,
                  absl::StrCat(Name(dtype), "[", extent, "]"));
    }
  }
}

TEST(TensorCodecTest, LimitIsExact) {
  pb::TensorProto proto = Proto(DType::kFloat, {25});
  EXPECT_TRUE(Decode(proto, 100).ok());
  ExpectError(Decode(proto, 99), kExhausted, "100 bytes");
}

TEST(TensorCodecTest, CountsTextOfHandlesAgainstTheLimitOfAMessage) {
  ResourceHandle handle;
  handle.name = std::string(10000, 'x');
  const Tensor tensor = Tensor::Filled(Shape({10}), handle);
  pb::TensorProto proto;
  EXPECT_TRUE(EncodeTensor(tensor, &proto, 110 * 1000).ok());
  EXPECT_EQ(EncodeTensor(tensor, &proto, 90 * 1000).code(), kInvalid);
}

TEST(TensorCodecTest, CountsElementsAgainstTheLimitOfAMessage) {
  pb::TensorProto proto;
  const Tensor numbers = Tensor::Filled(Shape({1000}), 1.0f);
  EXPECT_TRUE(EncodeTensor(numbers, &proto, 4000).ok());
  EXPECT_EQ(EncodeTensor(numbers, &proto, 3999).code(), kInvalid);
  const Tensor strings = Tensor::Filled(Shape({10}), std::string(10000, 'x'));
  EXPECT_TRUE(EncodeTensor(strings, &proto, 101 * 1000).ok());
  EXPECT_EQ(EncodeTensor(strings, &proto, 99 * 1000).code(), kInvalid);
}

TEST(TensorCodecTest, RepeatedStringsCountAgainstTheLimit) {
  ForbiddenAllocator forbidden;
  pb::TensorProto strings = Proto(DType::kString, {1 << 20});
  strings.add_string_val(std::string(1 << 20, 'x'));
  ExpectError(DecodeTensor(strings, forbidden, kMaxDecodedTensorBytes),
              kExhausted, "string[1048576]");
  pb::TensorProto handles = Proto(DType::kResource, {1 << 20});
  handles.add_resource_handle_val()->set_name(std::string(1 << 20, 'x'));
  ExpectError(DecodeTensor(handles, forbidden, kMaxDecodedTensorBytes),
              kExhausted, "resource[1048576]");
  pb::TensorProto content = Proto(DType::kString, {1});
  content.set_tensor_content(absl::StrCat("\x64", std::string(100, 'x')));
  ExpectError(DecodeTensor(content, forbidden, 100), kExhausted, "string[1]");
}

class SomeValue final : public VariantValue {
 public:
  absl::string_view type_name() const override { return "test::Some"; }
  std::string DebugString() const override { return "some"; }
};

TEST(TensorCodecTest, OnlyEmptyVariantsHaveAnEncoding) {
  pb::TensorProto proto;
  EXPECT_TRUE(EncodeTensor(Tensor::Scalar(Variant()), &proto).ok());
  EXPECT_EQ(Decode(proto)->scalar<Variant>().value(), nullptr);
  proto.add_variant_val();
  EXPECT_TRUE(Decode(proto).ok());
  proto.mutable_variant_val(0)->set_type_name("tensorflow::TensorList");
  ExpectError(Decode(proto), kInvalid, "tensorflow::TensorList");
  const Variant full = Variant::Of(SomeValue());
  const absl::Status status = EncodeTensor(Tensor::Scalar(full), &proto);
  EXPECT_EQ(status.code(), kInvalid);
  EXPECT_THAT(std::string(status.message()), HasSubstr("test::Some"));
}

TEST(TensorCodecTest, RefusesToEncodeNothing) {
  pb::TensorProto proto;
  EXPECT_EQ(EncodeTensor(Tensor(), &proto).code(), kInvalid);
}

TEST(ShapeCodecTest, ShapesRoundTrip) {
  for (const PartialShape& shape :
       {PartialShape(), PartialShape(Shape()), PartialShape({-1, 3}),
        PartialShape({0}), PartialShape({int64_t{1} << 60})}) {
    pb::TensorShapeProto proto;
    proto.add_dim()->set_size(9);
    EncodeShape(shape, &proto);
    EXPECT_EQ(*DecodeShape(proto), shape) << shape.DebugString();
  }
}

TEST(ShapeCodecTest, RefusesContradictions) {
  pb::TensorShapeProto proto;
  proto.set_unknown_rank(true);
  proto.add_dim()->set_size(2);
  EXPECT_EQ(DecodeShape(proto).status().code(), kInvalid);
  proto.set_unknown_rank(false);
  EXPECT_TRUE(DecodeShape(proto).ok());
  proto.mutable_dim(0)->set_size(-2);
  EXPECT_EQ(DecodeShape(proto).status().code(), kInvalid);
}

}  // namespace
}  // namespace leat::tensor_codec_test
