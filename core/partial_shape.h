// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartialShape: what is known about a shape before it runs: nothing, the rank,
// or some extents. TensorFlow's TensorShapeProto. A value type.
#ifndef LEAT_CORE_PARTIAL_SHAPE_H_
#define LEAT_CORE_PARTIAL_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/shape.h"

namespace leat {

class PartialShape {
 public:
  static constexpr int64_t kUnknown = -1;

  // Nothing is known, not even the rank.
  PartialShape() = default;
  PartialShape(const Shape& shape);  // NOLINT: every Shape is one
  // For literals; kUnknown (-1) for an unknown extent. Not checked here: a
  // GraphBuilder refuses what Create would.
  PartialShape(std::initializer_list<int64_t> dims);

  // INVALID_ARGUMENT for an extent below -1, a rank above Shape::kMaxRank, or
  // a product of the known non-zero extents that does not fit int64_t.
  static absl::StatusOr<PartialShape> Create(absl::Span<const int64_t> dims);
  static PartialShape UnknownOfRank(int rank);

  bool rank_known() const { return rank_known_; }
  int rank() const { return static_cast<int>(dims_.size()); }  // 0 if unknown
  // kUnknown if it is. REQUIRES: rank_known, 0 <= i < rank().
  int64_t dim(int i) const { return dims_[i]; }
  bool dim_known(int i) const { return dims_[i] != kUnknown; }
  absl::Span<const int64_t> dims() const { return dims_; }

  bool IsFullyKnown() const;
  // INVALID_ARGUMENT unless fully known.
  absl::StatusOr<Shape> ToShape() const;

  // `shape` could be what this describes.
  bool IsCompatibleWith(const PartialShape& shape) const;

  std::string DebugString() const;  // "<unknown>", "[?,3]", "[]"

  friend bool operator==(const PartialShape&, const PartialShape&) = default;

 private:
  bool rank_known_ = false;
  Dims dims_;
};

// What both describe together; INVALID_ARGUMENT when they contradict.
absl::StatusOr<PartialShape> Merge(const PartialShape& a,
                                   const PartialShape& b);

// What is true of either (where control flow joins): never fails.
PartialShape Relax(const PartialShape& a, const PartialShape& b);

}  // namespace leat

#endif  // LEAT_CORE_PARTIAL_SHAPE_H_
