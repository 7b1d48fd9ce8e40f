// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/partial_shape.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/check.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

std::string Text(absl::Span<const int64_t> dims) {
  return absl::StrCat("[",
                      absl::StrJoin(dims, ",",
                                    [](std::string* out, int64_t dim) {
                                      if (dim == PartialShape::kUnknown) {
                                        out->append("?");
                                      } else {
                                        absl::StrAppend(out, dim);
                                      }
                                    }),
                      "]");
}

absl::Status Check(absl::Span<const int64_t> dims) {
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape has rank ", dims.size(), ", above the limit of ",
                     Shape::kMaxRank));
  }
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (dim < PartialShape::kUnknown) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape ", Text(dims), " has the extent ", dim,
          ", but an extent is at least 0, or -1 if it is unknown"));
    }
    if (dim > 0 && __builtin_mul_overflow(product, dim, &product)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape ", Text(dims), " has more than 2^63 - 1 elements"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

PartialShape::PartialShape(const Shape& shape)
    : rank_known_(true), dims_(shape.dims().begin(), shape.dims().end()) {}

PartialShape::PartialShape(std::initializer_list<int64_t> dims)
    : rank_known_(true), dims_(dims) {}

absl::StatusOr<PartialShape> PartialShape::Create(
    absl::Span<const int64_t> dims) {
  LEAT_RETURN_IF_ERROR(Check(dims));
  PartialShape shape;
  shape.rank_known_ = true;
  shape.dims_.assign(dims.begin(), dims.end());
  return shape;
}

PartialShape PartialShape::UnknownOfRank(int rank) {
  LEAT_CHECK(rank >= 0 && rank <= Shape::kMaxRank);
  PartialShape shape;
  shape.rank_known_ = true;
  shape.dims_.assign(rank, kUnknown);
  return shape;
}

bool PartialShape::IsFullyKnown() const {
  if (!rank_known_) return false;
  for (const int64_t dim : dims_) {
    if (dim == kUnknown) return false;
  }
  return true;
}

absl::StatusOr<Shape> PartialShape::ToShape() const {
  if (!IsFullyKnown()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape ", DebugString(), " is not fully known"));
  }
  return Shape::Create(dims_);
}

bool PartialShape::IsCompatibleWith(const PartialShape& shape) const {
  if (!rank_known_ || !shape.rank_known_) return true;
  if (rank() != shape.rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    if (dim_known(i) && shape.dim_known(i) && dim(i) != shape.dim(i)) {
      return false;
    }
  }
  return true;
}

std::string PartialShape::DebugString() const {
  return rank_known_ ? Text(dims_) : "<unknown>";
}

absl::StatusOr<PartialShape> Merge(const PartialShape& a,
                                   const PartialShape& b) {
  if (!a.rank_known()) return b;
  if (!b.rank_known()) return a;
  if (!a.IsCompatibleWith(b)) {
    return absl::InvalidArgumentError(absl::StrCat("Shapes ", a.DebugString(),
                                                   " and ", b.DebugString(),
                                                   " are incompatible"));
  }
  Dims dims(a.dims().begin(), a.dims().end());
  for (int i = 0; i < b.rank(); ++i) {
    if (b.dim_known(i)) dims[i] = b.dim(i);
  }
  return PartialShape::Create(dims);
}

PartialShape Relax(const PartialShape& a, const PartialShape& b) {
  if (!a.rank_known() || !b.rank_known() || a.rank() != b.rank()) return {};
  Dims dims(a.dims().begin(), a.dims().end());
  for (int i = 0; i < a.rank(); ++i) {
    if (b.dim(i) != dims[i]) dims[i] = PartialShape::kUnknown;
  }
  // Create fails only if `a` was made from literals that Create would refuse.
  // Otherwise all known extents come from a valid shape.
  return PartialShape::Create(dims).value_or(PartialShape());
}

}  // namespace leat
