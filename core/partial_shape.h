// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartialShape is what is known about the shape of a tensor before the tensor
// is computed. It may be nothing, only the rank, or the rank and some or all of
// the extents (sizes of dimensions). It corresponds to TensorFlow's
// TensorShapeProto.
//
//   const PartialShape images = {PartialShape::kUnknown, 28, 28};
//   images.IsCompatibleWith(Shape{32, 28, 28});  // true
//   images.DebugString();                        // "[?,28,28]"
#ifndef LEAT_CORE_PARTIAL_SHAPE_H_
#define LEAT_CORE_PARTIAL_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/shape.h"

namespace leat {

// Is a plain value, and thread-compatible.
class PartialShape {
 public:
  // Stands for an extent that is not known.
  static constexpr int64_t kUnknown = -1;

  // Makes a shape of which nothing is known, not even the rank.
  PartialShape() = default;
  PartialShape(const Shape& shape);  // NOLINT: every Shape is a PartialShape
  // Makes a shape from literals, with kUnknown (-1) for an unknown extent. The
  // extents are not checked here. GraphBuilder refuses the shapes that Create
  // would refuse.
  PartialShape(std::initializer_list<int64_t> dims);

  // Makes a shape of known rank. Returns INVALID_ARGUMENT if an extent is below
  // -1, if the rank is above Shape::kMaxRank, or if the product of the known
  // extents other than 0 does not fit int64_t.
  static absl::StatusOr<PartialShape> Create(absl::Span<const int64_t> dims);
  // Makes a shape of which only the rank is known.
  // REQUIRES: 0 <= rank <= Shape::kMaxRank.
  static PartialShape UnknownOfRank(int rank);

  bool rank_known() const { return rank_known_; }
  int rank() const { return static_cast<int>(dims_.size()); }  // 0 if unknown
  // Returns extent `i`, or kUnknown. REQUIRES: rank_known(), 0 <= i < rank().
  int64_t dim(int i) const { return dims_[i]; }
  bool dim_known(int i) const { return dims_[i] != kUnknown; }
  absl::Span<const int64_t> dims() const { return dims_; }

  // Returns true if the rank and every extent are known.
  bool IsFullyKnown() const;
  // Returns this as a Shape. Returns INVALID_ARGUMENT if the rank or an extent
  // is unknown.
  absl::StatusOr<Shape> ToShape() const;

  // Returns true if there is a shape that fits both this and `shape`. Unknown
  // ranks and extents fit everything.
  bool IsCompatibleWith(const PartialShape& shape) const;

  std::string DebugString() const;  // "<unknown>", "[?,3]", "[]"

  friend bool operator==(const PartialShape&, const PartialShape&) = default;

 private:
  bool rank_known_ = false;
  Dims dims_;
};

// Combines what `a` and `b` say about the same shape. Returns INVALID_ARGUMENT
// if `a` and `b` contradict each other.
absl::StatusOr<PartialShape> Merge(const PartialShape& a,
                                   const PartialShape& b);

// Returns the rank and the extents that are equal in `a` and `b`. All other
// extents of the result are unknown. For example, `a` and `b` are the shapes of
// a tensor in two branches, and only one branch is taken. Then the result is
// what is known about the tensor. Never fails.
PartialShape Relax(const PartialShape& a, const PartialShape& b);

}  // namespace leat

#endif  // LEAT_CORE_PARTIAL_SHAPE_H_
