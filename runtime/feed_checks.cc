// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/feed_checks.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Writes dimensions as Python does: "(None, 784)", "(5,)".
std::string Tuple(absl::Span<const int64_t> dims) {
  const std::string extents =
      absl::StrJoin(dims, ", ", [](std::string* out, int64_t dim) {
        absl::StrAppend(
            out, dim == PartialShape::kUnknown ? "None" : absl::StrCat(dim));
      });
  return absl::StrCat("(", extents, dims.size() == 1 ? ",)" : ")");
}

absl::Status ShapeError(absl::string_view name, const Shape& shape,
                        const PartialShape& declared) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Cannot feed value of shape ", Tuple(shape.dims()), " for Tensor ", name,
      absl::StrContains(name, ':') ? "" : ":0", ", which has shape ",
      Tuple(declared.dims())));
}

}  // namespace

absl::Status CheckFeed(const FeedSpec& spec, size_t i, const Tensor& feed) {
  if (feed.dtype() != spec.types[i]) {
    return absl::InvalidArgumentError(
        absl::StrCat("feed '", spec.names[i], "' is ", Name(feed.dtype()),
                     " but the tensor is ", Name(spec.types[i])));
  }
  if (!spec.shapes[i].IsCompatibleWith(feed.shape())) {
    return ShapeError(spec.names[i], feed.shape(), spec.shapes[i]);
  }
  return absl::OkStatus();
}

absl::Status CheckFeeds(const FeedSpec& spec, absl::Span<const Tensor> feeds) {
  if (feeds.size() != spec.types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the step takes ", spec.types.size(),
                     " feeds but was given ", feeds.size()));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    LEAT_RETURN_IF_ERROR(CheckFeed(spec, i, feeds[i]));
  }
  return absl::OkStatus();
}

}  // namespace leat
