// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Shape: the extents of a tensor, all known. Every way to make one from numbers
// that a graph, feed, file or peer supplied returns a Status, because element
// counts overflow. A value type; distinct objects may be used by any thread.
#ifndef LEAT_CORE_SHAPE_H_
#define LEAT_CORE_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace leat {

// Dimensions without an allocation up to rank 4.
using Dims = absl::InlinedVector<int64_t, 4>;

class Shape {
 public:
  static constexpr int kMaxRank = 254;  // TensorFlow's limit

  // A scalar: rank 0, one element.
  Shape() = default;

  // For literals in our own code. REQUIRES: what Create would accept.
  Shape(std::initializer_list<int64_t> dims);

  // INVALID_ARGUMENT for a negative extent, a rank above kMaxRank, or an
  // element count that does not fit int64_t.
  static absl::StatusOr<Shape> Create(absl::Span<const int64_t> dims);

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[i]; }
  absl::Span<const int64_t> dims() const { return dims_; }
  int64_t num_elements() const { return num_elements_; }
  bool IsScalar() const { return dims_.empty(); }
  bool IsVector() const { return dims_.size() == 1; }
  bool IsMatrix() const { return dims_.size() == 2; }

  // Row-major strides in elements: the last is 1.
  Dims Strides() const;

  std::string DebugString() const;  // "[2,3]", "[]" for a scalar

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.dims_ == b.dims_;
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  Dims dims_;
  int64_t num_elements_ = 1;
};

// Product of two sizes; INVALID_ARGUMENT if it overflows or one is negative.
absl::StatusOr<int64_t> CheckedMultiply(int64_t a, int64_t b);

// Sum of two sizes; INVALID_ARGUMENT if it overflows or one is negative.
absl::StatusOr<int64_t> CheckedAdd(int64_t a, int64_t b);

// NumPy's rule: extents aligned from the right, 1 stretches. INVALID_ARGUMENT
// "Incompatible shapes: [2] vs. [3]" (TensorFlow's text) or on overflow.
absl::StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// An axis in [-rank, rank) made non-negative; INVALID_ARGUMENT otherwise.
absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank);

// A copy of `shape` with one extent replaced; fails as Create does.
absl::StatusOr<Shape> WithDim(const Shape& shape, int i, int64_t extent);

}  // namespace leat

#endif  // LEAT_CORE_SHAPE_H_
