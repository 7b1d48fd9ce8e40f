// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the convolutions of cuDNN, on a real GPU, with naive loops. Without
// a GPU or cuDNN all tests are skipped.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/core/tensor.h"
#include "leat/runtime/cuda/cuda_device.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/gpu/host_convolution.h"

namespace leat::convolution_gpu_test {
namespace {

// Returns a convolution of 9 x 12 images with a filter of 3 x 3 and padding
// SAME.
ConvolutionShape ShapeOf(bool channels_first, int64_t stride) {
  const int64_t padding = stride == 1 ? 1 : 0;
  return {.channels_first = channels_first,
          .batch = 4,
          .in_channels = 16,
          .in_height = 9,
          .in_width = 12,
          .out_channels = 24,
          .out_height = (9 + stride - 1) / stride,
          .out_width = (12 + stride - 1) / stride,
          .filter_height = 3,
          .filter_width = 3,
          .stride_height = stride,
          .stride_width = stride,
          .pad_top = 1,
          .pad_bottom = 1,
          .pad_left = padding,
          .pad_right = 1};
}

// Returns a tensor of random numbers in [-1, 1) in host memory.
Tensor Random(DType type, int64_t elements, uint32_t seed) {
  Tensor tensor =
      Tensor::Allocate(HostAllocator(), type, Shape{elements}).value();
  for (int64_t i = 0; i < elements; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const float value = static_cast<float>(seed >> 8) / (1 << 23) - 1;
    if (type == DType::kDouble) {
      tensor.mutable_data<double>()[i] = value;
    } else if (type == DType::kFloat) {
      tensor.mutable_data<float>()[i] = value;
    } else {
      tensor.mutable_data<bfloat16>()[i] = bfloat16(value);
    }
  }
  return tensor;
}

double ValueOf(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kDouble) return tensor.data<double>()[i];
  if (tensor.dtype() == DType::kFloat) return tensor.data<float>()[i];
  return static_cast<float>(tensor.data<bfloat16>()[i]);
}

class ConvolutionGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::shared_ptr<CudaApi>> api = NewCudaApi();
    if (!api.ok()) GTEST_SKIP() << "NOTHING RUNS ON A GPU: " << api.status();
    CudaDeviceOptions options;
    options.ordinals = {0};
    options.allow_growth = true;
    options.log = [](absl::string_view message) {
      std::fprintf(stderr, "%s\n", std::string(message).c_str());
    };
    auto devices = CreateCudaDevices(*api, options);
    ASSERT_TRUE(devices.ok()) << devices.status();
    device_ = std::move((*devices)[0]);
    library_ = device_->gpu_stream()->libraries().convolution();
    if (library_ == nullptr) GTEST_SKIP() << "there is no cuDNN";
  }

  Tensor ToGpu(const Tensor& tensor) {
    Tensor copy =
        Tensor::Allocate(device_->allocator(), tensor.dtype(), tensor.shape())
            .value();
    EXPECT_TRUE(device_->gpu_stream()->CopyToDevice(tensor, copy).ok());
    return copy;
  }
  void ToHost(const Tensor& from, const Tensor& to) {
    testing::Event copied;
    device_->gpu_stream()->CopyToHost(from, to,
                                      [&](const absl::Status& status) {
                                        EXPECT_TRUE(status.ok()) << status;
                                        copied.Set();
                                      });
    EXPECT_TRUE(copied.Wait());
  }

  // Computes `result` from the other two tensors of the convolution, on the GPU
  // and on the host, and compares the two results.
  void Check(DType type, ConvolutionTensor result, const ConvolutionShape& s,
             double tolerance) {
    Tensor tensors[] = {
        Random(type, s.batch * s.in_channels * s.in_height * s.in_width, 1),
        Random(type, s.out_channels * s.in_channels * 9, 2),
        Random(type, s.batch * s.out_channels * s.out_height * s.out_width, 3)};
    std::vector<Tensor> on_gpu;
    for (const Tensor& tensor : tensors) on_gpu.push_back(ToGpu(tensor));
    const ConvolutionForm form{type, result, s};
    const absl::Status status = library_->Convolve(
        form, {on_gpu[0].mutable_raw_data(), on_gpu[1].mutable_raw_data(),
               on_gpu[2].mutable_raw_data()});
    ASSERT_TRUE(status.ok()) << status;
    testing::ConvolveOnHost(
        form, {tensors[0].mutable_raw_data(), tensors[1].mutable_raw_data(),
               tensors[2].mutable_raw_data()});
    const auto place = static_cast<size_t>(result);
    const Tensor& expected = tensors[place];
    const Tensor actual =
        Tensor::Allocate(HostAllocator(), type, expected.shape()).value();
    ToHost(on_gpu[place], actual);
    for (int64_t i = 0; i < expected.num_elements(); ++i) {
      const double value = ValueOf(expected, i);
      ASSERT_NEAR(ValueOf(actual, i), value, tolerance * (1 + std::fabs(value)))
          << Name(type) << ", result " << place << ", element " << i;
    }
  }

  std::unique_ptr<CudaDevice> device_;
  ConvolutionLibrary* library_ = nullptr;
};

TEST_F(ConvolutionGpuTest, AllDirectionsEqualNaiveLoops) {
  for (const bool channels_first : {false, true}) {
    for (const int64_t stride : {1, 2}) {
      const ConvolutionShape shape = ShapeOf(channels_first, stride);
      for (const auto result :
           {ConvolutionTensor::kInput, ConvolutionTensor::kFilter,
            ConvolutionTensor::kOutput}) {
        Check(DType::kFloat, result, shape, 1e-4);
        Check(DType::kBfloat16, result, shape, 2e-2);
        Check(DType::kDouble, result, shape, 1e-10);
      }
    }
  }
}

}  // namespace
}  // namespace leat::convolution_gpu_test
