// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the pooling of GPUs with naive loops, bit for bit. The arrays have
// numbers of channels and addresses that allow, or forbid, reading several
// channels at once.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "leat/kernels/cuda/device/form.h"
#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/pooling.h"
#include "leat/kernels/cuda/device/vectors.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/tests/testing/gpu/queued_gpu.h"

namespace leat::gpu_pooling_test {
namespace {

using kernels::functors::WindowAxis;

// Is an array that begins at a multiple of 16 bytes, or `offset` elements
// behind one. Its elements are not initialized.
template <class T>
class Array {
 public:
  Array(int64_t n, int64_t offset)
      : chunks_(static_cast<size_t>(n + offset) * sizeof(T) / sizeof(Chunk) +
                1),
        data_(reinterpret_cast<T*>(chunks_.data()) + offset),
        n_(n) {
    std::memset(chunks_.data(), 0xA5, chunks_.size() * sizeof(Chunk));
  }

  T* data() { return data_; }
  std::vector<T> values() const { return std::vector<T>(data_, data_ + n_); }

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  std::vector<Chunk> chunks_;
  T* data_;
  int64_t n_;
};

// Fills an array with powers of two, zeros, ties, and a few numbers that are
// not finite. The product of a power of two with any number is exact. So a sum
// of products is the same whether or not the compiler fuses its operations.
template <class T>
void Fill(Array<T>& array, uint32_t seed) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNumbers[] = {-4, -2, -1, -0.5, 0, 0.5, 1, 2, 4};
  const auto n = static_cast<int64_t>(array.values().size());
  for (int64_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const uint32_t number = (seed >> 16) % 300;
    array.data()[i] = static_cast<T>(number == 0   ? kNan
                                     : number == 1 ? kInfinity
                                     : number == 2 ? -kInfinity
                                                   : kNumbers[number % 9]);
  }
}

// Calls body(input, output) for each element of each window, with the offsets
// of the element and of the window.
template <class Body>
void ForElements(const cuda::Pooling& p, Body body) {
  const WindowAxis &r = p.rows, &c = p.columns;
  const auto is_inside = [](const WindowAxis& axis, int64_t pixel) {
    return pixel >= 0 && pixel < axis.extent;
  };
  int64_t output = 0;
  for (int64_t image = 0; image < p.images; ++image) {
    for (int64_t row = 0; row < r.positions; ++row) {
      for (int64_t column = 0; column < c.positions; ++column) {
        for (int64_t k = 0; k < p.channels; ++k, ++output) {
          for (int64_t i = 0; i < r.size * c.size; ++i) {
            const int64_t y = row * r.stride - r.before + i / c.size;
            const int64_t x = column * c.stride - c.before + i % c.size;
            if (!is_inside(r, y) || !is_inside(c, x)) continue;
            body(((image * r.extent + y) * c.extent + x) * p.channels + k,
                 output);
          }
        }
      }
    }
  }
}

// Holds the results of pooling and of its gradients.
template <class W>
struct Results {
  std::vector<W> maxima, averages, max_grad, relu_grad, avg_grad;
};

template <class T, class W = kernels::Wide<T>>
Results<W> Expected(const cuda::Pooling& p, const std::vector<T>& x,
                    const std::vector<T>& gradients, W lowest) {
  const auto n = static_cast<size_t>(p.num_outputs());
  Results<W> results = {std::vector<W>(n, lowest), std::vector<W>(n),
                        std::vector<W>(x.size()), std::vector<W>(x.size()),
                        std::vector<W>(x.size())};
  std::vector<int64_t> places(n, -1), counts(n);
  ForElements(p, [&](int64_t in, int64_t out) {
    const W value = static_cast<W>(x[in]);
    if (value > results.maxima[out]) results.maxima[out] = value;
    if (places[out] < 0 || value > static_cast<W>(x[places[out]])) {
      places[out] = in;
    }
    results.averages[out] += value;
    ++counts[out];
  });
  ForElements(p, [&](int64_t in, int64_t out) {
    const W gradient = static_cast<W>(gradients[out]);
    const W factor = static_cast<W>(x[in]) > W(0) ? W(1) : W(0);
    results.avg_grad[in] += gradient * (W(1) / static_cast<W>(counts[out]));
    if (places[out] != in) return;
    results.max_grad[in] += gradient;
    results.relu_grad[in] += gradient * factor;
  });
  for (size_t i = 0; i < n; ++i) results.averages[i] /= W(counts[i]);
  return results;
}

template <class T>
class GpuPoolingTest : public ::testing::Test {
 protected:
  using W = kernels::Wide<T>;

  void SetUp() override {
    if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  }

  // Checks all functions. One array, if `odd` is its number, begins one element
  // behind a multiple of 16 bytes.
  void Check(const cuda::Pooling& p, int odd) {
    const auto array = [&](int number, int64_t n) {
      return Array<T>(n, number == odd ? 1 : 0);
    };
    const int64_t inputs = p.num_inputs(), outputs = p.num_outputs();
    Array<T> x = array(0, inputs), dy = array(1, outputs);
    Array<T> y = array(2, outputs), dx = array(2, inputs);
    Array<int32_t> places(outputs, odd == 3 ? 1 : 0);
    Fill(x, 1);
    Fill(dy, 2);
    const Results<W> expected =
        Expected<T>(p, x.values(), dy.values(), Lowest());
    ASSERT_TRUE(LaunchMaxPool(gpu_.handle(), kType, p, x.data(), y.data()));
    ExpectEqual(y, expected.maxima, "maximum");
    ASSERT_TRUE(LaunchAvgPool(gpu_.handle(), kType, p, x.data(), y.data()));
    ExpectEqual(y, expected.averages, "average");
    ASSERT_TRUE(LaunchMaxPoolGrad(gpu_.handle(), kType, p, false, x.data(),
                                  dy.data(), places.data(), dx.data()));
    ExpectEqual(dx, expected.max_grad, "gradient of the maximum");
    ASSERT_TRUE(LaunchMaxPoolGrad(gpu_.handle(), kType, p, true, x.data(),
                                  dy.data(), places.data(), dx.data()));
    ExpectEqual(dx, expected.relu_grad, "gradient of Relu and the maximum");
    ASSERT_TRUE(
        LaunchAvgPoolGrad(gpu_.handle(), kType, p, dy.data(), dx.data()));
    ExpectEqual(dx, expected.avg_grad, "gradient of the average");
  }

 private:
  static constexpr cuda::ElementType kType = cuda::kElementTypeOf<T>;

  // 16-bit floats have no std::numeric_limits.
  static W Lowest() {
    if (std::is_same_v<T, cuda::Half>) return W(-65504);
    if (std::is_same_v<T, cuda::Bfloat16>) return W(-0x1.fep127);
    return std::numeric_limits<W>::lowest();
  }

  // Runs the queued work and compares its result, after rounding to T.
  void ExpectEqual(const Array<T>& actual, const std::vector<W>& expected,
                   const char* what) {
    ASSERT_TRUE(gpu_.RunAll().ok());
    const std::vector<T> values = actual.values();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const W a = static_cast<W>(values[i]);
      const W b = static_cast<W>(static_cast<T>(expected[i]));
      ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
          << what << ", element " << i << ": " << a << " and not " << b;
    }
  }

  testing::QueuedGpu gpu_{/*num_threads=*/2};
};

using Elements = ::testing::Types<cuda::Half, cuda::Bfloat16, float, double>;
TYPED_TEST_SUITE(GpuPoolingTest, Elements);

// In the last two cases, some windows lie wholly in the padding before or
// behind the image.
constexpr std::array<WindowAxis, 7> kAxes = {{{8, 4, 2, 2, 0},
                                              {9, 5, 3, 2, 1},
                                              {7, 7, 5, 1, 2},
                                              {7, 2, 2, 4, 0},
                                              {5, 1, 9, 9, 2},
                                              {6, 5, 2, 2, 3},
                                              {6, 5, 2, 2, 0}}};

TYPED_TEST(GpuPoolingTest, PacksOfChannelsEqualSingleChannels) {
  constexpr int64_t kPack = cuda::kPack<TypeParam>;
  for (const int64_t channels : {kPack, 3 * kPack, kPack - 1, kPack + 1}) {
    for (size_t k = 0; k < kAxes.size(); ++k) {
      const cuda::Pooling p = {2, channels, kAxes[k],
                               kAxes[(k + 1) % kAxes.size()]};
      SCOPED_TRACE(::testing::Message() << channels << " channels, case " << k);
      this->Check(p, /*odd=*/-1);
    }
  }
}

TYPED_TEST(GpuPoolingTest, ArraysNeedNotBeAligned) {
  const cuda::Pooling p = {2, 2 * cuda::kPack<TypeParam>, kAxes[1], kAxes[0]};
  for (int odd = 0; odd < 4; ++odd) {
    SCOPED_TRACE(::testing::Message() << "array " << odd);
    this->Check(p, odd);
  }
}

TYPED_TEST(GpuPoolingTest, ImagesAndWindowsMayBeEmpty) {
  constexpr int64_t kPack = cuda::kPack<TypeParam>;
  const WindowAxis none = {3, 0, 5, 1, 0};
  for (const cuda::Pooling& p : {cuda::Pooling{0, kPack, kAxes[0], kAxes[0]},
                                 {2, 0, kAxes[0], kAxes[0]},
                                 {2, kPack, none, kAxes[0]},
                                 {2, kPack, kAxes[0], none}}) {
    this->Check(p, /*odd=*/-1);
  }
}

}  // namespace
}  // namespace leat::gpu_pooling_test
