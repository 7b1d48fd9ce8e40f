// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/window.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

absl::Status CheckWindow(int64_t input, const Window& window) {
  const auto error = [](absl::string_view what, int64_t value) {
    return absl::InvalidArgumentError(absl::StrCat(what, ", but got ", value));
  };
  if (window.stride < 1) return error("Stride must be > 0", window.stride);
  if (window.dilation < 1) {
    return error("Dilation rate must be >= 1", window.dilation);
  }
  if (window.size < 1) return error("Window size must be > 0", window.size);
  if (input < 0) return error("Input size must be >= 0", input);
  if (window.padding != Padding::kExplicit) return absl::OkStatus();
  const int64_t least = std::min(window.before, window.after);
  if (least < 0) return error("Explicit padding must be >= 0", least);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Padding> ParsePadding(absl::string_view name) {
  if (name == "VALID") return Padding::kValid;
  if (name == "SAME") return Padding::kSame;
  if (name == "EXPLICIT") return Padding::kExplicit;
  return absl::InvalidArgumentError(
      absl::StrCat("Unknown padding type: '", name, "'"));
}

absl::StatusOr<WindowPositions> PlaceWindow(int64_t input,
                                            const Window& window) {
  LEAT_RETURN_IF_ERROR(CheckWindow(input, window));
  // `span` is the number of elements from the first tap to the last one, both
  // included.
  LEAT_ASSIGN_OR_RETURN(int64_t span,
                        CheckedMultiply(window.size - 1, window.dilation));
  LEAT_ASSIGN_OR_RETURN(span, CheckedAdd(span, 1));
  WindowPositions result;
  if (window.padding == Padding::kSame) {
    result.count = input / window.stride + (input % window.stride != 0);
    if (result.count == 0) return result;
    // The last position is below the input's extent, so this cannot overflow.
    const int64_t last = (result.count - 1) * window.stride;
    LEAT_ASSIGN_OR_RETURN(const int64_t end, CheckedAdd(last, span));
    const int64_t needed = std::max<int64_t>(0, end - input);
    result.before = needed / 2;
    result.after = needed - result.before;
    return result;
  }
  int64_t padded = input;
  if (window.padding == Padding::kExplicit) {
    result.before = window.before;
    result.after = window.after;
    LEAT_ASSIGN_OR_RETURN(padded, CheckedAdd(padded, window.before));
    LEAT_ASSIGN_OR_RETURN(padded, CheckedAdd(padded, window.after));
  }
  LEAT_ASSIGN_OR_RETURN(const int64_t limit, CheckedAdd(padded, window.stride));
  // The division rounds towards zero. So a window that is too large by less
  // than two strides has 0 positions, which is not an error.
  result.count = (limit - span) / window.stride;
  if (result.count < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Computed output size would be negative: ", result.count,
                     " [input_size: ", input, ", effective_filter_size: ", span,
                     ", stride: ", window.stride, "]"));
  }
  return result;
}

absl::StatusOr<ImageAxes> ParseImageAxes(absl::string_view data_format) {
  if (data_format == "NHWC") return ImageAxes{};
  if (data_format == "NCHW") {
    return ImageAxes{.batch = 0, .height = 2, .width = 3, .channel = 1};
  }
  if (data_format == "NDHWC") {
    return ImageAxes{
        .batch = 0, .height = 2, .width = 3, .channel = 4, .depth = 1};
  }
  if (data_format == "NCDHW") {
    return ImageAxes{
        .batch = 0, .height = 3, .width = 4, .channel = 1, .depth = 2};
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Invalid data format: '", data_format,
                   "'; expected NHWC, NCHW, NDHWC or NCDHW"));
}

}  // namespace leat
