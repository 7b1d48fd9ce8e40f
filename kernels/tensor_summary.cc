// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/tensor_summary.h"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>

#include "absl/functional/function_ref.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/variant.h"

namespace leat::kernels {
namespace {

// Is the limit, in bytes, of the text of one tensor, of the text of all tensors
// together, and of one string before it is escaped. A text can exceed the limit
// by its last part, because the length is checked before a part is added.
constexpr size_t kMaxBytes = 1 << 20;

// Prints `value` with few digits. If reading these digits back gives another
// number, prints it with more digits instead.
std::string Print(float value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  if (value == value && std::strtof(text, nullptr) != value) {
    std::snprintf(text, sizeof(text), "%.9g", value);
  }
  return text;
}

std::string Print(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.15g", value);
  if (value == value && std::strtod(text, nullptr) != value) {
    std::snprintf(text, sizeof(text), "%.17g", value);
  }
  return text;
}

std::string Print(half value) { return Print(static_cast<float>(value)); }
std::string Print(bfloat16 value) { return Print(static_cast<float>(value)); }
std::string Print(bool value) { return value ? "1" : "0"; }
template <class T>
std::string Print(std::complex<T> value) {
  return absl::StrCat("(", Print(value.real()), ",", Print(value.imag()), ")");
}
std::string Print(const std::string& value) {
  std::string text =
      absl::Utf8SafeCEscape(absl::string_view(value).substr(0, kMaxBytes));
  if (value.size() > kMaxBytes) text += "...";
  return text;
}
template <class T>
std::string Print(T value) {
  return absl::StrCat(static_cast<int64_t>(value));
}
std::string Print(uint64_t value) { return absl::StrCat(value); }

// Returns how many brackets open before element `index`. As many brackets close
// there, except at element 0. For each level of brackets, `blocks` has the
// number of elements in one pair of brackets.
int Boundaries(const Dims& blocks, int64_t index) {
  int count = 0;
  for (const int64_t block : blocks) count += index % block == 0 ? 1 : 0;
  return count;
}

// Prints the first `limit` elements of `tensor`, each by `print(index)`, with
// brackets around the dimensions.
std::string Summarize(const Tensor& tensor, int64_t limit,
                      absl::FunctionRef<std::string(int64_t)> print) {
  // Holds the number of elements in one pair of brackets, for every dimension
  // that has them.
  Dims blocks;
  int64_t block = 1;
  for (int i = tensor.rank() - 1; i > 0; --i) {
    block *= tensor.dim(i);
    blocks.push_back(block);
  }
  std::string result;
  for (int64_t i = 0; i < limit; ++i) {
    if (result.size() > kMaxBytes) return result + "...";
    const int opening = Boundaries(blocks, i);
    if (opening > 0) {
      if (i > 0) result.append(opening, ']');
      result.append(opening, '[');
    } else if (i > 0) {
      result += ' ';
    }
    result += print(i);
  }
  const bool cut = limit < tensor.num_elements();
  if (cut && limit > 0 && !blocks.empty() && limit % blocks[0] != 0) {
    result += "...";
  }
  if (limit > 0) {
    // Closes every bracket that is still open, even if values are left out.
    result.append(blocks.size(), ']');
  }
  if (cut) result += "...";
  return result;
}

std::string SummarizeValues(const Tensor& tensor, int64_t max_values) {
  const int64_t count = tensor.num_elements();
  const int64_t limit = max_values < 0 ? count : std::min(max_values, count);
  // For bool tensors only, TensorFlow leaves out the "..." if no values are
  // shown.
  if (tensor.dtype() == DType::kBool && limit == 0) return "";
  std::string result;
  const bool known =
      VisitDType(kPlain + kStringOnly, tensor.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const auto values = tensor.data<T>();
        result = Summarize(tensor, limit,
                           [&](int64_t i) { return Print(values[i]); });
      });
  if (!known) {
    result = Summarize(tensor, limit, [&](int64_t) -> std::string {
      return absl::StrCat("<", Name(tensor.dtype()), ">");
    });
  }
  return result;
}

// Appends what stands between two elements of an axis: a blank between numbers,
// and otherwise as many ends of lines as axes follow, and an indentation.
void AppendGap(int axis, int rank, std::string& text) {
  const int following = rank - axis - 1;
  text.append(static_cast<size_t>(following), '\n');
  text.append(static_cast<size_t>(following > 0 ? axis + 1 : 1), ' ');
}

// Appends the elements along `axis` and all axes after it. `first` is the
// position of their first element.
void AppendAxis(const Tensor& tensor, int axis, int64_t first,
                int64_t max_values,
                absl::FunctionRef<std::string(int64_t)> print,
                std::string& text) {
  if (axis == tensor.rank()) {
    text += print(first);
    return;
  }
  const int64_t extent = tensor.dim(axis);
  int64_t stride = 1;
  for (int i = axis + 1; i < tensor.rank(); ++i) stride *= tensor.dim(i);
  const bool cut = extent / 2 >= max_values && extent > 2 * max_values;
  text += '[';
  for (int64_t i = 0; i < extent; ++i) {
    if (cut && i == max_values) {
      AppendGap(axis, tensor.rank(), text);
      text += "...";
      i = extent - max_values;
      if (i == extent) break;
    }
    if (i > 0) AppendGap(axis, tensor.rank(), text);
    AppendAxis(tensor, axis + 1, first + i * stride, max_values, print, text);
  }
  text += ']';
}

// Returns how many elements at each end of an axis are shown.
int64_t NumAtEnds(const Tensor& tensor, int64_t max_values) {
  const int64_t count = tensor.num_elements();
  return max_values < 0 ? count : std::min(max_values, count);
}

}  // namespace

std::string FormatTensor(const Tensor& tensor, int64_t max_values) {
  const int64_t at_ends = NumAtEnds(tensor, max_values);
  if (at_ends == 0 && tensor.dtype() == DType::kBool) return "";
  if (at_ends == 0 && tensor.rank() == 0) return "...";
  std::string text;
  VisitDType(kPlain + kStringOnly, tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto values = tensor.data<T>();
    AppendAxis(
        tensor, 0, 0, at_ends,
        [&](int64_t i) -> std::string {
          if constexpr (kStringOnly.Contains(kDTypeOf<T>)) {
            return absl::StrCat("\"", absl::Utf8SafeCEscape(values[i]), "\"");
          } else if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
            return "?";  // as in TensorFlow
          } else {
            return Print(values[i]);
          }
        },
        text);
  });
  return text;
}

int64_t MostFormattedBytes(const Tensor& tensor, int64_t max_values) {
  const int64_t at_ends = NumAtEnds(tensor, max_values);
  int64_t count = 1;
  for (const int64_t extent : tensor.shape().dims()) {
    const int64_t shown =
        std::min(extent, SaturatingMultiply(2, at_ends)) + 1;  // and the "..."
    count = SaturatingMultiply(count, shown);
  }
  // Each element has a gap before it, and may open and close brackets.
  const int64_t each = 32 + 4 * tensor.rank();
  int64_t bytes = SaturatingMultiply(count, each);
  if (tensor.dtype() == DType::kString) {
    // A byte becomes at most four when it is escaped.
    bytes = SaturatingAdd(
        bytes, SaturatingMultiply(TextBytes(tensor.data<std::string>()), 4));
  }
  return bytes;
}

std::string SummarizeInputs(const KernelContext& context, int64_t max_values,
                            absl::string_view separator) {
  std::string text;
  for (int i = 1; i < context.num_inputs(); ++i) {
    if (i > 1) absl::StrAppend(&text, separator);
    if (text.size() > kMaxBytes) return text + "...";
    absl::StrAppend(&text, "[", SummarizeValues(context.input(i), max_values),
                    "]");
  }
  return text;
}

}  // namespace leat::kernels
