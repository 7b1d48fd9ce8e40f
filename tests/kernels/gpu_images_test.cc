// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the GPU kernels of pooling and batch normalization with the CPU
// kernels. The tensors are larger than those of the op cases.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leat/kernels/cuda/device/batch_norm.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/tests/testing/gpu/queued_gpu.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::gpu_images_test {
namespace {

// Returns random numbers in [mean - 1, mean + 1).
Tensor Random(const Shape& shape, uint32_t seed, float mean = 0) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = mean + static_cast<float>(seed >> 8) / (1 << 23) - 1;
  }
  return Tensor::FromSpan<float>(shape, values);
}

// The work of the GPU runs on two threads, so that the thread sanitizer can
// find two threads that use the same element at once.
class GpuImagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  }
  // Runs a kernel on the CPU and on the GPU. The outputs may differ by at most
  // `tolerance` times the largest element. Returns the outputs of the CPU.
  std::vector<Tensor> Compare(const std::string& op, const AttrMap& attrs,
                              const std::vector<Tensor>& inputs,
                              float tolerance) {
    const auto expected = cpu_.Run(op, attrs, inputs);
    const auto actual = gpu_.Run(op, attrs, inputs);
    EXPECT_TRUE(expected.ok()) << expected.status();
    EXPECT_TRUE(actual.ok()) << actual.status();
    if (!expected.ok() || !actual.ok()) return {};
    EXPECT_EQ(actual->size(), expected->size());
    for (size_t i = 0; i < expected->size(); ++i) {
      EXPECT_LE(Difference((*actual)[i], (*expected)[i]), tolerance)
          << op << ", output " << i;
    }
    return *expected;
  }
  static float Difference(const Tensor& a, const Tensor& b) {
    EXPECT_EQ(a.shape(), b.shape());
    float largest = 1e-30f, difference = 0;
    for (int64_t i = 0; i < b.num_elements(); ++i) {
      largest = std::max(largest, std::fabs(b.data<float>()[i]));
      difference = std::max(difference,
                            std::fabs(a.data<float>()[i] - b.data<float>()[i]));
    }
    return difference / largest;
  }

  testing::KernelTestHarness cpu_;
  testing::KernelTestHarness gpu_{
      std::make_unique<testing::QueuedGpu>(/*num_threads=*/2),
      testing::AllKernels()};
};

TEST_F(GpuImagesTest, BatchNormSumsUpInParts) {
  EXPECT_GT(cuda::MakeBatchNormSizes(1, 1, 5000).parts, 1);
  EXPECT_LE(cuda::MakeBatchNormSizes(1, 1, int64_t{1} << 40).parts, 1025);
  struct Case {
    Shape shape;
    const char* format;
  };
  // 12, 64 and 264 channels are read in packs of 4, and inner extents of 16 x 6
  // are, too.
  for (const Case& c : {Case{{3, 21, 19, 5}, "NHWC"},
                        {{2, 20, 30, 37}, "NHWC"},
                        {{2, 40, 40, 1}, "NHWC"},
                        {{2, 23, 31, 12}, "NHWC"},
                        {{4, 37, 30, 64}, "NHWC"},
                        {{3, 5, 7, 264}, "NHWC"},
                        {{3, 5, 21, 19}, "NCHW"},
                        {{5, 7, 16, 6}, "NCHW"}}) {
    const int64_t channels =
        c.format[1] == 'C' ? c.shape.dim(1) : c.shape.dim(3);
    // The mean of x is 1000. A kernel that computed the variance from sums of
    // squares would lose too many digits.
    const Tensor x = Random(c.shape, 1, 1000);
    const Tensor scale = Random(Shape{channels}, 2, 2);
    const Tensor offset = Random(Shape{channels}, 3);
    const Tensor none = Random(Shape{0}, 0);
    const AttrMap attrs = {{"data_format", std::string(c.format)},
                           {"is_training", true}};
    const std::vector<Tensor> y = Compare(
        "FusedBatchNormV3", attrs, {x, scale, offset, none, none}, 1e-3f);
    ASSERT_EQ(y.size(), 6u);
    Compare("FusedBatchNormGradV3", attrs,
            {Random(c.shape, 4), x, scale, y[3], y[4], none}, 1e-4f);
    // If all elements of dy are 1, the gradient of the offset is the number of
    // elements of a channel. This test finds kernels that leave out an element
    // or count one twice.
    const auto grad =
        gpu_.Run("FusedBatchNormGradV3", attrs,
                 {Tensor::Filled(c.shape, 1.0f), x, scale, y[3], y[4], none});
    ASSERT_TRUE(grad.ok()) << grad.status();
    for (int64_t k = 0; k < channels; ++k) {
      EXPECT_EQ((*grad)[2].data<float>()[k],
                static_cast<float>(x.num_elements() / channels));
    }
  }
}

// 16-bit floats are read in packs of 8.
TEST_F(GpuImagesTest, BatchNormReadsPacksOfSixteenBitFloats) {
  for (const Shape& shape : {Shape{3, 17, 19, 24}, Shape{2, 9, 9, 12}}) {
    const Shape channels{shape.dim(3)};
    const auto narrow = [&](const Tensor& tensor) {
      return *cpu_.RunOne("Cast", {{"DstT", DType::kBfloat16}}, {tensor});
    };
    const auto wide = [&](const Tensor& tensor) {
      return *cpu_.RunOne("Cast", {{"DstT", DType::kFloat}}, {tensor});
    };
    const Tensor x = narrow(Random(shape, 1, 3));
    const Tensor scale = Random(channels, 2, 2);
    const Tensor offset = Random(channels, 3);
    const Tensor none = Random(Shape{0}, 0);
    const auto run = [&](testing::KernelTestHarness& harness) {
      const auto y =
          harness.Run("FusedBatchNormV3", {}, {x, scale, offset, none, none});
      const auto dx = harness.Run(
          "FusedBatchNormGradV3", {},
          {narrow(Random(shape, 4)), x, scale, (*y)[3], (*y)[4], none});
      return std::vector<Tensor>{wide((*y)[0]),  (*y)[3],  (*y)[4],
                                 wide((*dx)[0]), (*dx)[1], (*dx)[2]};
    };
    const std::vector<Tensor> expected = run(cpu_), actual = run(gpu_);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LE(Difference(actual[i], expected[i]), 1e-2f)
          << shape.DebugString() << ", result " << i;
    }
  }
}

TEST_F(GpuImagesTest, GradientsOfPoolingAreGathered) {
  struct Case {
    int64_t size, stride;
    const char* padding;
  };
  for (const Case& c : {Case{2, 2, "VALID"},
                        {3, 2, "SAME"},
                        {5, 1, "SAME"},
                        {2, 3, "VALID"},
                        {30, 30, "SAME"}}) {
    const AttrMap attrs = {
        {"ksize", std::vector<int64_t>{1, c.size, c.size, 1}},
        {"strides", std::vector<int64_t>{1, c.stride, c.stride, 1}},
        {"padding", std::string(c.padding)}};
    const Tensor x = Random(Shape{2, 17, 13, 9}, 5);
    const std::vector<Tensor> y = Compare("MaxPool", attrs, {x}, 0);
    ASSERT_EQ(y.size(), 1u);
    const Tensor grad = Random(y[0].shape(), 6);
    Compare("MaxPoolGrad", attrs, {x, y[0], grad}, 1e-6f);
    Compare("_LeatMaxPoolReluGrad", attrs, {x, y[0], grad}, 1e-6f);
    Compare("AvgPool", attrs, {x}, 1e-6f);
    Compare("AvgPoolGrad", attrs,
            {Tensor::Vector<int32_t>({2, 17, 13, 9}), grad}, 1e-6f);
  }
}

// The library gets images whose padding is made symmetric, and the gradients of
// the added pixels are left out.
TEST_F(GpuImagesTest, GradientsOfImagesLeaveOutThePadding) {
  for (const bool channels_first : {false, true}) {
    for (const std::vector<int64_t>& padding :
         {std::vector<int64_t>{3, 0, 1, 2}, {0, 2, 2, 0}, {1, 1, 0, 0}}) {
      const auto order = [&](int64_t n, int64_t c, int64_t h, int64_t w) {
        return channels_first ? std::vector<int64_t>{n, c, h, w}
                              : std::vector<int64_t>{n, h, w, c};
      };
      std::vector<int64_t> around(8);
      for (size_t i = 0; i < 4; ++i) {
        around[i + (channels_first ? 4 : 2)] = padding[i];
      }
      const AttrMap attrs = {
          {"padding", std::string("EXPLICIT")},
          {"explicit_paddings", around},
          {"strides", order(1, 1, 2, 1)},
          {"data_format", std::string(channels_first ? "NCHW" : "NHWC")}};
      // The filter has 3 rows and 2 columns.
      const int64_t height = (9 + padding[0] + padding[1] - 3) / 2 + 1;
      const int64_t width = 8 + padding[2] + padding[3] - 2 + 1;
      const Tensor input = channels_first
                               ? Tensor::Vector<int32_t>({2, 5, 9, 8})
                               : Tensor::Vector<int32_t>({2, 9, 8, 5});
      Compare("Conv2DBackpropInput", attrs,
              {input, Random(Shape{3, 2, 5, 4}, 7),
               Random(*Shape::Create(order(2, 4, height, width)), 8)},
              1e-5f);
    }
  }
}

// Where Relu has set an element to 0, the gradient must be 0.
TEST_F(GpuImagesTest, TheFusedGradientStopsWhatReluStopped) {
  const AttrMap attrs = {{"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                         {"strides", std::vector<int64_t>{1, 2, 2, 1}},
                         {"padding", std::string("VALID")}};
  const Tensor x =
      Tensor::FromSpan<float>(Shape{1, 2, 4, 1}, {0, 0, 1, 2, 0, 0, 3, 0});
  const Tensor y = Tensor::FromSpan<float>(Shape{1, 1, 2, 1}, {0, 3});
  const Tensor grad = Tensor::FromSpan<float>(Shape{1, 1, 2, 1}, {5, 7});
  const auto result = gpu_.RunOne("_LeatMaxPoolReluGrad", attrs, {x, y, grad});
  ASSERT_TRUE(result.ok()) << result.status();
  const auto data = result->data<float>();
  EXPECT_EQ(std::vector<float>(data.begin(), data.end()),
            (std::vector<float>{0, 0, 0, 0, 0, 0, 7, 0}));
}

}  // namespace
}  // namespace leat::gpu_images_test
