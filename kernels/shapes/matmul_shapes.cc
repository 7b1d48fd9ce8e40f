// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/matmul_shapes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {

namespace {

// Returns the shape of the product of the matrices in the last two dimensions
// of `a` and `b`. Returns INVALID_ARGUMENT if the matrices do not fit.
absl::StatusOr<MatMulShape> ProductShape(const Shape& a, const Shape& b,
                                         bool transpose_a, bool transpose_b) {
  MatMulShape s;
  s.transpose_a = transpose_a;
  s.transpose_b = transpose_b;
  const int a_row = a.rank() - 2, b_row = b.rank() - 2;
  s.m = a.dim(transpose_a ? a_row + 1 : a_row);
  s.k = a.dim(transpose_a ? a_row : a_row + 1);
  s.n = b.dim(transpose_b ? b_row : b_row + 1);
  const int64_t k = b.dim(transpose_b ? b_row + 1 : b_row);
  if (s.k != k) {
    return absl::InvalidArgumentError(
        absl::StrCat("Matrix size-incompatible: In[0]: ", a.DebugString(),
                     ", In[1]: ", b.DebugString()));
  }
  return s;
}

// Returns the batch dimensions of `shape`. Returns INVALID_ARGUMENT if their
// product overflows, which is possible if one of the last two extents of
// `shape` is 0.
absl::StatusOr<Shape> BatchOf(const Shape& shape) {
  return Shape::Create(shape.dims().subspan(0, shape.rank() - 2));
}

}  // namespace

absl::StatusOr<MatMulShape> MatrixProduct(const KernelContext& context,
                                          bool transpose_a, bool transpose_b) {
  const Shape& a = context.input(0).shape();
  const Shape& b = context.input(1).shape();
  for (int i = 0; i < 2; ++i) {
    if (context.input(i).rank() != 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "In[", i, "] and In[", 1 - i,
          "] has different ndims, or is not a matrix: ", a.DebugString(),
          " vs. ", b.DebugString()));
    }
  }
  return ProductShape(a, b, transpose_a, transpose_b);
}

absl::StatusOr<BatchProduct> BatchMatrixProduct(const KernelContext& context,
                                                bool adjoint_x,
                                                bool adjoint_y) {
  const Shape& x = context.input(0).shape();
  const Shape& y = context.input(1).shape();
  for (int i = 0; i < 2; ++i) {
    if (context.input(i).rank() < 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "In[", i, "] ndims must be >= 2: ", context.input(i).rank()));
    }
  }
  BatchProduct p;
  auto matrices = ProductShape(x, y, adjoint_x, adjoint_y);
  if (!matrices.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        matrices.status().message(), " ", int{adjoint_x}, " ", int{adjoint_y}));
  }
  p.matrices = *std::move(matrices);
  LEAT_ASSIGN_OR_RETURN(p.a_batch, BatchOf(x));
  LEAT_ASSIGN_OR_RETURN(p.b_batch, BatchOf(y));
  LEAT_ASSIGN_OR_RETURN(p.batch, BroadcastShapes(p.a_batch, p.b_batch));
  Dims dims(p.batch.dims().begin(), p.batch.dims().end());
  dims.push_back(p.matrices.m);
  dims.push_back(p.matrices.n);
  LEAT_ASSIGN_OR_RETURN(p.shape, Shape::Create(dims));
  return p;
}

absl::Status CheckEqualBatches(const KernelContext& context) {
  const Shape& x = context.input(0).shape();
  const Shape& y = context.input(1).shape();
  if (x.rank() != y.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("In[0] and In[1] has different ndims: ", x.DebugString(),
                     " vs. ", y.DebugString()));
  }
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("In[0] and In[1] ndims must be >= 2: ", x.rank()));
  }
  for (int i = 0; i + 2 < x.rank(); ++i) {
    if (x.dim(i) == y.dim(i)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "In[0].dim(", i, ") and In[1].dim(", i,
        ") must be the same: ", x.DebugString(), " vs ", y.DebugString()));
  }
  return absl::OkStatus();
}

}  // namespace leat::kernels
