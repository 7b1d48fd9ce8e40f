// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes cuDNN's plans for each convolution of ResNet-50 and of the CNN of
// examples/fashion_mnist. This needs no GPU: cuDNN gets the properties of an
// H100.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "leat/core/window.h"
#include "leat/runtime/cuda/cudnn_api.h"
#include "leat/tests/runtime/cuda/h100_properties.h"

namespace leat::cudnn_plans_test {
namespace {

constexpr ConvolutionTensor kResults[] = {ConvolutionTensor::kOutput,
                                          ConvolutionTensor::kInput,
                                          ConvolutionTensor::kFilter};

// Returns a convolution of square images with padding SAME.
ConvolutionShape Square(int64_t batch, int64_t size, int64_t in, int64_t out,
                        int64_t filter, int64_t stride) {
  const WindowPositions placed =
      PlaceWindow(size,
                  {.size = filter, .stride = stride, .padding = Padding::kSame})
          .value();
  return {.batch = batch,
          .in_channels = in,
          .in_height = size,
          .in_width = size,
          .out_channels = out,
          .out_height = placed.count,
          .out_width = placed.count,
          .filter_height = filter,
          .filter_width = filter,
          .stride_height = stride,
          .stride_width = stride,
          .pad_top = placed.before,
          .pad_bottom = placed.after,
          .pad_left = placed.before,
          .pad_right = placed.after};
}

// Returns the convolutions of ResNet-50 (He et al., 2015), version 1.5.
std::vector<ConvolutionShape> ResNet50(int64_t batch) {
  std::vector<ConvolutionShape> shapes = {Square(batch, 224, 3, 64, 7, 2)};
  int64_t in = 64;
  for (const auto& [size, width] :
       {std::pair<int64_t, int64_t>{56, 64}, {28, 128}, {14, 256}, {7, 512}}) {
    const int64_t stride = size == 56 ? 1 : 2;
    const int64_t before = size * stride;
    // Of the six convolutions below, the first block of each stage has the
    // first four. The other blocks have the last three.
    shapes.push_back(Square(batch, before, in, width, 1, 1));
    shapes.push_back(Square(batch, before, width, width, 3, stride));
    shapes.push_back(Square(batch, before, in, 4 * width, 1, stride));
    shapes.push_back(Square(batch, size, width, 4 * width, 1, 1));
    shapes.push_back(Square(batch, size, 4 * width, width, 1, 1));
    shapes.push_back(Square(batch, size, width, width, 3, 1));
    in = 4 * width;
  }
  return shapes;
}

// Returns the convolutions of the CNN of examples/fashion_mnist.
std::vector<ConvolutionShape> FashionMnist(int64_t batch) {
  return {Square(batch, 28, 1, 32, 3, 1), Square(batch, 14, 32, 64, 3, 1)};
}

class CudnnPlansTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto dnn = NewCudnnPlanner(testing::kH100Properties);
    if (absl::IsNotFound(dnn.status()) ||
        absl::StrContains(dnn.status().message(), "has no cuDNN")) {
      GTEST_SKIP() << "NOTHING IS TESTED: " << dnn.status();
    }
    ASSERT_TRUE(dnn.ok()) << dnn.status();
    dnn_ = *std::move(dnn);
  }
  // Makes three plans: for the output, for the gradient of the input, and for
  // the gradient of the filter.
  void Plan(DType type, const ConvolutionShape& shape,
            const DnnLimits& limits = {.workspace_bytes = int64_t{1} << 30}) {
    for (const ConvolutionTensor result : kResults) {
      const auto plan = dnn_->NewPlan({type, result, shape}, limits);
      ASSERT_TRUE(plan.ok())
          << Name(type) << ", " << shape.in_channels << " channels of "
          << shape.in_height << " rows, " << shape.filter_height
          << " taps, stride " << shape.stride_height << ", result "
          << static_cast<int>(result) << ": " << plan.status();
      EXPECT_LE((*plan)->workspace_bytes(), limits.workspace_bytes);
    }
  }
  std::unique_ptr<DnnApi> dnn_;
};

TEST_F(CudnnPlansTest, HasPlansForResNet50) {
  for (const ConvolutionShape& shape : ResNet50(256)) {
    Plan(DType::kBfloat16, shape);
  }
  const DnnLimits limits{.workspace_bytes = int64_t{1} << 30,
                         .allow_tf32 = true};
  for (const ConvolutionShape& shape : ResNet50(128)) {
    Plan(DType::kFloat, shape, limits);
  }
}

TEST_F(CudnnPlansTest, HasPlansForTheExample) {
  for (const ConvolutionShape& shape : FashionMnist(128)) {
    for (const DType type :
         {DType::kHalf, DType::kBfloat16, DType::kFloat, DType::kDouble}) {
      Plan(type, shape);
    }
  }
}

TEST_F(CudnnPlansTest, HasPlansForOtherForms) {
  ConvolutionShape shape = Square(8, 28, 32, 64, 3, 2);
  shape.channels_first = true;
  Plan(DType::kFloat, shape);
  Plan(DType::kBfloat16, shape);
  ConvolutionShape groups = Square(8, 28, 64, 64, 3, 1);
  groups.groups = 4;
  Plan(DType::kFloat, groups);
  ConvolutionShape dilated = Square(8, 28, 32, 64, 3, 1);
  dilated.dilation_height = dilated.dilation_width = 2;
  dilated.pad_top = dilated.pad_bottom = 2;
  dilated.pad_left = dilated.pad_right = 2;
  Plan(DType::kFloat, dilated);
}

TEST_F(CudnnPlansTest, KeepsToTheLimitOfTheWorkspace) {
  // Without the limit, cuDNN's first choice needs a workspace of 205 MB here.
  const ConvolutionShape first = Square(256, 224, 3, 64, 7, 2);
  Plan(DType::kBfloat16, first, {.workspace_bytes = 16 << 20});
}

TEST_F(CudnnPlansTest, RoundsFloatsOnlyIfItMay) {
  const ConvolutionShape shape = Square(128, 56, 64, 64, 3, 1);
  for (const ConvolutionTensor result : kResults) {
    DnnLimits limits{.workspace_bytes = int64_t{1} << 30};
    const ConvolutionForm form{DType::kFloat, result, shape};
    EXPECT_TRUE((*dnn_->NewPlan(form, limits))->is_exact());
    limits.allow_tf32 = true;
    EXPECT_FALSE((*dnn_->NewPlan(form, limits))->is_exact());
  }
}

// Returns the convolution that the kernel asks for instead of `shape` if floats
// are exact: the images have the zeros that are missing on one side.
ConvolutionShape WithSymmetricPadding(ConvolutionShape shape) {
  shape.in_height += shape.pad_bottom - shape.pad_top;
  shape.pad_bottom = shape.pad_top;
  shape.in_width += shape.pad_right - shape.pad_left;
  shape.pad_right = shape.pad_left;
  return shape;
}

// The first 15 to 30 plans that cuDNN recommends for floats round to TF32. The
// exact ones behind them must be found.
TEST_F(CudnnPlansTest, FindsRecommendedPlansForExactFloats) {
  int num_plans = 0, num_recommended = 0;
  for (const ConvolutionShape& shape : ResNet50(128)) {
    for (const ConvolutionTensor result : kResults) {
      const auto plan =
          dnn_->NewPlan({DType::kFloat, result, WithSymmetricPadding(shape)},
                        {.workspace_bytes = int64_t{1} << 30});
      ASSERT_TRUE(plan.ok()) << plan.status();
      ++num_plans;
      num_recommended += (*plan)->is_recommended() ? 1 : 0;
    }
  }
  // There is none for one of the forms.
  EXPECT_GE(num_recommended, num_plans * 9 / 10) << num_plans;
}

// For kHalf, cuDNN's first choice with this limit adds up the products in half
// precision. The library must not use this plan.
TEST_F(CudnnPlansTest, AddsUpShortFloatsInFloat) {
  ConvolutionShape shape = Square(8, 28, 32, 64, 3, 1);
  shape.channels_first = true;
  const DnnLimits limits{.workspace_bytes = 1 << 16};
  for (const ConvolutionTensor result : kResults) {
    for (const DType type : {DType::kHalf, DType::kBfloat16}) {
      const auto plan = dnn_->NewPlan({type, result, shape}, limits);
      if (absl::IsUnimplemented(plan.status())) continue;
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_FALSE((*plan)->rounds_sums()) << Name(type);
    }
  }
}

TEST_F(CudnnPlansTest, RefusesWhatDoesNotFit) {
  ConvolutionShape shape = Square(8, 28, 32, 64, 3, 1);
  shape.out_height = 5;
  const DnnLimits limits{.workspace_bytes = 1 << 20};
  EXPECT_FALSE(
      dnn_->NewPlan({DType::kFloat, ConvolutionTensor::kOutput, shape}, limits)
          .ok());
  EXPECT_TRUE(absl::IsUnimplemented(
      dnn_->NewPlan({DType::kInt32, ConvolutionTensor::kOutput, shape}, limits)
          .status()));
}

}  // namespace
}  // namespace leat::cudnn_plans_test
