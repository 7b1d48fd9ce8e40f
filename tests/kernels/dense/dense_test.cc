// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/dense/dense.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::dense_test {
namespace {

using ::leat::kernels::Convolution;
using ::leat::kernels::MatMulShape;
using ::leat::testing::KernelTestHarness;

std::vector<float> RandomValues(int64_t size, int seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(size);
  for (float& value : values) value = uniform(engine);
  return values;
}

void ExpectNear(const std::vector<float>& got, const std::vector<double>& want,
                double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], tolerance) << "at " << i;
  }
}

std::vector<double> Product(const MatMulShape& s, const std::vector<float>& a,
                            const std::vector<float>& b) {
  std::vector<double> c(s.m * s.n);
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < s.k; ++k) {
        sum += double{a[s.transpose_a ? k * s.m + i : i * s.k + k]} *
               double{b[s.transpose_b ? j * s.k + k : k * s.n + j]};
      }
      c[i * s.n + j] = sum;
    }
  }
  return c;
}

TEST(DenseTest, MatMulAgreesWithADoubleReference) {
  auto queue = NewThreadPool("dense", 3);
  const int64_t sizes[][3] = {{1, 1, 1},      {3, 5, 7},     {1, 300, 400},
                              {300, 1, 64},   {130, 70, 90}, {257, 129, 65},
                              {17, 512, 300}, {4, 4, 0}};
  for (const auto& size : sizes) {
    for (int transposes = 0; transposes < 4; ++transposes) {
      MatMulShape s;
      s.m = size[0];
      s.n = size[1];
      s.k = size[2];
      s.transpose_a = transposes & 1;
      s.transpose_b = transposes & 2;
      const auto a = RandomValues(s.m * s.k, 1), b = RandomValues(s.k * s.n, 2);
      std::vector<float> c(s.m * s.n, 99);
      ASSERT_TRUE(
          kernels::MatMul(*queue, s, a.data(), b.data(), c.data()).ok());
      ExpectNear(c, Product(s, a, b), 1e-4);
    }
  }
}

// Holds the expected results of the three ops of a convolution: the output, the
// gradient of the input, and the gradient of the filter.
struct Reference {
  std::vector<double> output, input, filter;
};

int64_t At(const ConvolutionShape& s, int64_t n, int64_t c, int64_t y,
           int64_t x, int64_t channels, int64_t height, int64_t width) {
  return s.channels_first ? ((n * channels + c) * height + y) * width + x
                          : ((n * height + y) * width + x) * channels + c;
}

// Computes the Reference with simple loops. There are millions of products and
// tests are compiled without optimization, so the loops use plain pointers,
// which are faster than std::vector.
Reference Convolve(const ConvolutionShape& s, const std::vector<float>& input,
                   const std::vector<float>& filters,
                   const std::vector<float>& output) {
  Reference r;
  r.output.resize(output.size());
  r.input.resize(input.size());
  r.filter.resize(filters.size());
  const float* const in = input.data();
  const float* const filter = filters.data();
  const float* const out = output.data();
  double* const r_output = r.output.data();
  double* const r_input = r.input.data();
  double* const r_filter = r.filter.data();
  const int64_t in_group = s.in_channels / s.groups;
  const int64_t out_group = s.out_channels / s.groups;
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t oc = 0; oc < s.out_channels; ++oc)
      for (int64_t oy = 0; oy < s.out_height; ++oy)
        for (int64_t ox = 0; ox < s.out_width; ++ox)
          for (int64_t i = 0; i < in_group; ++i)
            for (int64_t fy = 0; fy < s.filter_height; ++fy)
              for (int64_t fx = 0; fx < s.filter_width; ++fx) {
                const int64_t y =
                    oy * s.stride_height - s.pad_top + fy * s.dilation_height;
                const int64_t x =
                    ox * s.stride_width - s.pad_left + fx * s.dilation_width;
                if (y < 0 || x < 0 || y >= s.in_height || x >= s.in_width) {
                  continue;
                }
                const int64_t a = At(s, n, oc / out_group * in_group + i, y, x,
                                     s.in_channels, s.in_height, s.in_width);
                const int64_t b = ((fy * s.filter_width + fx) * in_group + i) *
                                      s.out_channels +
                                  oc;
                const int64_t c = At(s, n, oc, oy, ox, s.out_channels,
                                     s.out_height, s.out_width);
                r_output[c] += double{in[a]} * double{filter[b]};
                r_input[a] += double{out[c]} * double{filter[b]};
                r_filter[b] += double{in[a]} * double{out[c]};
              }
  return r;
}

ConvolutionShape MakeShape(int64_t batch, int64_t in, int64_t size, int64_t out,
                           int64_t filter, int64_t stride, int64_t dilation,
                           int64_t before, int64_t after, int64_t groups,
                           bool channels_first) {
  ConvolutionShape s;
  s.channels_first = channels_first;
  s.batch = batch;
  s.in_channels = in;
  s.in_height = size;
  s.in_width = size + 1;
  s.out_channels = out;
  s.groups = groups;
  s.filter_height = filter;
  s.filter_width = filter;
  s.stride_height = s.stride_width = stride;
  s.dilation_height = s.dilation_width = dilation;
  s.pad_top = s.pad_left = before;
  s.pad_bottom = s.pad_right = after;
  const int64_t span = (filter - 1) * dilation + 1;
  s.out_height = (s.in_height + before + after - span) / stride + 1;
  s.out_width = (s.in_width + before + after - span) / stride + 1;
  return s;
}

std::vector<ConvolutionShape> Shapes() {
  std::vector<ConvolutionShape> shapes;
  for (bool nchw : {false, true}) {
    shapes.push_back(MakeShape(1, 1, 5, 1, 3, 1, 1, 0, 0, 1, nchw));
    shapes.push_back(MakeShape(5, 1, 28, 32, 3, 1, 1, 0, 0, 1, nchw));
    shapes.push_back(MakeShape(3, 32, 13, 64, 3, 1, 1, 1, 1, 1, nchw));
    shapes.push_back(MakeShape(2, 3, 17, 16, 7, 2, 1, 2, 3, 1, nchw));
    shapes.push_back(MakeShape(1, 16, 56, 24, 3, 1, 1, 1, 1, 1, nchw));
    shapes.push_back(MakeShape(1, 16, 57, 24, 5, 3, 1, 2, 2, 1, nchw));
    shapes.push_back(MakeShape(2, 8, 15, 12, 3, 1, 2, 2, 2, 1, nchw));
    shapes.push_back(MakeShape(4, 8, 9, 12, 3, 1, 1, 1, 1, 4, nchw));
    shapes.push_back(MakeShape(7, 24, 8, 16, 1, 2, 1, 0, 0, 1, nchw));
  }
  return shapes;
}

TEST(DenseTest, ConvolutionsAgreeWithADoubleReference) {
  const auto alone = NewThreadPool("dense", 1);
  const auto together = NewThreadPool("dense", 3);
  const Convolution convolution;
  int index = 0;
  for (const ConvolutionShape& s : Shapes()) {
    SCOPED_TRACE(index++);
    const auto in =
        RandomValues(s.batch * s.in_channels * s.in_height * s.in_width, 1);
    const auto filter =
        RandomValues(s.filter_height * s.filter_width * s.in_channels /
                         s.groups * s.out_channels,
                     2);
    const auto out =
        RandomValues(s.batch * s.out_channels * s.out_height * s.out_width, 3);
    const Reference want = Convolve(s, in, filter, out);
    for (WorkQueue* queue : {alone.get(), together.get()}) {
      std::vector<float> got_out(out.size(), 9), got_in(in.size(), 9),
          got_filter(filter.size(), 9);
      ASSERT_TRUE(convolution
                      .Forward(*queue, HostAllocator(), s, in.data(),
                               filter.data(), got_out.data())
                      .ok());
      ASSERT_TRUE(convolution
                      .BackwardInput(*queue, HostAllocator(), s, out.data(),
                                     filter.data(), got_in.data())
                      .ok());
      ASSERT_TRUE(convolution
                      .BackwardFilter(*queue, HostAllocator(), s, in.data(),
                                      out.data(), got_filter.data())
                      .ok());
      ExpectNear(got_out, want.output, 1e-3);
      ExpectNear(got_in, want.input, 1e-3);
      ExpectNear(got_filter, want.filter, 5e-3);
    }
  }
}

TEST(DenseTest, OneConvolutionServesConcurrentSteps) {
  auto queue = NewThreadPool("dense", 2);
  const Convolution convolution;
  const auto shapes = Shapes();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const ConvolutionShape& s = shapes[1 + t % 2];
      const std::vector<float> in(
          s.batch * s.in_channels * s.in_height * s.in_width, 1);
      const std::vector<float> filter(
          s.filter_height * s.filter_width * s.in_channels * s.out_channels, 1);
      std::vector<float> out(s.batch * s.out_channels * s.out_height *
                             s.out_width);
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(convolution
                        .Forward(*queue, HostAllocator(), s, in.data(),
                                 filter.data(), out.data())
                        .ok());
      }
      const int64_t centre =
          (s.out_height / 2 * s.out_width + s.out_width / 2) * s.out_channels;
      EXPECT_EQ(out[centre], 9 * static_cast<float>(s.in_channels));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

int ThreadsOfThisProcess() {
  namespace fs = std::filesystem;
  return static_cast<int>(std::distance(
      fs::directory_iterator("/proc/self/task"), fs::directory_iterator()));
}

// oneDNN must not start threads of its own, such as OpenMP teams.
TEST(DenseTest, NoKernelStartsAnOpenMPTeam) {
  KernelTestHarness harness(2);
  const int before = ThreadsOfThisProcess();
  auto filled = [](std::initializer_list<int64_t> dims) {
    return Tensor::Filled<float>(Shape(dims), 0.5f);
  };
  const std::vector<int64_t> ones = {1, 1, 1, 1};
  const AttrMap conv{{"strides", ones}, {"padding", std::string("SAME")}};
  auto run = [&](const char* op, const AttrMap& attrs,
                 std::vector<Tensor> inputs) {
    auto outputs = harness.Run(op, attrs, std::move(inputs));
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status();
  };
  run("MatMul", {}, {filled({256, 256}), filled({256, 256})});
  run("BatchMatMulV2", {}, {filled({4, 64, 64}), filled({4, 64, 64})});
  const Tensor image = filled({8, 14, 14, 32}), filter = filled({3, 3, 32, 32});
  run("Conv2D", conv, {image, filter});
  run("Conv2DBackpropInput", conv,
      {Tensor::Vector<int32_t>({8, 14, 14, 32}), filter, image});
  run("Conv2DBackpropFilter", conv,
      {image, Tensor::Vector<int32_t>({3, 3, 32, 32}), image});
  EXPECT_EQ(ThreadsOfThisProcess(), before);
}

}  // namespace
}  // namespace leat::dense_test
