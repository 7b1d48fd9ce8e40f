// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests inputs that made TensorFlow crash or read out of bounds, and similar
// inputs. Comments give the CVE numbers of the advisories. A kernel must answer
// with an error or an empty result, and the process must go on.
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::neural_bad_input_test {
namespace {

using Ints = std::vector<int64_t>;

Tensor Ones(const Shape& shape) { return Tensor::Filled<float>(shape, 1.0f); }

AttrMap Attrs(Ints strides, const char* padding = "VALID",
              const char* format = "NHWC") {
  return AttrMap{{"strides", std::move(strides)},
                 {"padding", std::string(padding)},
                 {"data_format", std::string(format)}};
}

AttrMap PoolAttrs(Ints ksize, Ints strides, const char* padding = "VALID",
                  const char* format = "NHWC") {
  AttrMap attrs = Attrs(std::move(strides), padding, format);
  attrs.Set("ksize", std::move(ksize));
  return attrs;
}

class NeuralBadInputTest : public ::testing::Test {
 protected:
  void Refuses(const char* op, const AttrMap& attrs,
               std::vector<Tensor> inputs) {
    const absl::Status status =
        harness_.Run(op, attrs, std::move(inputs)).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status) ||
                absl::IsUnimplemented(status))
        << op << ": " << status;
  }
  testing::KernelTestHarness harness_;
};

TEST_F(NeuralBadInputTest, Conv2DBackpropFilter) {
  // CVE-2021-29524, -29538, -29540.
  Refuses("Conv2DBackpropFilter", Attrs({1, 66, 18, 1}),
          {Ones({0, 0, 1, 0}), Tensor::Vector<int32_t>({1, 1, 1, 1}),
           Ones({0, 0, 1, 1})});
  Refuses("Conv2DBackpropFilter", Attrs({1, 1, 1, 1}),
          {Ones({0, 0, 0, 0}), Tensor::Vector<int32_t>({0, 0, 0, 0}),
           Ones({0, 0, 0, 0})});
  Refuses("Conv2DBackpropFilter", Attrs({1, 66, 49, 1}),
          {Ones({1, 1, 1, 2}), Tensor::Vector<int32_t>({1, 1, 1, 1}),
           Ones({1, 1, 1, 1})});
  Refuses("Conv2DBackpropFilter", Attrs({1, 1, 1, 1}),
          {Ones({0, 0, 0, 0}), Tensor::Vector<int32_t>({3, 8, 1, 1}),
           Ones({0, 0, 0, 1})});
  // These are the sizes of CVE-2021-41197, and other impossible sizes.
  const int32_t huge = 1879048192;
  Refuses(
      "Conv2DBackpropFilter", Attrs({1, 1, 1, 1}),
      {Ones({1, 1, 1, 1}), Tensor::Vector<int32_t>({huge, huge, huge, huge}),
       Ones({1, 1, 1, 1})});
  Refuses("Conv2DBackpropFilter", Attrs({1, 1, 1, 1}),
          {Ones({1, 1, 1, 1}), Tensor::Vector<int32_t>({1, 1, -1, -1}),
           Ones({1, 1, 1, 1})});
  Refuses("Conv2DBackpropFilter", Attrs({1, 1, 1, 1}),
          {Ones({1, 1, 1, 1}), Tensor::Vector<int32_t>({1, 1}),
           Ones({1, 1, 1, 1})});
}

TEST_F(NeuralBadInputTest, Conv2DBackpropInput) {
  // CVE-2021-29525.
  Refuses("Conv2DBackpropInput", Attrs({1, 1, 1, 1}),
          {Tensor::Vector<int32_t>({52, 1, 1, 5}), Ones({0, 1, 5, 0}),
           Ones({52, 1, 1, 0})});
  // CVE-2022-35969.
  Refuses("Conv2DBackpropInput", Attrs({1, 1, 1, 1}),
          {Tensor::Vector<int32_t>({1, 1}), Ones({1, 1, 1, 1}), Ones({})});
  // CVE-2022-35999.
  Refuses("Conv2DBackpropInput", Attrs({1, 1, 1, 1}),
          {Tensor::Vector<int32_t>({3, 1, 1, 2}), Ones({1, 3, 2, 3}),
           Ones({3, 1, 0, 3})});
  Refuses("Conv2DBackpropInput", Attrs({1, 1, 1, 1}),
          {Tensor::Vector<int32_t>({1, 1000000, 1000000, 1}),
           Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1})});
}

TEST_F(NeuralBadInputTest, Conv2D) {
  Refuses("Conv2D", Attrs({1, 0, 1, 1}),
          {Ones({1, 2, 2, 1}), Ones({1, 1, 1, 1})});
  Refuses("Conv2D", Attrs({1, 1}), {Ones({1, 2, 2, 1}), Ones({1, 1, 1, 1})});
  Refuses("Conv2D", Attrs({2, 1, 1, 1}),
          {Ones({1, 2, 2, 1}), Ones({1, 1, 1, 1})});
  Refuses("Conv2D", Attrs({1, 1, 1, 1}), {Ones({2, 2}), Ones({1, 1, 1, 1})});
  Refuses("Conv2D", Attrs({1, 1, 1, 1}), {Ones({1, 2, 2, 1}), Ones({})});
  Refuses("Conv2D", Attrs({1, 1, 1, 1}),
          {Ones({1, 2, 2, 3}), Ones({1, 1, 2, 1})});
  Refuses("Conv2D", Attrs({1, 1, 1, 1}),
          {Ones({1, 2, 2, 1}), Ones({1, 1, 0, 1})});
  Refuses("Conv2D", Attrs({1, 1, 1, 1}),
          {Ones({1, 2, 2, 1}), Ones({9, 9, 1, 1})});
  AttrMap dilated = Attrs({1, 1, 1, 1});
  dilated.Set("dilations", Ints{1, std::numeric_limits<int64_t>::max(), 1, 1});
  Refuses("Conv2D", dilated, {Ones({1, 2, 2, 1}), Ones({2, 1, 1, 1})});
  AttrMap padded = Attrs({1, 1, 1, 1}, "EXPLICIT");
  Refuses("Conv2D", padded, {Ones({1, 2, 2, 1}), Ones({1, 1, 1, 1})});
  padded.Set("explicit_paddings",
             Ints{0, 0, std::numeric_limits<int64_t>::max(), 1, 0, 0, 0, 0});
  Refuses("Conv2D", padded, {Ones({1, 2, 2, 1}), Ones({1, 1, 1, 1})});
  padded.Set("explicit_paddings", Ints{0, 0, -1, 0, 0, 0, 0, 0});
  Refuses("Conv2D", padded, {Ones({1, 2, 2, 1}), Ones({1, 1, 1, 1})});
}

// The padding is wider than the filter, so large parts of the output do not
// depend on the input.
TEST_F(NeuralBadInputTest, Conv2DOfMostlyPadding) {
  AttrMap attrs = Attrs({1, 1, 1, 1}, "EXPLICIT");
  attrs.Set("explicit_paddings", Ints{0, 0, 40, 40, 0, 0, 0, 0});
  auto result = harness_.RunOne("Conv2D", attrs,
                                {Ones({1, 2, 64, 32}), Ones({1, 1, 32, 64})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->shape(), (Shape{1, 82, 64, 64}));
  EXPECT_EQ(result->data<float>()[0], 0);
  EXPECT_EQ(result->data<float>()[40 * 64 * 64], 32);
  EXPECT_EQ(result->data<float>()[81 * 64 * 64], 0);
}

TEST_F(NeuralBadInputTest, Pooling) {
  // CVE-2022-21725.
  Refuses("AvgPoolGrad", PoolAttrs({1, 1, 1, 1}, {1, 1, 1, 0}, "VALID", "NCHW"),
          {Tensor::Vector<int32_t>({1, 1, 1, 1}), Ones({1, 1, 1, 1})});
  // CVE-2023-25664.
  Refuses("AvgPoolGrad", PoolAttrs({1, 1, 1, 1}, {1, 1, 1, 30}),
          {Tensor::Vector<int32_t>({11, 9, 78, 9}), Ones({16, 16, 16, 16})});
  Refuses("AvgPoolGrad", PoolAttrs({1, 1, 1, 1}, {1, 1, 1, 1}),
          {Tensor::Vector<int32_t>({11, 9, 78, 9}), Ones({16, 16, 16, 16})});
  Refuses("AvgPoolGrad", PoolAttrs({1, 1, 1, 1}, {1, 1, 1, 1}),
          {Tensor::Vector<int32_t>({1, 1}), Ones({1, 1, 1, 1})});
  Refuses("AvgPoolGrad", PoolAttrs({1, 1, 1, 1}, {1, 1, 1, 1}),
          {Tensor::Vector<int32_t>({1, -1, 1, 1}), Ones({1, 1, 1, 1})});
  // CVE-2021-41196.
  Refuses("MaxPool", PoolAttrs({1, 0, 2, 1}, {1, 1, 1, 1}),
          {Ones({1, 2, 2, 1})});
  Refuses("MaxPool", PoolAttrs({1, -2, 2, 1}, {1, 1, 1, 1}),
          {Ones({1, 2, 2, 1})});
  Refuses("MaxPool", PoolAttrs({1, 3, 3, 1}, {1, 1, 1, 1}),
          {Ones({1, 1, 1, 1})});
  // CVE-2021-29579.
  Refuses("MaxPoolGrad", PoolAttrs({1, 1, 1, 1}, {1, 1, 1, 1}),
          {Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1}), Ones({0, 0, 0, 0})});
  Refuses("MaxPoolGrad", PoolAttrs({1, 1, 1, 1}, {1, 1, 1, 1}),
          {Ones({1, 2, 2, 1}), Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1})});
}

// In CVE-2022-35989 the window is larger than the image, so the window fits
// nowhere and the output is empty.
TEST_F(NeuralBadInputTest, MaxPoolOfNoPositionIsEmpty) {
  auto result = harness_.RunOne(
      "MaxPool", PoolAttrs({1, 1, 2, 2}, {1, 1, 1, 1}, "VALID", "NCHW"),
      {Ones({1, 1, 1, 1})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->num_elements(), 0);
}

// A client may send _FusedConv2D with any attrs. Only the kernel checks that
// the types of the arguments fit the type of the result.
TEST_F(NeuralBadInputTest, FusedConv2D) {
  const Tensor image = Tensor::Filled<float>(Shape{1, 2, 2, 1}, 1);
  const Tensor filter = Tensor::Filled<float>(Shape{1, 1, 1, 1}, 1);
  for (const Tensor& bias :
       {Tensor::Vector<int32_t>({1}), Tensor::Vector<double>({1}),
        Tensor::Vector<std::string>({"1"})}) {
    Refuses("_FusedConv2D",
            AttrMap{{"TArgs", std::vector<DType>{bias.dtype()}},
                    {"num_args", int64_t{1}},
                    {"fused_ops", std::vector<std::string>{"BiasAdd"}},
                    {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                    {"padding", std::string("VALID")}},
            {image, filter, bias});
  }
}

// In CVE-2021-29555, the images have no channels.
TEST_F(NeuralBadInputTest, FusedBatchNorm) {
  auto result = harness_.Run(
      "FusedBatchNormV3", AttrMap{{"is_training", false}},
      {Ones({1, 1, 1, 0}), Ones({0}), Ones({0}), Ones({0}), Ones({0})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0].num_elements(), 0);
  const Tensor x = Ones({1, 2, 2, 3}), three = Ones({3}), two = Ones({2});
  Refuses("FusedBatchNormV3", {}, {x, two, three, three, three});
  Refuses("FusedBatchNormV3", {}, {x, three, Ones({}), three, three});
  Refuses("FusedBatchNormV3", AttrMap{{"is_training", false}},
          {x, three, three, Ones({0}), Ones({0})});
  Refuses("FusedBatchNormV3", {}, {Ones({2, 3}), three, three, three, three});
  Refuses("FusedBatchNormGradV3", {}, {x, x, three, three, two, three});
  Refuses("FusedBatchNormGradV3", {},
          {x, Ones({1, 1, 1, 3}), three, three, three, three});
}

TEST_F(NeuralBadInputTest, LRN) {
  Refuses("LRN", AttrMap{{"depth_radius", int64_t{-1}}}, {Ones({1, 1, 1, 3})});
  Refuses("LRN", {}, {Ones({3})});
  Refuses("LRNGrad", {},
          {Ones({1, 1, 1, 3}), Ones({1, 1, 1, 2}), Ones({1, 1, 1, 3})});
  const int64_t limit = std::numeric_limits<int32_t>::max();
  for (const int64_t radius : {limit, std::numeric_limits<int64_t>::max()}) {
    Refuses("LRN", AttrMap{{"depth_radius", radius}}, {Ones({1, 1, 1, 3})});
  }
  auto result = harness_.RunOne("LRN", AttrMap{{"depth_radius", limit - 1}},
                                {Ones({1, 1, 1, 3})});
  EXPECT_TRUE(result.ok()) << result.status();
}

}  // namespace
}  // namespace leat::neural_bad_input_test
