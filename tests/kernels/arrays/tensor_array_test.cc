// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what the op cases (tests/op_cases/tensor_arrays.jsonl) cannot show of
// TensorArrays: which bytes are shared, limits, several threads, and handles
// that name nothing. Comments mark the inputs that crash TensorFlow 2.15.
#include "leat/kernels/arrays/tensor_array.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/accounted_allocator.h"
#include "leat/core/devices/accounted_device.h"
#include "leat/core/resource_handle.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::tensor_array_test {
namespace {

using kernels::TensorArray;
using kernels::TensorArrayOptions;
using ::testing::HasSubstr;

class TensorArrayTest : public ::testing::Test {
 protected:
  absl::Status Write(TensorArray& array, int64_t index, Tensor value) {
    return array.Write(index, std::move(value), memory_, *queue_);
  }
  // Returns element `index`, whose value must be given.
  Tensor Read(TensorArray& array, int64_t index) {
    const auto element = array.Read(index, memory_);
    EXPECT_TRUE(element.ok()) << element.status();
    return element.ok() ? element->value : Tensor();
  }
  std::shared_ptr<TensorArray> Gradient(TensorArray& array) {
    auto gradient = array.NewGradient("gradient", Shape{}, memory_);
    EXPECT_TRUE(gradient.ok()) << gradient.status();
    return gradient.ok() ? *std::move(gradient) : nullptr;
  }

  Allocator& memory_ = HostAllocator();
  const std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test", 2);
};

TEST_F(TensorArrayTest, SharesWhatIsWrittenAndKeepsNothingThatWasRead) {
  TensorArray array({.name = "a", .size = 2});
  const Tensor value = Tensor::Vector<float>({1, 2});
  ASSERT_TRUE(Write(array, 1, value).ok());
  EXPECT_FALSE(value.IsUnique());
  EXPECT_TRUE(Read(array, 1).SharesBufferWith(value));
  EXPECT_TRUE(value.IsUnique());
}

TEST_F(TensorArrayTest, ASumLeavesWhatWasAddedUnchanged) {
  TensorArray array({.name = "a", .size = 1, .element_shape = Shape{2}});
  const auto gradient = Gradient(array);
  const Tensor first = Tensor::Vector<float>({1, 2});
  const Tensor second = Tensor::Vector<float>({10, 20});
  ASSERT_TRUE(Write(*gradient, 0, first).ok());
  ASSERT_TRUE(Write(*gradient, 0, second).ok());
  ASSERT_TRUE(Write(*gradient, 0, second).ok());
  EXPECT_TRUE(Identical(Read(*gradient, 0), Tensor::Vector<float>({21, 42})));
  EXPECT_TRUE(Identical(first, Tensor::Vector<float>({1, 2})));
  EXPECT_TRUE(Identical(second, Tensor::Vector<float>({10, 20})));
}

TEST_F(TensorArrayTest, AGradientArrayOutlivesTheArray) {
  TensorArray array({.name = "a", .size = 1});
  ASSERT_TRUE(Write(array, 0, Tensor::Scalar(1.f)).ok());
  const auto gradient = Gradient(array);
  array.Close();
  ASSERT_TRUE(Write(*gradient, 0, Tensor::Scalar(3.f)).ok());
  EXPECT_EQ(Read(*gradient, 0).scalar<float>(), 3);
  EXPECT_THAT(array.Size().status().message(),
              HasSubstr("TensorArray a has already been closed."));
}

TEST_F(TensorArrayTest, ElementsThatNobodyTouchedTakeNoMemory) {
  TensorArray array({.name = "a",
                     .size = INT32_MAX,
                     .is_dynamic = true,
                     .element_shape = Shape{}});
  EXPECT_EQ(array.Size().value(), INT32_MAX);
  ASSERT_TRUE(Write(array, 3, Tensor::Scalar(3.f)).ok());
  EXPECT_EQ(Read(array, 3).scalar<float>(), 3);
  for (const int64_t index : {kMaxElementArraySize, int64_t{INT32_MAX} - 1}) {
    EXPECT_TRUE(
        absl::IsResourceExhausted(Write(array, index, Tensor::Scalar(1.f))));
    EXPECT_TRUE(absl::IsResourceExhausted(array.Read(index, memory_).status()));
  }
  EXPECT_TRUE(absl::IsResourceExhausted(array.ReadAll(memory_).status()));
  EXPECT_NE(Gradient(array), nullptr);
}

// The array has 2^16 elements, and each shape of its gradients takes 2 KiB.
TEST_F(TensorArrayTest, LongShapesCountAsMemory) {
  const auto account = std::make_shared<MemoryAccount>("", 1 << 26);
  AccountedAllocator memory(HostAllocator(), account);
  constexpr int32_t kElements = 1 << 16;
  TensorArray array(
      {.name = "a", .size = kElements, .clears_after_read = false});
  const Tensor one = Tensor::Scalar(1.f);
  for (int32_t i = 0; i < kElements; ++i) {
    ASSERT_TRUE(array.Write(i, one, memory, *queue_).ok());
  }
  const Shape prepended = Shape::Create(Dims(250, 1)).value();
  EXPECT_TRUE(absl::IsResourceExhausted(
      array.NewGradient("g", prepended, memory).status()));
  EXPECT_TRUE(array.NewGradient("g", Shape{1, 1}, memory).ok());

  TensorArray one_long({.name = "b", .size = 1, .clears_after_read = false});
  const Tensor value = Tensor::Filled<float>(prepended, 1.f);
  ASSERT_TRUE(one_long.Write(0, value, memory, *queue_).ok());
  const std::vector<int32_t> indices(kElements, 0);
  EXPECT_TRUE(
      absl::IsResourceExhausted(one_long.ReadMany(indices, memory).status()));
  EXPECT_TRUE(one_long.Read(0, memory).ok());
  array.Close();
  one_long.Close();
  EXPECT_EQ(account->live_bytes(), 0);
}

TEST_F(TensorArrayTest, TheGradientOfAnElementThatWasClearedHasItsShape) {
  TensorArray array({.name = "a", .size = 1});
  ASSERT_TRUE(Write(array, 0, Tensor::Vector<float>({1, 2})).ok());
  Read(array, 0);
  const auto zeros = Gradient(array)->Read(0, memory_);
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_FALSE(zeros->value.IsValid());
  EXPECT_EQ(zeros->shape(), Shape{2});
}

TEST_F(TensorArrayTest, ThreadsWriteDifferentElements) {
  constexpr int kThreads = 4, kElements = 500;
  TensorArray array({.name = "a", .dtype = DType::kInt32, .is_dynamic = true});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int32_t i = t; i < kElements; i += kThreads) {
        EXPECT_TRUE(Write(array, i, Tensor::Scalar(i)).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto elements = array.ReadAll(memory_);
  ASSERT_TRUE(elements.ok()) << elements.status();
  ASSERT_EQ(elements->size(), kElements);
  for (int32_t i = 0; i < kElements; ++i) {
    EXPECT_EQ((*elements)[i].value.scalar<int32_t>(), i);
  }
}

TEST_F(TensorArrayTest, ThreadsAddToOneElement) {
  constexpr int kThreads = 4, kWrites = 500;
  TensorArray array({.name = "a", .size = 1, .element_shape = Shape{2}});
  const auto gradient = Gradient(array);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kWrites; ++i) {
        EXPECT_TRUE(Write(*gradient, 0, Tensor::Vector<float>({1, 2})).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Identical(
      Read(*gradient, 0),
      Tensor::Vector<float>({kThreads * kWrites, 2 * kThreads * kWrites})));
}

TEST_F(TensorArrayTest, AWriterAndACloserDoNotDisturbEachOther) {
  TensorArray array({.name = "a", .is_dynamic = true});
  std::thread writer([&] {
    for (int64_t i = 0; Write(array, i, Tensor::Scalar(1.f)).ok(); ++i) {
    }
  });
  array.Close();
  writer.join();
  EXPECT_TRUE(absl::IsInvalidArgument(Write(array, 0, Tensor::Scalar(1.f))));
}

class TensorArrayKernelTest : public ::testing::Test {
 protected:
  // Returns the handle of a new array and its flow.
  std::vector<Tensor> NewArray(AttrMap attrs = {}) {
    attrs.Set("dtype", DType::kFloat);
    auto outputs = harness_.Run("TensorArrayV3", std::move(attrs),
                                {Tensor::Scalar<int32_t>(2)});
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return *std::move(outputs);
  }
  absl::Status Write(Tensor handle, int32_t index, Tensor value) {
    return harness_
        .Run("TensorArrayWriteV3", {},
             {std::move(handle), Tensor::Scalar(index), std::move(value),
              Tensor::Scalar(0.f)})
        .status();
  }

  // Runs the op, whose attr `name` is long, on a device of 8 MiB until it
  // fails, and drops each handle at once. All memory must come back when the
  // step ends.
  void ExpectEndOfMemory(absl::string_view op, absl::string_view name) {
    AttrMap attrs;
    attrs.Set(op == "StackV2" ? "elem_type" : "dtype", DType::kFloat);
    attrs.Set(name, std::string(100'000, 'n'));
    const auto account = std::make_shared<MemoryAccount>("", 8 << 20);
    AccountedDevice device(harness_.device(), account, account);
    Device* const unlimited =
        std::exchange(harness_.services().device, &device);
    absl::Status status;
    for (int runs = 0; runs < 1000 && status.ok(); ++runs) {
      status = harness_.Run(op, attrs, {Tensor::Scalar<int32_t>(2)}).status();
    }
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    harness_.EndStep();
    EXPECT_EQ(account->live_bytes(), 0);
    harness_.services().device = unlimited;
  }

  testing::KernelTestHarness harness_;
};

TEST_F(TensorArrayKernelTest, EachRunMakesAnArrayOfItsOwn) {
  const Tensor first = NewArray()[0], second = NewArray()[0];
  EXPECT_NE(first.scalar<ResourceHandle>().name,
            second.scalar<ResourceHandle>().name);
  EXPECT_TRUE(Write(first, 0, Tensor::Scalar(1.f)).ok());
  EXPECT_TRUE(Write(second, 0, Tensor::Scalar(1.f)).ok());
}

// A loop that makes arrays or stacks with long names.
TEST_F(TensorArrayKernelTest, AStepCannotMakeArraysWithoutEnd) {
  ExpectEndOfMemory("TensorArrayV3", "tensor_array_name");
}
TEST_F(TensorArrayKernelTest, AStepCannotMakeStacksWithoutEnd) {
  ExpectEndOfMemory("StackV2", "stack_name");
}

TEST_F(TensorArrayKernelTest, AHandleOfAnotherStepNamesNothing) {
  const Tensor handle = NewArray()[0];
  harness_.EndStep();
  const absl::Status status = Write(handle, 0, Tensor::Scalar(1.f));
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("__per_step_1"));
}

TEST_F(TensorArrayKernelTest, AHandleOfAnotherDeviceIsRefused) {
  ResourceHandle handle = NewArray()[0].scalar<ResourceHandle>();
  handle.device = "/job:other/replica:0/task:0/device:CPU:0";
  const absl::Status status =
      Write(Tensor::Scalar(handle), 0, Tensor::Scalar(1.f));
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(),
              HasSubstr("located in device /job:other/replica:0/task:0/"
                        "device:CPU:0 from device"));
}

TEST_F(TensorArrayKernelTest, NegativeLengthsAreRefused) {
  // TensorFlow ends the process.
  const absl::Status status =
      harness_
          .Run("TensorArraySplitV3", {},
               {NewArray()[0], Tensor::Vector<float>({1, 2, 3, 4}),
                Tensor::Vector<int64_t>({5, -1}), Tensor::Scalar(0.f)})
          .status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("lengths to be >= 0, but saw -1"));
}

TEST_F(TensorArrayKernelTest, GradientsOfWhatWasWrittenSinglyAreConcatenated) {
  // TensorFlow ends the process.
  const Tensor handle = NewArray()[0];
  ASSERT_TRUE(Write(handle, 0, Tensor::Vector<float>({1, 2})).ok());
  ASSERT_TRUE(Write(handle, 1, Tensor::Vector<float>({3})).ok());
  AttrMap source;
  source.Set("source", std::string("gradients"));
  const auto gradient =
      harness_.Run("TensorArrayGradV3", source, {handle, Tensor::Scalar(0.f)});
  ASSERT_TRUE(gradient.ok()) << gradient.status();
  AttrMap dtype;
  dtype.Set("dtype", DType::kFloat);
  const auto all = harness_.Run("TensorArrayConcatV3", dtype,
                                {(*gradient)[0], Tensor::Scalar(0.f)});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_TRUE(Identical((*all)[0], Tensor::Vector<float>({0, 0, 0})));
  EXPECT_TRUE(Identical((*all)[1], Tensor::Vector<int64_t>({2, 1})));
}

}  // namespace
}  // namespace leat::tensor_array_test
