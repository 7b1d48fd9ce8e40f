// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/text_entries.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/text_numbers.h"

namespace leat::kernels {
namespace {

// Is a line of the file without its end.
struct Line {
  absl::string_view text = {};
  int64_t number = 0;
};

// Gives the lines of a text one after another.
class Lines {
 public:
  explicit Lines(absl::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  // Returns the next line. REQUIRES: !AtEnd().
  Line Next() {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    absl::string_view text = rest_.substr(0, end);
    const bool ends_with_newline = end < rest_.size();
    rest_.remove_prefix(ends_with_newline ? end + 1 : end);
    if (ends_with_newline && !text.empty() && text.back() == '\r') {
      text.remove_suffix(1);
    }
    return {.text = text, .number = number_++};
  }
  // Returns how many bytes are behind the lines that were given.
  size_t BytesLeft() const { return rest_.size(); }

 private:
  absl::string_view rest_;
  int64_t number_ = 0;
};

// Returns the part of `line` that `index` stands for.
absl::StatusOr<absl::string_view> Field(const Line& line, int64_t index,
                                        absl::string_view path,
                                        const TextFormat& format) {
  if (index == TextFormat::kWholeLine) return line.text;
  absl::string_view rest = line.text;
  for (int64_t column = 0;; ++column) {
    const size_t end = std::min(rest.find(format.delimiter), rest.size());
    if (column == index) return rest.substr(0, end);
    if (end == rest.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Invalid number of columns in ", path, " line ", line.number, " (",
          line.text, ") : expected at least ",
          SaturatingAdd(std::max(format.key_index, format.value_index), 1),
          " got ", column + 1));
    }
    rest.remove_prefix(end + 1);
  }
}

template <class T>
bool Parse(absl::string_view text, T& value) {
  return ParseNumber(text, value);
}
bool Parse(absl::string_view text, std::string& value) {
  value.assign(text.data(), text.size());
  return true;
}

// Sets element `i` of `to` to what `index` stands for in `line`.
absl::Status SetElement(const Line& line, int64_t index, absl::string_view path,
                        const TextFormat& format, int64_t i, Tensor& to) {
  const auto at = static_cast<size_t>(i);
  if (index == TextFormat::kLineNumber) {
    // A sum that is too large wraps, as in TensorFlow.
    to.mutable_data<int64_t>()[at] =
        static_cast<int64_t>(static_cast<uint64_t>(line.number) +
                             static_cast<uint64_t>(format.offset));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const absl::string_view field,
                        Field(line, index, path, format));
  bool is_valid = false;
  if (!VisitDType(kIndices + kFloat32And64 + kStringOnly, to.dtype(),
                  [&](auto tag) {
                    using T = typename decltype(tag)::type;
                    is_valid = Parse(field, to.mutable_data<T>()[at]);
                  })) {
    return absl::InvalidArgumentError(
        absl::StrCat("Data type ", Name(to.dtype()), " not supported."));
  }
  if (is_valid) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Field ", field, " in line ", line.number,
                   " is not a valid ", Name(to.dtype()), "."));
}

// Returns the number of lines to read.
absl::StatusOr<int64_t> NumLines(absl::string_view text, absl::string_view path,
                                 const TextFormat& format) {
  if (format.vocab_size == 0) {
    return absl::OutOfRangeError(
        absl::StrCat("Finished reading 0 of lines from ", path));
  }
  if (text.empty()) {
    return absl::OutOfRangeError("Read less bytes than requested");
  }
  int64_t lines = std::count(text.begin(), text.end(), '\n');
  if (text.back() != '\n') ++lines;
  if (format.vocab_size < 0) return lines;
  if (lines < format.vocab_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid vocab_size in ", path, ": expected ",
                     format.vocab_size, " but got ", lines));
  }
  return format.vocab_size;
}

absl::StatusOr<Tensor> NewElements(DType dtype, int64_t lines,
                                   absl::string_view text,
                                   Allocator& allocator) {
  const int64_t held_bytes =
      dtype == DType::kString
          ? MostHeldBytes(lines, static_cast<int64_t>(text.size()))
          : 0;
  return Tensor::Allocate(allocator, dtype, Shape{lines}, held_bytes);
}

}  // namespace

absl::Status CheckTextFormat(const TextFormat& format) {
  const auto refuse = [](absl::string_view what, DType got) {
    return absl::InvalidArgumentError(absl::StrCat(what, " got ", Name(got)));
  };
  const auto is_whole = [](DType dtype) {
    return dtype == DType::kString || decltype(kIndices)::Contains(dtype);
  };
  const DType key = format.key_dtype;
  const DType value = format.value_dtype;
  if (format.key_index == TextFormat::kLineNumber && key != DType::kInt64) {
    return refuse(
        "Key index for line number requires table key dtype of int64,", key);
  }
  if (format.key_index == TextFormat::kWholeLine && !is_whole(key)) {
    return refuse(
        "Key index for whole line requires table key dtype of integer or "
        "string,",
        key);
  }
  if (format.value_index == TextFormat::kLineNumber && value != DType::kInt64) {
    return refuse(
        "Value index for line number requires table value dtype of int64,",
        value);
  }
  if (format.value_index == TextFormat::kWholeLine && !is_whole(value)) {
    return refuse(
        "Value index for whole line requires table value dtype of integer or "
        "string,",
        value);
  }
  return absl::OkStatus();
}

absl::StatusOr<TableEntries> ParseTextEntries(absl::string_view text,
                                              absl::string_view path,
                                              const TextFormat& format,
                                              Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(const int64_t count, NumLines(text, path, format));
  TableEntries entries;
  LEAT_ASSIGN_OR_RETURN(entries.keys,
                        NewElements(format.key_dtype, count, text, allocator));
  LEAT_ASSIGN_OR_RETURN(
      entries.values, NewElements(format.value_dtype, count, text, allocator));
  Lines lines(text);
  for (int64_t i = 0; i < count; ++i) {
    const Line line = lines.Next();
    if (line.text.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Invalid content in ", path, ": empty line found at position ",
          text.size() - lines.BytesLeft(), "."));
    }
    LEAT_RETURN_IF_ERROR(
        SetElement(line, format.key_index, path, format, i, entries.keys));
    LEAT_RETURN_IF_ERROR(
        SetElement(line, format.value_index, path, format, i, entries.values));
  }
  return entries;
}

}  // namespace leat::kernels
