// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Shape is the shape of a tensor: its extents (the sizes of its dimensions),
// all known.
//
//   const Shape shape = {2, 3};
//   shape.num_elements();  // 6
//   LEAT_ASSIGN_OR_RETURN(const Shape read, Shape::Create(dims_from_file));
//
// Extents that a graph, feed, file or peer supplied may overflow when they are
// multiplied. So every function that makes a Shape from such numbers returns a
// Status.
#ifndef LEAT_CORE_SHAPE_H_
#define LEAT_CORE_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace leat {

// Is a list of extents. Up to rank 4 it needs no allocation.
using Dims = absl::InlinedVector<int64_t, 4>;

// Is a plain value, and thread-compatible. No extent is negative, and the
// product of any subset of the extents fits int64_t.
class Shape {
 public:
  static constexpr int kMaxRank = 254;  // TensorFlow's limit

  // Makes the shape of a scalar, with rank 0 and one element.
  Shape() = default;

  // Makes a shape from literals in our own code.
  // REQUIRES: Create would accept `dims`.
  Shape(std::initializer_list<int64_t> dims);

  // Makes a shape from any numbers. Returns INVALID_ARGUMENT if an extent is
  // negative, if the rank is above kMaxRank, or if the product of the extents
  // other than 0 does not fit int64_t.
  static absl::StatusOr<Shape> Create(absl::Span<const int64_t> dims);

  int rank() const { return static_cast<int>(dims_.size()); }
  // Returns extent `i`. REQUIRES: 0 <= i < rank().
  int64_t dim(int i) const { return dims_[i]; }
  absl::Span<const int64_t> dims() const { return dims_; }
  int64_t num_elements() const { return num_elements_; }
  bool IsScalar() const { return dims_.empty(); }
  bool IsVector() const { return dims_.size() == 1; }
  bool IsMatrix() const { return dims_.size() == 2; }

  // Returns the row-major strides in elements. The last stride is 1.
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

// Returns the product of two sizes. Returns INVALID_ARGUMENT if the product
// overflows or a size is negative.
absl::StatusOr<int64_t> CheckedMultiply(int64_t a, int64_t b);

// Returns the sum of two sizes. Returns INVALID_ARGUMENT if the sum overflows
// or a size is negative.
absl::StatusOr<int64_t> CheckedAdd(int64_t a, int64_t b);

// Returns the shape to which `a` and `b` broadcast by NumPy's rule: extents are
// aligned from the right, and an extent of 1 stretches. If they do not
// broadcast, returns INVALID_ARGUMENT with TensorFlow's text, "Incompatible
// shapes: [2] vs. [3]". Also returns INVALID_ARGUMENT if the result is not a
// valid shape.
absl::StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b);

// Returns `axis`, or `axis` + `rank` if `axis` is negative. Returns
// INVALID_ARGUMENT if `axis` is not in [-rank, rank).
absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank);

// Returns `shape` with extent `i` replaced. Fails as Create does.
// REQUIRES: 0 <= i < shape.rank().
absl::StatusOr<Shape> WithDim(const Shape& shape, int i, int64_t extent);

}  // namespace leat

#endif  // LEAT_CORE_SHAPE_H_
