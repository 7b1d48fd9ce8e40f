// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/tensor.h"

#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/resource_handle.h"
#include "leat/core/variant.h"

namespace leat::tensor_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// This text is too long for std::string to store inline.
const char kLong[] = "a string that needs memory of its own, so ASan sees it";

class ExhaustedAllocator final : public Allocator {
 public:
  BufferRef Allocate(size_t) override { return nullptr; }
  absl::string_view name() const override { return "exhausted"; }
};

class CountedValue final : public VariantValue {
 public:
  explicit CountedValue(int* alive) : alive_(alive) { ++*alive_; }
  CountedValue(const CountedValue& other) : CountedValue(other.alive_) {}
  ~CountedValue() override { --*alive_; }
  absl::string_view type_name() const override { return "test::Counted"; }
  std::string DebugString() const override { return "counted"; }

 private:
  int* const alive_;
};

TEST(TensorTest, DefaultHasNoValue) {
  const Tensor tensor;
  EXPECT_FALSE(tensor.IsValid());
  EXPECT_FALSE(tensor.IsUnique());
  EXPECT_FALSE(tensor.SharesBufferWith(tensor));
  EXPECT_EQ(tensor.num_bytes(), 0);
  EXPECT_EQ(tensor.DebugString(), "invalid");
  EXPECT_FALSE(tensor.Copy(HostAllocator())->IsValid());
}

TEST(TensorTest, AllocatesAlignedPlainBytes) {
  const auto tensor =
      Tensor::Allocate(HostAllocator(), DType::kFloat, Shape({3, 5}));
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->num_bytes(), 60);
  EXPECT_EQ(tensor->data<float>().size(), 15u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->raw_data()) % 64, 0u);
  EXPECT_TRUE(tensor->IsUnique());
}

TEST(TensorTest, AllocatesEveryElementType) {
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!DTypeFromWire(i)) continue;
    const DType dtype = static_cast<DType>(i);
    const auto tensor = Tensor::Allocate(HostAllocator(), dtype, Shape({2, 3}));
    ASSERT_TRUE(tensor.ok()) << Name(dtype);
    EXPECT_EQ(tensor->dtype(), dtype);
    EXPECT_GE(tensor->num_bytes(), 6);
    if (IsPlainBytes(dtype)) {
      EXPECT_EQ(tensor->num_bytes(), 6 * static_cast<int64_t>(SizeOf(dtype)));
    }
  }
}

TEST(TensorTest, AllocationFailureNamesDtypeShapeAndAllocator) {
  ExhaustedAllocator exhausted;
  for (const DType dtype : {DType::kFloat, DType::kString}) {
    const auto tensor = Tensor::Allocate(exhausted, dtype, Shape({2, 3}));
    EXPECT_EQ(tensor.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(tensor.status().message()),
                HasSubstr(Name(dtype) + "[2,3]"));
    EXPECT_THAT(std::string(tensor.status().message()), HasSubstr("exhausted"));
  }
}

TEST(TensorTest, RefusesByteCountsThatOverflow) {
  const Shape huge = *Shape::Create({int64_t{1} << 60});
  const Shape longest = *Shape::Create({INT64_MAX});
  for (const DType dtype : {DType::kComplex128, DType::kInt64, DType::kString,
                            DType::kResource, DType::kVariant}) {
    for (const Shape& shape : {huge, longest}) {
      const auto tensor = Tensor::Allocate(HostAllocator(), dtype, shape);
      EXPECT_EQ(tensor.status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
}

TEST(TensorTest, HugeAllocationsAreExhaustedAndNoCrash) {
  const Shape huge = *Shape::Create({int64_t{1} << 60});
  for (const DType dtype : {DType::kFloat, DType::kBool}) {
    EXPECT_EQ(Tensor::Allocate(HostAllocator(), dtype, huge).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
}

TEST(TensorTest, RefusesTypesThatHaveNoElements) {
  for (const DType dtype : {DType::kInvalid, RefOf(DType::kFloat),
                            RefOf(DType::kString), static_cast<DType>(99)}) {
    EXPECT_EQ(Tensor::Allocate(HostAllocator(), dtype, Shape()).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(TensorTest, EmptyTensorsHaveABufferAndNoElements) {
  for (const DType dtype : {DType::kFloat, DType::kString}) {
    const auto tensor = Tensor::Allocate(HostAllocator(), dtype, Shape({0, 3}));
    ASSERT_TRUE(tensor.ok());
    EXPECT_TRUE(tensor->IsValid());
    EXPECT_NE(tensor->buffer(), nullptr);
    EXPECT_EQ(tensor->num_bytes(), 0);
    EXPECT_EQ(tensor->Slice(0, 0).num_elements(), 0);
    EXPECT_TRUE(Identical(*tensor, *tensor->Copy(HostAllocator())));
    EXPECT_EQ(tensor->DebugString(), Name(dtype) + "[0,3]");
  }
}

TEST(TensorTest, HoldsValues) {
  EXPECT_EQ(Tensor::Scalar(2.5f).scalar<float>(), 2.5f);
  EXPECT_THAT(Tensor::Of<int32_t>(Shape({2, 2}), {1, 2, 3, 4}).data<int32_t>(),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Tensor::Filled<int64_t>(Shape({3}), 7).data<int64_t>(),
              ElementsAre(7, 7, 7));
  EXPECT_THAT(Tensor::Vector<bool>({true, false}).data<bool>(),
              ElementsAre(true, false));
  EXPECT_THAT(Tensor::Vector<std::string>({kLong, ""}).data<std::string>(),
              ElementsAre(kLong, ""));
}

TEST(TensorTest, CopiesShareBytes) {
  Tensor tensor = Tensor::Vector<float>({1, 2});
  Tensor other = tensor;
  EXPECT_FALSE(tensor.IsUnique());
  EXPECT_TRUE(tensor.SharesBufferWith(other));
  other = Tensor();
  EXPECT_TRUE(tensor.IsUnique());
}

TEST(TensorTest, SlicesShareBytes) {
  const Tensor tensor = Tensor::Of<int32_t>(Shape({3, 2}), {0, 1, 2, 3, 4, 5});
  const Tensor slice = tensor.Slice(1, 3);
  EXPECT_EQ(slice.shape(), Shape({2, 2}));
  EXPECT_THAT(slice.data<int32_t>(), ElementsAre(2, 3, 4, 5));
  EXPECT_TRUE(slice.SharesBufferWith(tensor));
  EXPECT_THAT(slice.Slice(1, 2).data<int32_t>(), ElementsAre(4, 5));
  EXPECT_EQ(tensor.Slice(3, 3).num_elements(), 0);
  EXPECT_EQ(Tensor::Of<int32_t>(Shape({2, 0}), {}).Slice(1, 2).shape(),
            Shape({1, 0}));
}

TEST(TensorTest, StringSlicesOutliveTheOriginal) {
  Tensor slice;
  {
    const Tensor tensor =
        Tensor::Vector<std::string>({"first", kLong, std::string(kLong) + "!"});
    slice = tensor.Slice(1, 3);
  }
  EXPECT_THAT(slice.data<std::string>(),
              ElementsAre(kLong, std::string(kLong) + "!"));
  EXPECT_TRUE(slice.IsUnique());
  slice.mutable_data<std::string>()[0] = "changed";
  EXPECT_EQ(slice.Slice(0, 1).scalar<std::string>(), "changed");
}

TEST(TensorTest, SlicesOutsideTheRowsDie) {
  const Tensor tensor = Tensor::Vector<float>({1, 2});
  EXPECT_DEATH(tensor.Slice(1, 3), "check failed");
  EXPECT_DEATH(tensor.Slice(-1, 1), "check failed");
  EXPECT_DEATH(Tensor::Scalar(1.0f).Slice(0, 0), "check failed");
}

TEST(TensorTest, AccessAsAnotherTypeDies) {
  EXPECT_DEATH(Tensor::Scalar(1.0f).data<int32_t>(), "check failed");
  EXPECT_DEATH(Tensor::Vector<float>({1, 2}).scalar<float>(), "check failed");
}

TEST(TensorTest, ObjectsAreDestroyedWithTheBuffer) {
  int alive = 0;
  {
    Tensor tensor =
        Tensor::Filled(Shape({2, 2}), Variant::Of(CountedValue(&alive)));
    EXPECT_EQ(alive, 1);
    const Tensor slice = tensor.Slice(0, 1);
    const Tensor copy = *tensor.Copy(HostAllocator());
    tensor = Tensor();
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(slice.data<Variant>()[0].value(),
              copy.data<Variant>()[3].value());
  }
  EXPECT_EQ(alive, 0);
}

TEST(TensorTest, AllocatedObjectsAreDefaultConstructed) {
  const Tensor strings =
      *Tensor::Allocate(HostAllocator(), DType::kString, Shape({3}));
  EXPECT_THAT(strings.data<std::string>(), ElementsAre("", "", ""));
  const Tensor handles =
      *Tensor::Allocate(HostAllocator(), DType::kResource, Shape());
  EXPECT_EQ(handles.scalar<ResourceHandle>(), ResourceHandle());
  const Tensor variants =
      *Tensor::Allocate(HostAllocator(), DType::kVariant, Shape());
  EXPECT_EQ(variants.scalar<Variant>().value(), nullptr);
}

TEST(TensorTest, ReshapedSharesBytes) {
  const Tensor tensor = Tensor::Vector<float>({1, 2, 3, 4});
  const auto matrix = tensor.Reshaped(Shape({2, 2}));
  ASSERT_TRUE(matrix.ok());
  EXPECT_TRUE(matrix->SharesBufferWith(tensor));
  EXPECT_EQ(matrix->shape(), Shape({2, 2}));
  const auto wrong = tensor.Reshaped(Shape({3}));
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(TensorTest, CopyHasBytesOfItsOwn) {
  const Tensor tensor = Tensor::Vector<std::string>({kLong, "b"});
  Tensor copy = *tensor.Slice(0, 1).Copy(HostAllocator());
  EXPECT_FALSE(copy.SharesBufferWith(tensor));
  copy.mutable_data<std::string>()[0] = "changed";
  EXPECT_EQ(tensor.data<std::string>()[0], kLong);
  ExhaustedAllocator exhausted;
  EXPECT_EQ(tensor.Copy(exhausted).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(TensorTest, FromBufferViewsBytesInsideABuffer) {
  const BufferRef buffer = HostAllocator().Allocate(64);
  const int32_t values[] = {5, 6};
  std::memcpy(buffer->data() + 8, values, sizeof(values));
  const Tensor tensor =
      Tensor::FromBuffer(DType::kInt32, Shape({2}), buffer, buffer->data() + 8);
  EXPECT_THAT(tensor.data<int32_t>(), ElementsAre(5, 6));
  EXPECT_FALSE(tensor.IsUnique());
  // A pointer to the end of the buffer is valid for a tensor without elements.
  EXPECT_EQ(
      Tensor::FromBuffer(DType::kInt32, Shape({0}), buffer, buffer->data() + 64)
          .num_elements(),
      0);
}

TEST(TensorTest, FromBufferDiesOnBytesThatAreNotThere) {
  const BufferRef buffer = HostAllocator().Allocate(64);
  const auto view = [&](DType dtype, const Shape& shape, int offset) {
    Tensor::FromBuffer(dtype, shape, buffer, buffer->data() + offset);
  };
  view(DType::kFloat, Shape({16}), 0);
  EXPECT_DEATH(view(DType::kFloat, Shape({17}), 0), "check failed");
  EXPECT_DEATH(view(DType::kFloat, Shape({16}), 4), "check failed");
  EXPECT_DEATH(view(DType::kFloat, Shape({1}), 2), "check failed");
  EXPECT_DEATH(view(DType::kFloat, Shape({1}), 68), "check failed");
  EXPECT_DEATH(view(DType::kFloat, *Shape::Create({int64_t{1} << 62}), 0),
               "check failed");
  EXPECT_DEATH(view(DType::kString, Shape({1}), 0), "check failed");
}

TEST(TensorTest, DebugStringShowsTheFirstValues) {
  EXPECT_EQ(Tensor::Of<float>(Shape({2, 2}), {1, 2.5, 3, 4}).DebugString(3),
            "float[2,2] 1 2.5 3 ...");
  EXPECT_EQ(Tensor::Vector<std::string>({"a\n", "b"}).DebugString(),
            "string[2] \"a\\n\" \"b\"");
  EXPECT_EQ(Tensor::Vector<uint8_t>({65, 255}).DebugString(),
            "uint8[2] 65 255");
  EXPECT_EQ(Tensor::Scalar(true).DebugString(), "bool[] true");
  EXPECT_EQ(Tensor::Scalar(half(1.5f)).DebugString(), "half[] 1.5");
  EXPECT_EQ(Tensor::Scalar(std::complex<float>(1, -2)).DebugString(),
            "complex64[] (1,-2)");
}

TEST(TensorTest, DebugStringOfEveryTypeIsBounded) {
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!DTypeFromWire(i)) continue;
    const DType dtype = static_cast<DType>(i);
    Tensor tensor = *Tensor::Allocate(HostAllocator(), dtype, Shape({1000}));
    if (IsPlainBytes(dtype)) {
      std::memset(tensor.mutable_raw_data(), 0, tensor.num_bytes());
    }
    EXPECT_THAT(tensor.DebugString(), HasSubstr(Name(dtype) + "[1000] "));
    EXPECT_LT(tensor.DebugString().size(), 100u);
  }
}

TEST(IdenticalTest, ComparesDtypeShapeAndBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(Identical(Tensor::Scalar(nan), Tensor::Scalar(nan)));
  EXPECT_FALSE(Identical(Tensor::Scalar(0.0f), Tensor::Scalar(-0.0f)));
  EXPECT_FALSE(Identical(Tensor::Scalar(0.0f), Tensor::Scalar(int32_t{0})));
  EXPECT_FALSE(Identical(Tensor::Scalar(1.0f), Tensor::Vector<float>({1})));
  EXPECT_TRUE(Identical(Tensor(), Tensor()));
  EXPECT_FALSE(Identical(Tensor(), Tensor::Scalar(1.0f)));
}

TEST(IdenticalTest, ComparesObjectsByValue) {
  EXPECT_TRUE(Identical(Tensor::Vector<std::string>({kLong}),
                        Tensor::Vector<std::string>({kLong})));
  EXPECT_FALSE(Identical(Tensor::Vector<std::string>({"a", "b"}),
                         Tensor::Vector<std::string>({"a", "c"})));
  ResourceHandle handle;
  handle.name = "v";
  EXPECT_FALSE(
      Identical(Tensor::Scalar(handle), Tensor::Scalar(ResourceHandle())));
}

TEST(GetScalarTest, ChecksDtypeAndCount) {
  EXPECT_EQ(*GetScalar<int32_t>(Tensor::Scalar(int32_t{4}), "axis"), 4);
  EXPECT_EQ(*GetScalar<int32_t>(Tensor::Vector<int32_t>({4}), "axis"), 4);
  for (const Tensor& wrong :
       {Tensor::Scalar(int64_t{4}), Tensor::Vector<int32_t>({4, 5}),
        Tensor::Vector<int32_t>({}), Tensor()}) {
    const auto value = GetScalar<int32_t>(wrong, "axis");
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(value.status().message()), HasSubstr("axis"));
  }
}

TEST(GetIndicesTest, ReadsEverySignedType) {
  EXPECT_THAT(*GetIndices(Tensor::Vector<int8_t>({-128, 127}), "axes"),
              ElementsAre(-128, 127));
  EXPECT_THAT(*GetIndices(Tensor::Vector<int16_t>({-32768, 7}), "axes"),
              ElementsAre(-32768, 7));
  EXPECT_THAT(*GetIndices(Tensor::Vector<int32_t>({2, -1}), "axes"),
              ElementsAre(2, -1));
  EXPECT_THAT(*GetIndices(Tensor::Vector<int64_t>({1, 2, 3, 4, 5}), "axes"),
              ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(*GetIndices(Tensor::Scalar(int32_t{3}), "axes"), ElementsAre(3));
  EXPECT_TRUE(GetIndices(Tensor::Vector<int64_t>({}), "axes")->empty());
}

TEST(GetIndicesTest, RefusesOtherDtypesAndRanks) {
  for (const Tensor& wrong :
       {Tensor::Vector<float>({1}), Tensor::Vector<uint16_t>({1}),
        Tensor::Of<int32_t>(Shape({1, 1}), {1}), Tensor()}) {
    const auto indices = GetIndices(wrong, "axes");
    EXPECT_EQ(indices.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(indices.status().message()), HasSubstr("axes"));
  }
}

TEST(GetShapeTest, ChecksTheShape) {
  EXPECT_EQ(*GetShape(Tensor::Vector<int32_t>({2, 3}), "size"), Shape({2, 3}));
  EXPECT_EQ(*GetShape(Tensor::Vector<int64_t>({}), "size"), Shape());
  const auto negative = GetShape(Tensor::Vector<int32_t>({2, -1}), "size");
  EXPECT_EQ(negative.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(negative.status().message()), HasSubstr("size: "));
  EXPECT_FALSE(GetShape(Tensor::Vector<int64_t>({INT64_MAX, 2}), "size").ok());
}

}  // namespace
}  // namespace leat::tensor_test
