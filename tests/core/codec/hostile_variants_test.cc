// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the decoding of messages that ask for far more memory than their size
// suggests. Decoding must take no more memory than the limit allows.
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/variant_codec.h"
#include "leat/core/variants/optional.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/core/varint.h"
#include "leat/core/wire_names.h"
#include "leat/protos/resource_handle.pb.h"
#include "leat/protos/tensor.pb.h"
#include "leat/tests/core/variant_decoders.h"

// This function is part of tcmalloc. It is null if tcmalloc is not linked.
extern "C" int MallocExtension_GetNumericProperty(const char* property,
                                                  size_t* value)
    __attribute__((weak));

namespace leat::hostile_variants_test {
namespace {

using leat::testing::Decoders;

constexpr int64_t kLimit = 1 << 20;

// Returns the number of bytes that are allocated from malloc and not freed.
// Under a sanitizer, returns 0.
int64_t HeapBytes() {
  if (MallocExtension_GetNumericProperty != nullptr) {
    size_t bytes = 0;
    MallocExtension_GetNumericProperty("generic.current_allocated_bytes",
                                       &bytes);
    return static_cast<int64_t>(bytes);
  }
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

struct Decoded {
  absl::Status status = {};
  int64_t heap_bytes = 0;  // the memory that the decoded tensor takes
};

Decoded Decode(const pb::TensorProto& proto, int64_t limit = kLimit) {
  const int64_t before = HeapBytes();
  const auto tensor = DecodeTensor(proto, HostAllocator(), limit, &Decoders());
  Decoded decoded = {tensor.status(), HeapBytes() - before};
  if (!tensor.ok()) return decoded;
  pb::TensorProto again;
  EncodeTensor(*tensor, &again).IgnoreError();
  return decoded;
}

std::string ListMetadata(std::initializer_list<uint64_t> gaps = {}) {
  std::string metadata;
  AppendVarint64(gaps.size(), &metadata);
  for (const uint64_t gap : gaps) AppendVarint64(gap, &metadata);
  AppendVarint64(pb::DT_FLOAT, &metadata);
  AppendVarint64(~uint64_t{0}, &metadata);
  return metadata + "\x18\x01";  // a shape of unknown rank
}

void AddList(pb::TensorProto& proto) {
  auto* value = proto.add_variant_val();
  value->set_type_name(kTensorListTypeName);
  value->set_metadata(ListMetadata());
}

pb::TensorProto VariantOfShape(int64_t count) {
  pb::TensorProto proto;
  proto.set_dtype(pb::DT_VARIANT);
  proto.mutable_tensor_shape()->add_dim()->set_size(count);
  return proto;
}

// Returns the message of a tensor with one element. The element is the first
// value of `proto`, encoded in tensor_content.
pb::TensorProto AsContent(const pb::TensorProto& proto) {
  pb::TensorProto result;
  result.set_dtype(pb::DT_VARIANT);
  const std::string value = proto.variant_val(0).SerializeAsString();
  AppendVarint64(value.size(), result.mutable_tensor_content());
  result.mutable_tensor_content()->append(value);
  return result;
}

pb::TensorProto ManyLists(int count) {
  pb::TensorProto proto = VariantOfShape(count);
  for (int i = 0; i < count; ++i) AddList(proto);
  return proto;
}

pb::TensorProto ManyOptionals(int count) {
  pb::TensorProto proto = VariantOfShape(count);
  for (int i = 0; i < count; ++i) {
    auto* value = proto.add_variant_val();
    value->set_type_name(kOptionalTypeName);
    value->set_metadata(std::string(1, '\0'));
  }
  return proto;
}

pb::TensorProto ListOfScalars(int count) {
  pb::TensorProto proto = VariantOfShape(1);
  AddList(proto);
  for (int i = 0; i < count; ++i) {
    proto.mutable_variant_val(0)->add_tensors()->set_dtype(pb::DT_FLOAT);
  }
  return proto;
}

// Returns a list of `count` tensors of 250 dimensions and no elements. Each
// dimension takes two bytes in the message.
pb::TensorProto ListOfHighRanks(int count) {
  pb::TensorProto proto = ListOfScalars(count);
  for (auto& tensor : *proto.mutable_variant_val(0)->mutable_tensors()) {
    for (int i = 0; i < 250; ++i) tensor.mutable_tensor_shape()->add_dim();
  }
  return proto;
}

// Returns a list of one float scalar. Its message also has `count` values in
// each of three fields for other dtypes. The decoder ignores these values, but
// they become objects when the message is parsed.
pb::TensorProto ListOfOneWithValues(int count) {
  pb::TensorProto proto = ListOfScalars(1);
  auto* tensor = proto.mutable_variant_val(0)->mutable_tensors(0);
  for (int i = 0; i < count; ++i) {
    tensor->add_resource_handle_val();
    tensor->add_variant_val();
    tensor->add_string_val("");
  }
  return proto;
}

TEST(HostileVariantsTest, ManyOfThemCountForWhatTheyTake) {
  struct Case {
    const char* name;
    std::function<pb::TensorProto(int)> make;
  };
  const Case cases[] = {{"lists", ManyLists},
                        {"optionals", ManyOptionals},
                        {"scalars", ListOfScalars},
                        {"ranks", ListOfHighRanks}};
  for (const auto& [name, make] : cases) {
    SCOPED_TRACE(name);
    // Finds the largest message within the limit. Each message is about 1.1
    // times as large as the previous one.
    Decoded largest;
    double count = 1;
    for (; count < 1e6; count = count * 1.1 + 1) {
      const Decoded decoded = Decode(make(static_cast<int>(count)));
      if (!decoded.status.ok()) {
        EXPECT_EQ(decoded.status.code(), absl::StatusCode::kResourceExhausted)
            << decoded.status;
        break;
      }
      largest = decoded;
    }
    EXPECT_GT(count, 100);
    EXPECT_LT(count, 1e6);
    EXPECT_LE(largest.heap_bytes, kLimit) << count << " of them";
    if (HeapBytes() > 0) {
      EXPECT_GT(largest.heap_bytes, 10000);
    }
  }
}

TEST(HostileVariantsTest, ContentCountsForWhatItTakesToParse) {
  for (const auto& make :
       {ListOfScalars, ListOfHighRanks, ListOfOneWithValues}) {
    const pb::TensorProto few = AsContent(make(2));
    EXPECT_TRUE(Decode(few).status.ok()) << Decode(few).status;
    pb::TensorProto many = make(5000);
    // The parsed message takes more memory than the limit allows.
    EXPECT_GT(many.SpaceUsedLong(), kLimit);
    many = AsContent(many);
    EXPECT_EQ(Decode(many).status.code(), absl::StatusCode::kResourceExhausted)
        << Decode(many).status;
  }
}

TEST(HostileVariantsTest, RefusesListsOfDeclaredLengthWithoutData) {
  constexpr uint64_t kHuge = uint64_t{1} << 40;
  for (const uint64_t count : {kHuge, ~uint64_t{0}, uint64_t{1} << 31}) {
    pb::TensorProto proto = ManyLists(1);
    std::string metadata;
    AppendVarint64(count, &metadata);
    proto.mutable_variant_val(0)->set_metadata(metadata + ListMetadata());
    EXPECT_EQ(Decode(proto).status.code(), absl::StatusCode::kInvalidArgument);
  }
  // The list has one gap at a huge index and no element after it.
  pb::TensorProto proto = ManyLists(1);
  proto.mutable_variant_val(0)->set_metadata(ListMetadata({kHuge}));
  EXPECT_EQ(Decode(proto).status.code(), absl::StatusCode::kInvalidArgument);
  // Variants without data take a pointer each, so both extents exceed the
  // limit.
  for (const int64_t extent : {int64_t{1} << 20, int64_t{1} << 60}) {
    EXPECT_EQ(Decode(VariantOfShape(extent)).status.code(),
              absl::StatusCode::kResourceExhausted);
  }
  // A tensor of 2^20 elements is refused, both with no value in its message and
  // with one value.
  proto = ListOfScalars(1);
  auto* tensor = proto.mutable_variant_val(0)->mutable_tensors(0);
  tensor->mutable_tensor_shape()->add_dim()->set_size(1 << 20);
  EXPECT_EQ(Decode(proto).status.code(), absl::StatusCode::kResourceExhausted);
  tensor->add_float_val(1);
  EXPECT_EQ(Decode(proto).status.code(), absl::StatusCode::kResourceExhausted);
}

// Makes random messages that fit the message types. Many of their values are
// wrong, such as shapes that do not fit the number of values.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  pb::TensorProto Tensor(int depth) {
    pb::TensorProto proto;
    const pb::DataType dtypes[] = {pb::DT_FLOAT,    pb::DT_STRING,
                                   pb::DT_VARIANT,  pb::DT_VARIANT,
                                   pb::DT_RESOURCE, pb::DT_INVALID};
    proto.set_dtype(dtypes[Below(depth == 0 ? 4 : 6)]);
    if (depth == 0) proto.set_dtype(pb::DT_VARIANT);
    const int64_t extents[] = {1, 1, 1, 2, 0, 300, 1 << 17, int64_t{1} << 40,
                               -1};
    for (uint64_t i = Below(3); i > 0; --i) {
      // The last three extents are always refused, so they are rare.
      proto.mutable_tensor_shape()->add_dim()->set_size(
          extents[Below(Below(4) == 0 ? 9 : 6)]);
    }
    for (uint64_t i = Below(3); i > 0; --i) {
      proto.add_float_val(1);
      proto.add_string_val(std::string(Below(500), 'x'));
      proto.add_resource_handle_val()->set_name(std::string(Below(500), 'x'));
    }
    if (depth < 40) AddVariants(depth, proto);
    if (proto.variant_val_size() > 0 && Below(2) == 0) {
      return AsContent(proto);
    }
    return proto;
  }

  // Changes up to three bytes at random. The result may no longer be a valid
  // message.
  std::string Mutate(std::string bytes) {
    for (uint64_t i = Below(4); i > 0 && !bytes.empty(); --i) {
      bytes[Below(bytes.size())] = static_cast<char>(Below(128));
    }
    return bytes;
  }

 private:
  uint64_t Below(uint64_t bound) { return random_() % bound; }

  std::string Metadata() {
    if (Below(3) > 0) return ListMetadata();
    if (Below(2) == 0) return ListMetadata({0, Below(3), Below(1000)});
    return Below(2) == 0 ? std::string(1, '\1')
                         : std::string(Below(3000), '\1');
  }

  void AddVariants(int depth, pb::TensorProto& proto) {
    for (uint64_t i = Below(depth == 0 ? 20 : 3); i > 0; --i) {
      auto* value = proto.add_variant_val();
      const char* const types[] = {kTensorListTypeName, kTensorListTypeName,
                                   kOptionalTypeName, ""};
      value->set_type_name(types[Below(4)]);
      value->set_metadata(value->type_name() == kOptionalTypeName
                              ? std::string(1, '\1')
                              : Metadata());
      for (uint64_t k = Below(3); k > 0; --k) {
        *value->add_tensors() = Tensor(depth + 1 + static_cast<int>(Below(5)));
      }
    }
  }

  std::mt19937 random_;
};

TEST(HostileVariantsTest, AnyMessageIsAStatusWithinTheLimit) {
  int num_decoded = 0;
  int num_exhausted = 0;
  int num_invalid = 0;
  for (uint32_t seed = 0; seed < 8000; ++seed) {
    Generator generator(seed);
    pb::TensorProto proto = generator.Tensor(0);
    if (seed % 2 == 1) {
      pb::TensorProto mutant;
      if (!mutant.ParseFromString(
              generator.Mutate(proto.SerializeAsString()))) {
        continue;
      }
      proto = std::move(mutant);
    }
    const Decoded decoded = Decode(proto);
    switch (decoded.status.code()) {
      case absl::StatusCode::kOk:
        ++num_decoded;
        // In addition to the tensors, the result holds a Status and small
        // objects.
        ASSERT_LE(decoded.heap_bytes, kLimit + 10000) << "seed " << seed;
        break;
      case absl::StatusCode::kResourceExhausted:
        ++num_exhausted;
        break;
      case absl::StatusCode::kInvalidArgument:
        ++num_invalid;
        break;
      default:
        FAIL() << "seed " << seed << ": " << decoded.status;
    }
  }
  // Every outcome must be frequent; otherwise the messages test too little.
  EXPECT_GT(num_decoded, 100);
  EXPECT_GT(num_exhausted, 100);
  EXPECT_GT(num_invalid, 100);
}

void AppendTag(int field, int wire_type, std::string& bytes) {
  AppendVarint64(static_cast<uint64_t>(field) << 3 | wire_type, &bytes);
}

// No message type has a field with this number.
constexpr int kUnknownField = 1000;

std::string UnknownNumbers(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    AppendTag(kUnknownField, 0, bytes);
    AppendVarint64(1, &bytes);
  }
  return bytes;
}

std::string UnknownStrings(int count, int field, size_t size) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    AppendTag(field, 2, bytes);
    AppendVarint64(size, &bytes);
    bytes.append(size, 'x');
  }
  return bytes;
}

// Returns `count` groups under a field number that TensorProto does not have.
// Each group holds a number under the field number of TensorProto's `dtype`.
// Inside an unknown group, this number is an unknown field, too.
std::string UnknownGroups(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    AppendTag(kUnknownField, 3, bytes);
    AppendTag(pb::TensorProto::kDtypeFieldNumber, 0, bytes);
    AppendVarint64(1, &bytes);
    AppendTag(kUnknownField, 4, bytes);
  }
  return bytes;
}

void ExpectCounted(const std::string& bytes) {
  const int64_t before = HeapBytes();
  pb::TensorProto proto;
  ASSERT_TRUE(proto.ParseFromString(bytes));
  const int64_t heap_bytes = HeapBytes() - before;
  const int64_t taken =
      std::max(heap_bytes, static_cast<int64_t>(proto.SpaceUsedLong()));
  const int64_t counted =
      ParsedBytes(bytes, *pb::TensorProto::descriptor(), INT64_MAX);
  EXPECT_GE(counted, taken);
  EXPECT_LE(counted, 12 * taken);
}

TEST(ParsedBytesTest, IsAboutWhatParsingTakes) {
  const auto& type = *pb::TensorProto::descriptor();
  for (const auto& make : {ManyLists, ManyOptionals, ListOfScalars,
                           ListOfHighRanks, ListOfOneWithValues}) {
    for (const int count : {1, 10, 1000}) {
      const pb::TensorProto proto = make(count);
      const auto taken = static_cast<int64_t>(proto.SpaceUsedLong());
      const int64_t counted =
          ParsedBytes(proto.SerializeAsString(), type, INT64_MAX);
      EXPECT_GE(counted, taken) << count;
      EXPECT_LE(counted, 12 * taken) << count;
    }
  }
  // protobuf keeps unknown fields in an array. With 1,200 fields, the array has
  // just doubled, so nearly half of the array is unused.
  for (const int count : {1, 10, 1200}) {
    SCOPED_TRACE(count);
    ExpectCounted(UnknownNumbers(count));
    ExpectCounted(UnknownGroups(count));
    for (const size_t size : {0, 15, 16, 29, 30, 100}) {
      ExpectCounted(UnknownStrings(count, kUnknownField, size));
      // These messages hold strings under the field number of `dtype`, which is
      // a number according to the descriptor.
      ExpectCounted(
          UnknownStrings(count, pb::TensorProto::kDtypeFieldNumber, size));
    }
  }
  // Each number takes one byte in the message and eight in memory.
  pb::TensorProto numbers;
  for (int i = 0; i < 1000; ++i) numbers.add_int64_val(1);
  const std::string packed = numbers.SerializeAsString();
  EXPECT_LT(packed.size(), 1100u);
  EXPECT_GE(ParsedBytes(packed, type, INT64_MAX), 8000);
  // A long string is counted once.
  numbers.set_tensor_content(std::string(1 << 20, 'x'));
  EXPECT_LE(ParsedBytes(numbers.SerializeAsString(), type, INT64_MAX),
            (1 << 20) + 10000);
}

TEST(ParsedBytesTest, EndsAtTheLimitAndAtWhatIsMalformed) {
  const auto& type = *pb::TensorProto::descriptor();
  const std::string many = ListOfScalars(100000).SerializeAsString();
  EXPECT_GT(ParsedBytes(many, type, 10000), 10000);
  EXPECT_LT(ParsedBytes(many, type, 10000), 50000);
  for (const char* const bytes :
       {"", "\xff\xff\xff\xff\xff\xff", "\x0f", "\x22\x05", "\x22",
        "\x22\xff\xff\xff\xff\x0f", "\x0b\x0c", "\x31\x01"}) {
    EXPECT_LE(ParsedBytes(bytes, type, INT64_MAX), 1000);
  }
}

}  // namespace
}  // namespace leat::hostile_variants_test
