// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/tensor_slice.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr absl::string_view kFullText = "-";

absl::Status TooManyDimensions(int64_t rank) {
  return absl::InvalidArgumentError(
      absl::StrCat("a slice has ", rank, " dimensions, but may have at most ",
                   Shape::kMaxRank));
}

absl::StatusOr<TensorSlice::Extent> MakeExtent(int64_t start, int64_t length) {
  if (start < 0 || length <= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected non-negative start and positive length but got start = ",
        start, ", length = ", length));
  }
  return TensorSlice::Extent{start, length};
}

absl::StatusOr<TensorSlice::Extent> ParseExtent(absl::string_view text) {
  if (text == kFullText) return TensorSlice::Extent();
  const std::vector<absl::string_view> numbers = absl::StrSplit(text, ',');
  int64_t start = 0;
  int64_t length = 0;
  if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &start) ||
      !absl::SimpleAtoi(numbers[1], &length)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected a pair of numbers or '-' but got ", QuotedText(text)));
  }
  return MakeExtent(start, length);
}

}  // namespace

TensorSlice TensorSlice::Whole(int rank) {
  TensorSlice slice;
  slice.extents_.resize(static_cast<size_t>(rank));
  return slice;
}

absl::StatusOr<TensorSlice> TensorSlice::Parse(absl::string_view text) {
  TensorSlice slice;
  if (text.empty()) return slice;
  for (const absl::string_view part : absl::StrSplit(text, ':')) {
    const absl::StatusOr<Extent> extent = ParseExtent(part);
    if (!extent.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          extent.status().message(), ": string = ", QuotedText(text)));
    }
    slice.extents_.push_back(*extent);
    if (slice.rank() > Shape::kMaxRank) return TooManyDimensions(slice.rank());
  }
  return slice;
}

absl::StatusOr<TensorSlice> TensorSlice::FromProto(
    const pb::TensorSliceProto& proto) {
  if (proto.extent_size() > Shape::kMaxRank) {
    return TooManyDimensions(proto.extent_size());
  }
  TensorSlice slice;
  for (const auto& extent : proto.extent()) {
    if (extent.has_length_case() ==
        pb::TensorSliceProto::Extent::HAS_LENGTH_NOT_SET) {
      slice.extents_.emplace_back();
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(slice.extents_.emplace_back(),
                          MakeExtent(extent.start(), extent.length()));
  }
  return slice;
}

pb::TensorSliceProto TensorSlice::ToProto() const {
  pb::TensorSliceProto proto;
  for (const Extent& extent : extents_) {
    auto& added = *proto.add_extent();
    if (extent.is_full()) continue;
    added.set_start(extent.start);
    added.set_length(extent.length);
  }
  return proto;
}

std::string TensorSlice::ToString() const {
  return absl::StrJoin(
      extents_, ":", [](std::string* out, const Extent& extent) {
        if (extent.is_full()) {
          absl::StrAppend(out, kFullText);
        } else {
          absl::StrAppend(out, extent.start, ",", extent.length);
        }
      });
}

bool TensorSlice::IsWhole() const {
  return std::all_of(extents_.begin(), extents_.end(),
                     [](const Extent& extent) { return extent.is_full(); });
}

absl::StatusOr<Shape> TensorSlice::ShapeWithin(const Shape& full) const {
  if (rank() != full.rank()) {
    return absl::InternalError(
        absl::StrCat("Mismatching ranks: shape = ", full.DebugString(),
                     ", slice = ", ToString()));
  }
  Dims dims;
  for (int i = 0; i < rank(); ++i) {
    const Extent& part = extents_[static_cast<size_t>(i)];
    const int64_t size = full.dim(i);
    if (part.is_full()) {
      dims.push_back(size);
    } else if (part.start > size || part.length > size - part.start) {
      return absl::InternalError(
          absl::StrCat("Extent in dimension ", i, " out of bounds: shape = ",
                       full.DebugString(), ", slice = ", ToString()));
    } else {
      dims.push_back(part.length);
    }
  }
  return Shape::Create(dims);
}

absl::StatusOr<ShapeAndSlice> ParseShapeAndSlice(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  if (words.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Need least two elements in shape_and_slice specification: ",
        QuotedText(text)));
  }
  Dims dims;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (!absl::SimpleAtoi(words[i], &dims.emplace_back())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Non numerical dimension in shape_and_slice: ", QuotedText(text)));
    }
  }
  ShapeAndSlice result;
  LEAT_ASSIGN_OR_RETURN(result.full, Shape::Create(dims));
  LEAT_ASSIGN_OR_RETURN(result.slice, TensorSlice::Parse(words.back()));
  LEAT_ASSIGN_OR_RETURN(result.shape, result.slice.ShapeWithin(result.full));
  return result;
}

}  // namespace leat
