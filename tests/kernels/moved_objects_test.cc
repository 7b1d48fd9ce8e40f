// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Some kernels move elements without reading their values. These tests check
// that such kernels move resources and variants in the same way as int64
// numbers. The op cases compare the results for int64 with TensorFlow.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/resource_handle.h"
#include "leat/core/variant.h"
#include "leat/kernels/variable.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::moved_objects_test {
namespace {

using kernels::Variable;
using testing::KernelTestHarness;

class Number final : public VariantValue {
 public:
  Number(int64_t value, std::shared_ptr<const int> alive)
      : value_(value), alive_(std::move(alive)) {}
  absl::string_view type_name() const final { return "leat::test::Number"; }
  std::string DebugString() const final { return absl::StrCat(value_); }
  int64_t value() const { return value_; }

 private:
  const int64_t value_;
  const std::shared_ptr<const int> alive_;
};

// Converts int64 tensors to tensors of resource handles or of variants
// (`dtype`), and converts them back. Each object stands for one number. The
// number 0 stands for an empty object. The destructor fails the test if an
// object is still referenced.
class Objects {
 public:
  explicit Objects(DType dtype) : dtype_(dtype) {}
  ~Objects() {
    numbers_.clear();
    EXPECT_EQ(alive_.use_count(), 1) << "a reference is left";
  }

  DType dtype() const { return dtype_; }

  Tensor For(const Tensor& numbers) {
    return dtype_ == DType::kVariant ? Variants(numbers) : Handles(numbers);
  }

  // Returns the numbers that `objects` stand for. Fails the test if a variant
  // is a copy of the object that For() made, and not the object itself.
  Tensor NumbersOf(const Tensor& objects) const {
    EXPECT_EQ(objects.dtype(), dtype_);
    Tensor numbers = Tensor::Filled<int64_t>(objects.shape(), 0);
    const auto to = numbers.mutable_data<int64_t>();
    for (size_t i = 0; i < to.size(); ++i) {
      if (dtype_ == DType::kResource) {
        const std::string& name = objects.data<ResourceHandle>()[i].name;
        EXPECT_TRUE(name.empty() || absl::SimpleAtoi(name, &to[i])) << name;
      } else if (const auto* number =
                     objects.data<Variant>()[i].get<Number>()) {
        to[i] = number->value();
        EXPECT_EQ(number, numbers_[to[i]].value());
      }
    }
    return numbers;
  }

 private:
  static Tensor Handles(const Tensor& numbers) {
    Tensor result =
        Tensor::Filled<ResourceHandle>(numbers.shape(), ResourceHandle());
    const auto to = result.mutable_data<ResourceHandle>();
    for (size_t i = 0; i < to.size(); ++i) {
      const int64_t number = numbers.data<int64_t>()[i];
      if (number != 0) to[i].name = absl::StrCat(number);
    }
    return result;
  }

  Tensor Variants(const Tensor& numbers) {
    Tensor result = Tensor::Filled<Variant>(numbers.shape(), Variant());
    const auto to = result.mutable_data<Variant>();
    for (size_t i = 0; i < to.size(); ++i) {
      const int64_t number = numbers.data<int64_t>()[i];
      if (number == 0) continue;
      while (static_cast<int64_t>(numbers_.size()) <= number) {
        const auto next = static_cast<int64_t>(numbers_.size());
        numbers_.push_back(Variant(
            boost::intrusive_ptr<const Number>(new Number(next, alive_))));
      }
      to[i] = numbers_[number];
    }
    return result;
  }

  const DType dtype_;
  const std::shared_ptr<const int> alive_ = std::make_shared<int>(0);
  std::vector<Variant> numbers_;
};

// Returns a tensor with the numbers `first`, `first` + 1, and so on.
Tensor Count(const Shape& shape, int64_t first = 1) {
  Tensor result = Tensor::Filled<int64_t>(shape, 0);
  for (int64_t& number : result.mutable_data<int64_t>()) number = first++;
  return result;
}

// Describes an op that moves the elements of its int64 inputs. The test also
// runs the op with objects instead of the int64 numbers, and expects that the
// op moves the objects in the same way.
struct Move {
  const char* op;
  const char* what;
  std::vector<Tensor> inputs;
  AttrMap attrs = {};
};

Tensor Indices(std::initializer_list<int32_t> values) {
  return Tensor::Vector<int32_t>(values);
}
Tensor Index(int32_t value) { return Tensor::Scalar(value); }

AttrMap Outputs(const char* attr, int64_t count, int64_t axis = 0) {
  AttrMap attrs;
  attrs.Set(attr, count);
  if (attr == std::string("num")) attrs.Set("axis", axis);
  return attrs;
}

std::vector<Move> MovesOfNothingAndScalars() {
  const Tensor scalar = Count(Shape{}), empty = Count(Shape{0, 2});
  const Tensor three = Count(Shape{3}), no = Tensor::Scalar(false);
  return {
      {"BroadcastTo", "scalar", {scalar, Indices({})}},
      {"BroadcastTo", "empty", {scalar, Indices({3, 0})}},
      {"Fill", "scalar", {Indices({}), scalar}},
      {"Fill", "empty", {Indices({2, 0}), scalar}},
      {"Gather", "scalar", {three, Index(1)}},
      {"Gather", "empty", {three, Indices({})}},
      {"GatherV2", "scalar", {three, Index(2), Index(0)}},
      {"GatherV2", "empty", {empty, Indices({1}), Index(1)}},
      {"GatherNd", "scalar", {three, Indices({1})}},
      {"GatherNd", "empty", {three, Tensor::Of<int32_t>(Shape{0, 1}, {})}},
      {"OneHot", "scalar", {Index(1), Index(3), scalar, Count(Shape{}, 5)}},
      {"OneHot", "empty", {Indices({}), Index(3), scalar, scalar}},
      {"Pack", "scalar", {scalar}},
      {"Pack", "empty", {empty, empty}},
      {"Unpack", "scalars", {three}, Outputs("num", 3)},
      {"Unpack", "empty", {empty}, Outputs("num", 2, 1)},
      {"RandomShuffle", "scalar", {scalar}},
      {"RandomShuffle", "empty", {empty}},
      {"Select", "scalar", {no, scalar, Count(Shape{}, 5)}},
      {"Select", "empty", {no, empty, empty}},
      {"SelectV2", "scalar", {no, scalar, Count(Shape{}, 5)}},
      {"SelectV2", "empty", {no, empty, empty}},
      {"Split", "empty", {Index(1), empty}, Outputs("num_split", 2)},
      {"SplitV",
       "empty",
       {empty, Indices({2, 0}), Index(1)},
       Outputs("num_split", 2)},
      {"StridedSlice",
       "empty",
       {three, Indices({2}), Indices({1}), Indices({1})}},
      {"StridedSlice",
       "scalar",
       {scalar, Indices({}), Indices({}), Indices({})}},
      {"Tile", "scalar", {scalar, Indices({})}},
      {"Roll", "empty", {empty, Index(1), Index(0)}},
      {"Tile", "empty", {empty, Indices({2, 3})}},
      {"Transpose", "scalar", {scalar, Indices({})}},
      {"Transpose", "empty", {empty, Indices({1, 0})}},
      {"DynamicStitch", "empty", {Indices({}), Count(Shape{0, 2})}},
      {"DynamicPartition",
       "scalar",
       {scalar, Index(1)},
       {{"num_partitions", int64_t{2}}}},
  };
}

std::vector<Move> MovesOfMany() {
  const Tensor rows = Count(Shape{4, 6}), large = Count(Shape{40, 3, 50});
  const Tensor other = Count(Shape{4, 6}, 100);
  const Tensor conditions =
      Tensor::Of<bool>(Shape{4}, {true, false, false, true});
  return {
      {"BroadcastTo", "rows", {Count(Shape{4, 1}), Indices({2, 4, 3})}},
      {"Fill", "many", {Indices({50, 60}), Count(Shape{})}},
      {"Gather", "rows", {rows, Indices({3, 0, 3})}},
      {"GatherV2", "columns", {large, Indices({2, 0}), Index(1)}},
      {"GatherNd", "points", {rows, Tensor::Of<int32_t>({2, 2}, {3, 5, 0, 1})}},
      {"OneHot",
       "rows",
       {Indices({1, 7, 0}), Index(3), Count(Shape{}), Count(Shape{}, 5)}},
      {"Pack", "rows", {rows, other}, {{"axis", int64_t{1}}}},
      {"Unpack", "rows", {rows}, Outputs("num", 4)},
      {"Unpack", "columns", {rows}, Outputs("num", 6, 1)},
      {"RandomShuffle", "rows", {large}, {{"seed", int64_t{7}}}},
      {"Select", "rows", {conditions, rows, other}},
      {"SelectV2",
       "columns",
       {*conditions.Reshaped(Shape{4, 1}), rows, Count(Shape{6}, 50)}},
      {"Split", "rows", {Index(0), rows}, Outputs("num_split", 2)},
      {"Split", "columns", {Index(1), rows}, Outputs("num_split", 3)},
      {"SplitV",
       "columns",
       {rows, Indices({1, -1, 2}), Index(1)},
       Outputs("num_split", 3)},
      {"StridedSlice",
       "backwards",
       {rows, Indices({3, 1}), Indices({0, 6}), Indices({-2, 2})}},
      {"StridedSlice",
       "rows",
       {rows, Indices({1}), Indices({3}), Indices({1})}},
      {"Roll", "rows", {rows, Indices({1, -2}), Indices({0, 1})}},
      {"SpaceToDepth",
       "rows",
       {*rows.Reshaped(Shape{1, 4, 6, 1})},
       {{"block_size", int64_t{2}}}},
      {"DepthToSpace",
       "rows",
       {*rows.Reshaped(Shape{1, 1, 6, 4})},
       {{"block_size", int64_t{2}}}},
      {"Tile", "rows", {rows, Indices({2, 3})}},
      {"Transpose",
       "matrix",
       {*large.Reshaped(Shape{40, 150}), Indices({1, 0})}},
      {"Transpose", "three axes", {large, Indices({2, 0, 1})}},
      {"Transpose", "others", {large, Indices({1, 0, 2})}},
      {"DynamicStitch", "gaps", {Indices({5, 0}), Count(Shape{2, 6})}},
      {"ParallelDynamicStitch", "gaps", {Indices({5, 0}), Count(Shape{2, 6})}},
      {"DynamicPartition",
       "rows",
       {rows, Indices({2, 0, 2, 2})},
       {{"num_partitions", int64_t{3}}}},
  };
}

class MovedObjectsTest : public ::testing::TestWithParam<DType> {};

void ExpectMovesAlike(Objects& objects, const Move& move) {
  SCOPED_TRACE(absl::StrCat(move.op, " ", move.what));
  KernelTestHarness harness;
  const auto expected = harness.Run(move.op, move.attrs, move.inputs);
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::vector<Tensor> inputs = move.inputs;
  for (Tensor& input : inputs) {
    if (input.dtype() == DType::kInt64) input = objects.For(input);
  }
  const auto outputs = harness.Run(move.op, move.attrs, std::move(inputs));
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), expected->size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    EXPECT_TRUE(Identical(objects.NumbersOf((*outputs)[i]), (*expected)[i]))
        << i << ": " << objects.NumbersOf((*outputs)[i]).DebugString()
        << " instead of " << (*expected)[i].DebugString();
  }
}

TEST_P(MovedObjectsTest, GoWhereNumbersGo) {
  Objects objects(GetParam());
  for (const Move& move : MovesOfMany()) ExpectMovesAlike(objects, move);
}

TEST_P(MovedObjectsTest, MayBeNoneOrOne) {
  Objects objects(GetParam());
  for (const Move& move : MovesOfNothingAndScalars()) {
    ExpectMovesAlike(objects, move);
  }
}

TEST_P(MovedObjectsTest, AreRowsOfReferencedVariables) {
  Objects objects(GetParam());
  KernelTestHarness harness;
  auto variable =
      std::make_shared<Variable>("v", objects.dtype(), PartialShape({3, 2}));
  ASSERT_TRUE(variable->Assign(objects.For(Count(Shape{3, 2}))).ok());
  const auto kernel =
      harness.Make("ScatterUpdate", {},
                   {RefOf(objects.dtype()), DType::kInt32, objects.dtype()});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const auto run = harness.Run(
      *kernel,
      {testing::RefValue(variable), testing::TensorValue(Indices({2, 0})),
       testing::TensorValue(objects.For(Count(Shape{2, 2}, 11)))});
  ASSERT_TRUE(run.ok()) << run.status();
  const auto value = variable->Read(HostAllocator());
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_TRUE(Identical(objects.NumbersOf(*value),
                        Tensor::Of<int64_t>({3, 2}, {13, 14, 3, 4, 11, 12})));
}

INSTANTIATE_TEST_SUITE_P(Objects, MovedObjectsTest,
                         ::testing::Values(DType::kResource, DType::kVariant),
                         [](const ::testing::TestParamInfo<DType>& info) {
                           return Name(info.param);
                         });

TEST(ElementTypesTest, GradientsOfSlicesAreOfElementsThatHaveAZero) {
  for (const DType dtype : {DType::kResource, DType::kVariant}) {
    KernelTestHarness harness;
    const std::vector<DType> types = {DType::kInt32, DType::kInt32,
                                      DType::kInt32, DType::kInt32, dtype};
    EXPECT_FALSE(harness.Make("StridedSliceGrad", {}, types).ok());
  }
}

}  // namespace
}  // namespace leat::moved_objects_test
