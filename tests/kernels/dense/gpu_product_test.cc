// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests matrix products on a GPU for types that the op cases do not cover. The
// op cases do not cover these types because the CPU kernels do not take them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/tests/testing/gpu/queued_gpu.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::gpu_product_test {
namespace {

using testing::KernelTestHarness;
using testing::QueuedGpu;

// Returns a matrix of small integers, whose products and sums are exact.
template <class T>
Tensor Integers(const Shape& shape, int first) {
  Tensor tensor = Tensor::Filled(shape, T(0.0f));
  int value = first;
  for (T& x : tensor.mutable_data<T>()) {
    x = T(static_cast<float>(value = (value * 5 + 3) % 7) - 3.0f);
  }
  return tensor;
}

// Returns the elements as floats. If `tensor` is an error, makes the test fail
// and returns no elements.
template <class T>
std::vector<float> Values(const absl::StatusOr<Tensor>& tensor) {
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  if (!tensor.ok()) return {};
  const auto data = tensor->data<T>();
  return {data.begin(), data.end()};
}

// Expects that _FusedMatMul has the same result as three ops that run one after
// another: MatMul, BiasAdd and the activation.
template <class T>
void ExpectTheSum(KernelTestHarness& harness, const std::string& activation) {
  const Tensor a = Integers<T>(Shape{5, 3}, 1);
  const Tensor b = Integers<T>(Shape{4, 5}, 2);
  const Tensor bias = Integers<T>(Shape{4}, 3);
  AttrMap product;
  product.Set("transpose_a", true);
  product.Set("transpose_b", true);
  absl::StatusOr<Tensor> expected = harness.RunOne("MatMul", product, {a, b});
  ASSERT_TRUE(expected.ok()) << expected.status();
  expected = harness.RunOne("BiasAdd", {}, {*expected, bias});
  std::vector<std::string> ops = {"BiasAdd"};
  if (!activation.empty()) {
    ASSERT_TRUE(expected.ok()) << expected.status();
    expected = harness.RunOne(activation, {}, {*expected});
    ops.push_back(activation);
  }
  AttrMap fused = product;
  fused.Set("num_args", int64_t{1});
  fused.Set("fused_ops", ops);
  EXPECT_EQ(Values<T>(harness.RunOne("_FusedMatMul", fused, {a, b, bias})),
            Values<T>(expected))
      << activation;
}

// The test's parameter says whether the GPU has a library for matrix products.
class GpuProductTest : public ::testing::TestWithParam<bool> {};

TEST_P(GpuProductTest, FusesAllTypesAndActivations) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  KernelTestHarness harness(
      std::make_unique<QueuedGpu>(/*num_threads=*/1, GetParam()),
      testing::AllKernels());
  for (const char* activation :
       {"", "Relu", "Relu6", "Elu", "Tanh", "Sigmoid"}) {
    ExpectTheSum<float>(harness, activation);
    ExpectTheSum<half>(harness, activation);
    ExpectTheSum<bfloat16>(harness, activation);
  }
}

TEST_P(GpuProductTest, RefusesABiasThatDoesNotFit) {
  KernelTestHarness harness(
      std::make_unique<QueuedGpu>(/*num_threads=*/1, GetParam()),
      testing::AllKernels());
  AttrMap attrs;
  attrs.Set("num_args", int64_t{1});
  attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd"});
  const Tensor x = Integers<float>(Shape{2, 2}, 1);
  for (const Shape& shape : {Shape{3}, Shape{}, Shape{2, 1}}) {
    EXPECT_EQ(
        harness.RunOne("_FusedMatMul", attrs, {x, x, Integers<float>(shape, 1)})
            .status()
            .code(),
        absl::StatusCode::kInvalidArgument);
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, GpuProductTest, ::testing::Bool());

}  // namespace
}  // namespace leat::gpu_product_test
