// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MatrixMultiplication is a library that multiplies matrices on a GPU. It uses
// the conventions of BLAS: matrices lie in memory column by column.
//
//   // d[m,n] = a[m,k] * b[k,n]
//   const ProductForm form = {.type = DType::kFloat,
//                             .m = m, .n = n, .k = k,
//                             .a = {.leading = m},
//                             .b = {.leading = k},
//                             .d = {.leading = m}};
//   return library.Multiply(form, {.a = a, .b = b, .d = d});
#ifndef LEAT_CORE_DEVICES_MATRIX_MULTIPLICATION_H_
#define LEAT_CORE_DEVICES_MATRIX_MULTIPLICATION_H_

#include <compare>
#include <cstdint>

#include "absl/status/status.h"
#include "leat/core/dtype.h"

namespace leat {

// Says how a matrix lies in memory. The element in row i and column j is
// `i + j * leading` elements after the first one. A plain value.
struct MatrixLayout {
  int64_t leading = 0;  // at least the number of rows
  // The distance, in elements, from the matrix of one product to the matrix of
  // the next product. 0 means that all products use the same matrix.
  int64_t stride = 0;
  // If true, the product uses the transposed matrix. Must be false for results.
  bool is_transposed = false;

  friend auto operator<=>(const MatrixLayout&, const MatrixLayout&) = default;
};

// Says what happens to the elements of a product before they are stored.
enum class ProductEpilogue : uint8_t {
  kNone,
  kBias,      // x + bias[row]
  kBiasRelu,  // max(0, x + bias[row]); a NaN may become 0
  kBiasGelu,  // gelu(x + bias[row]), by the approximation with tanh
};

// The form of products d[m,n] = epilogue(op(a)[m,k] * op(b)[k,n]). A plain
// value.
struct ProductForm {
  // Is the type of all elements: half, bfloat16, float or double. Products of
  // 16-bit floats are added up in float.
  DType type = DType::kInvalid;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  MatrixLayout a = {};
  MatrixLayout b = {};
  MatrixLayout d = {};
  int64_t num_products = 1;
  ProductEpilogue epilogue = ProductEpilogue::kNone;

  friend auto operator<=>(const ProductForm&, const ProductForm&) = default;
};

// The addresses of the matrices of the first product, in memory of the GPU. `d`
// must overlap nothing else. A plain value.
struct ProductOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;
  const void* bias = nullptr;  // m elements, if the epilogue has a bias
};

// Thread-safe.
class MatrixMultiplication {
 public:
  virtual ~MatrixMultiplication() = default;

  // Queues products in the stream of the GPU. REQUIRES: m, n, k and
  // num_products are positive. Returns UNIMPLEMENTED, and queues nothing, if
  // the library cannot compute products of this form. Returns another error,
  // with the library's words, if a call fails.
  virtual absl::Status Multiply(const ProductForm& form,
                                const ProductOperands& operands) = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_MATRIX_MULTIPLICATION_H_
