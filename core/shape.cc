// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/shape.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

std::string Bracketed(absl::Span<const int64_t> dims) {
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]");
}

// Checks the extents and returns the number of elements. The check for overflow
// leaves extents of 0 out of the product. So the strides, and the products of
// all subsets of the extents, fit int64_t, too.
absl::StatusOr<int64_t> CountElements(absl::Span<const int64_t> dims) {
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape has rank ", dims.size(), ", above the limit of ",
                     Shape::kMaxRank));
  }
  int64_t product = 1;
  bool is_empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape ", Bracketed(dims), " has the negative extent ", dim));
    }
    if (dim == 0) {
      is_empty = true;
    } else if (__builtin_mul_overflow(product, dim, &product)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape ", Bracketed(dims), " has more than 2^63 - 1 elements"));
    }
  }
  return is_empty ? 0 : product;
}

}  // namespace

Shape::Shape(std::initializer_list<int64_t> dims) : dims_(dims) {
  const absl::StatusOr<int64_t> count = CountElements(dims_);
  LEAT_CHECK(count.ok());
  num_elements_ = *count;
}

absl::StatusOr<Shape> Shape::Create(absl::Span<const int64_t> dims) {
  LEAT_ASSIGN_OR_RETURN(const int64_t count, CountElements(dims));
  Shape shape;
  shape.dims_.assign(dims.begin(), dims.end());
  shape.num_elements_ = count;
  return shape;
}

Dims Shape::Strides() const {
  Dims strides(dims_.size());
  int64_t stride = 1;
  for (int i = rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= dims_[i];
  }
  return strides;
}

std::string Shape::DebugString() const { return Bracketed(dims_); }

absl::StatusOr<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t result;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &result)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The product of ", a, " and ", b, " is not a size below 2^63"));
  }
  return result;
}

absl::StatusOr<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &result)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The sum of ", a, " and ", b, " is not a size below 2^63"));
  }
  return result;
}

absl::StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Dims dims(rank);
  for (int i = 1; i <= rank; ++i) {
    const int64_t x = i <= a.rank() ? a.dim(a.rank() - i) : 1;
    const int64_t y = i <= b.rank() ? b.dim(b.rank() - i) : 1;
    if (x != y && x != 1 && y != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Incompatible shapes: ", a.DebugString(), " vs. ", b.DebugString()));
    }
    dims[rank - i] = x == 1 ? y : x;
  }
  return Shape::Create(dims);
}

absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank) {
  if (axis < -int64_t{rank} || axis >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected axis in the range [", -rank, ", ", rank,
                     "), but got ", axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

absl::StatusOr<Shape> WithDim(const Shape& shape, int i, int64_t extent) {
  LEAT_CHECK(i >= 0 && i < shape.rank());
  Dims dims(shape.dims().begin(), shape.dims().end());
  dims[i] = extent;
  return Shape::Create(dims);
}

}  // namespace leat
