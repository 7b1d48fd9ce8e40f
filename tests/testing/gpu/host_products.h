// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ComputeProducts computes on the host what a MatrixMultiplication computes on
// a GPU. HostMultiplication is a MatrixMultiplication whose products run in a
// HostStream.
#ifndef LEAT_TESTS_TESTING_GPU_HOST_PRODUCTS_H_
#define LEAT_TESTS_TESTING_GPU_HOST_PRODUCTS_H_

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "leat/core/devices/matrix_multiplication.h"
#include "leat/core/float16.h"
#include "leat/kernels/cuda/device/host_stream.h"

namespace leat::testing {

// Computes products with simple loops. A wrong order, leading dimension, stride
// or transposition gives wrong values.
template <class T>
class ProductLoops {
 public:
  ProductLoops(const ProductForm& form, const ProductOperands& operands)
      : form_(form), operands_(operands) {}

  void Run() const {
    std::vector<Sum> sums(static_cast<size_t>(form_.m));
    for (int64_t p = 0; p < form_.num_products; ++p) {
      for (int64_t j = 0; j < form_.n; ++j) {
        std::fill(sums.begin(), sums.end(), Sum(0));
        for (int64_t k = 0; k < form_.k; ++k) AddOuter(p, k, j, sums.data());
        T* const to = static_cast<T*>(operands_.d) + p * form_.d.stride +
                      j * form_.d.leading;
        for (int64_t i = 0; i < form_.m; ++i) {
          to[i] = static_cast<T>(Finish(sums[static_cast<size_t>(i)], i));
        }
      }
    }
  }

 private:
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

  // Adds column k of op(a) times element [k, j] of op(b).
  void AddOuter(int64_t p, int64_t k, int64_t j, Sum* sums) const {
    const T* a = At(operands_.a, form_.a, p, 0, k);
    const int64_t step = form_.a.is_transposed ? form_.a.leading : 1;
    const Sum b = static_cast<Sum>(*At(operands_.b, form_.b, p, k, j));
    for (int64_t i = 0; i < form_.m; ++i) {
      sums[i] += static_cast<Sum>(*a) * b;
      a += step;
    }
  }

  // Returns the address of an element of op(matrix).
  static const T* At(const void* matrix, const MatrixLayout& layout,
                     int64_t product, int64_t row, int64_t column) {
    if (layout.is_transposed) std::swap(row, column);
    return static_cast<const T*>(matrix) + product * layout.stride + row +
           column * layout.leading;
  }

  Sum Finish(Sum x, int64_t row) const {
    if (form_.epilogue == ProductEpilogue::kNone) return x;
    x += static_cast<Sum>(static_cast<const T*>(operands_.bias)[row]);
    switch (form_.epilogue) {
      case ProductEpilogue::kBiasRelu:
        return x < 0 ? 0 : x;
      case ProductEpilogue::kBiasGelu:
        return Sum(0.5) * x *
               (1 + std::tanh(Sum(0.7978845608) *
                              (x + Sum(0.044715) * (x * x * x))));
      default:
        return x;
    }
  }

  const ProductForm form_;
  const ProductOperands operands_;
};

inline void ComputeProducts(const ProductForm& form,
                            const ProductOperands& operands) {
  switch (form.type) {
    case DType::kHalf:
      return ProductLoops<half>(form, operands).Run();
    case DType::kBfloat16:
      return ProductLoops<bfloat16>(form, operands).Run();
    case DType::kFloat:
      return ProductLoops<float>(form, operands).Run();
    default:
      return ProductLoops<double>(form, operands).Run();
  }
}

// A HostMultiplication is thread-safe. It borrows the stream.
class HostMultiplication final : public MatrixMultiplication {
 public:
  explicit HostMultiplication(cuda::HostStream& stream) : stream_(stream) {}

  absl::Status Multiply(const ProductForm& form,
                        const ProductOperands& operands) final {
    stream_.Add([form, operands] { ComputeProducts(form, operands); });
    return absl::OkStatus();
  }

 private:
  cuda::HostStream& stream_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_HOST_PRODUCTS_H_
