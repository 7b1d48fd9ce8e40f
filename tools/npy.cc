// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/tools/files.h"

namespace leat {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeaderBytes = 1 << 16;
constexpr size_t kHeaderAlignment = 64;
constexpr size_t kMaxStringBytes = size_t{1} << 30;

struct TypeCode {
  DType dtype;
  absl::string_view code;  // without the byte order
};
constexpr TypeCode kTypeCodes[] = {
    {DType::kBool, "b1"},      {DType::kInt8, "i1"},
    {DType::kInt16, "i2"},     {DType::kInt32, "i4"},
    {DType::kInt64, "i8"},     {DType::kUint8, "u1"},
    {DType::kUint16, "u2"},    {DType::kUint32, "u4"},
    {DType::kUint64, "u8"},    {DType::kHalf, "f2"},
    {DType::kFloat, "f4"},     {DType::kDouble, "f8"},
    {DType::kComplex64, "c8"}, {DType::kComplex128, "c16"},
};

absl::Status Malformed(absl::string_view name, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("'", name, "': ", problem));
}

struct Header {
  DType dtype = DType::kInvalid;
  size_t element_bytes = 0;
  Shape shape = {};
};

// Reads the header: a Python dict of three entries, in any order.
class HeaderParser {
 public:
  HeaderParser(absl::string_view text, absl::string_view name)
      : text_(text), name_(name) {}

  absl::StatusOr<Header> Parse() {
    LEAT_RETURN_IF_ERROR(Expect("{"));
    while (!Take("}")) {
      LEAT_ASSIGN_OR_RETURN(const absl::string_view key, QuotedText());
      LEAT_RETURN_IF_ERROR(Expect(":"));
      LEAT_RETURN_IF_ERROR(ParseEntry(key));
      if (!Take(",")) {
        LEAT_RETURN_IF_ERROR(Expect("}"));
        break;
      }
    }
    Skip();
    if (!text_.empty()) return Complain("more than one dict");
    if (!has_dtype_ || !has_order_ || !has_shape_) {
      return Complain("no descr, fortran_order or shape");
    }
    if (is_fortran_ && header_.shape.rank() > 1) {
      return Malformed(name_,
                       "the array is in Fortran order; save "
                       "np.ascontiguousarray(a)");
    }
    return std::move(header_);
  }

 private:
  absl::Status ParseEntry(absl::string_view key) {
    if (key == "descr" && !has_dtype_) {
      has_dtype_ = true;
      return ParseDescr();
    }
    if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      is_fortran_ = Take("True");
      return is_fortran_ ? absl::OkStatus() : Expect("False");
    }
    if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      return ParseShape();
    }
    return Complain(
        absl::StrCat("unknown or repeated key '", absl::CEscape(key), "'"));
  }

  absl::Status ParseDescr() {
    Skip();
    if (absl::StartsWith(text_, "[")) {
      return Malformed(name_, "arrays of records are no tensors");
    }
    LEAT_ASSIGN_OR_RETURN(const absl::string_view descr, QuotedText());
    const std::string shown = absl::CEscape(descr);
    absl::string_view code = descr;
    if (absl::ConsumePrefix(&code, ">") && !absl::EndsWith(code, "1")) {
      return Malformed(name_, absl::StrCat("descr '", shown,
                                           "': big-endian numbers; save "
                                           "a.astype(a.dtype.newbyteorder("
                                           "'<'))"));
    }
    if (!absl::ConsumePrefix(&code, "<")) absl::ConsumePrefix(&code, "|");
    if (absl::StartsWith(code, "O")) {
      return Malformed(name_, absl::StrCat("descr '", shown,
                                           "': Python objects are not read"));
    }
    for (const TypeCode& type : kTypeCodes) {
      if (type.code != code) continue;
      header_.dtype = type.dtype;
      header_.element_bytes = SizeOf(type.dtype);
      return absl::OkStatus();
    }
    uint64_t width = 0;
    if (absl::ConsumePrefix(&code, "S") && absl::SimpleAtoi(code, &width) &&
        width <= kMaxStringBytes) {
      header_.dtype = DType::kString;
      header_.element_bytes = static_cast<size_t>(width);
      return absl::OkStatus();
    }
    return Malformed(name_,
                     absl::StrCat("descr '", shown, "' is no type of ours"));
  }

  absl::Status ParseShape() {
    LEAT_RETURN_IF_ERROR(Expect("("));
    Dims dims;
    while (!Take(")")) {
      LEAT_ASSIGN_OR_RETURN(const int64_t extent, Integer());
      dims.push_back(extent);
      if (static_cast<int>(dims.size()) > Shape::kMaxRank) break;
      if (!Take(",")) {
        LEAT_RETURN_IF_ERROR(Expect(")"));
        break;
      }
    }
    absl::StatusOr<Shape> shape = Shape::Create(dims);
    if (!shape.ok()) return Malformed(name_, shape.status().message());
    header_.shape = *std::move(shape);
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> Integer() {
    Skip();
    size_t length = 0;
    while (length < text_.size() && absl::ascii_isdigit(text_[length])) {
      ++length;
    }
    int64_t value = 0;
    if (!absl::SimpleAtoi(text_.substr(0, length), &value)) {
      return Complain("an extent that is no number");
    }
    text_.remove_prefix(length);
    return value;
  }

  absl::StatusOr<absl::string_view> QuotedText() {
    Skip();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) {
      return Complain("no quoted text where it should be");
    }
    const size_t end = text_.find(text_[0], 1);
    if (end == absl::string_view::npos) return Complain("an open quote");
    const absl::string_view inside = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inside;
  }

  void Skip() { text_ = absl::StripLeadingAsciiWhitespace(text_); }

  bool Take(absl::string_view token) {
    Skip();
    return absl::ConsumePrefix(&text_, token);
  }

  absl::Status Expect(absl::string_view token) {
    if (Take(token)) return absl::OkStatus();
    return Complain(absl::StrCat("no '", token, "' where it should be"));
  }

  absl::Status Complain(absl::string_view problem) const {
    return Malformed(name_, absl::StrCat("the header has ", problem));
  }

  absl::string_view text_;
  const absl::string_view name_;
  Header header_;
  bool has_dtype_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
  bool is_fortran_ = false;
};

// Splits a file into its header's text and its data.
absl::Status Split(absl::string_view bytes, absl::string_view name,
                   absl::string_view& header, absl::string_view& data) {
  if (!absl::StartsWith(bytes, kMagic)) {
    return Malformed(name, "not a .npy file");
  }
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < 2) return Malformed(name, "the file is cut off");
  const int version = static_cast<unsigned char>(bytes[0]);
  if (version < 1 || version > 3 || bytes[1] != 0) {
    return Malformed(name, absl::StrCat("unknown format version ", version, ".",
                                        static_cast<unsigned char>(bytes[1])));
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < 2 + length_bytes) {
    return Malformed(name, "the file is cut off");
  }
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 2, length_bytes);
  bytes.remove_prefix(2 + length_bytes);
  if (length > kMaxHeaderBytes) {
    return Malformed(name, absl::StrCat("a header of ", length, " bytes"));
  }
  if (length > bytes.size()) return Malformed(name, "the file is cut off");
  header = bytes.substr(0, length);
  data = bytes.substr(length);
  return absl::OkStatus();
}

absl::Status CopyData(absl::string_view data, const Header& header,
                      absl::string_view name, Tensor& tensor) {
  if (header.dtype == DType::kString) {
    for (std::string& text : tensor.mutable_data<std::string>()) {
      const absl::string_view padded = data.substr(0, header.element_bytes);
      data.remove_prefix(header.element_bytes);
      const size_t last = padded.find_last_not_of('\0');
      text.assign(padded.data(), last == padded.npos ? 0 : last + 1);
    }
    return absl::OkStatus();
  }
  // A byte that is neither 0 nor 1 is not a value that a bool can have.
  if (header.dtype == DType::kBool &&
      std::any_of(data.begin(), data.end(),
                  [](char c) { return c != 0 && c != 1; })) {
    return Malformed(name, "a bool that is neither 0 nor 1");
  }
  if (!data.empty()) {
    std::memcpy(tensor.mutable_raw_data(), data.data(), data.size());
  }
  return absl::OkStatus();
}

// The width of the longest string, at least 1: NumPy has no "S0" arrays.
absl::StatusOr<size_t> StringWidth(const Tensor& tensor) {
  size_t width = 1;
  for (const std::string& text : tensor.data<std::string>()) {
    if (!text.empty() && text.back() == '\0') {
      return absl::InvalidArgumentError(
          "a string that ends in a zero byte would lose it in a .npy file");
    }
    width = std::max(width, text.size());
  }
  return width;
}

std::string Preamble(absl::string_view descr, const Shape& shape) {
  const std::string header = absl::StrCat(
      "{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(shape.dims(), ", "), shape.rank() == 1 ? "," : "", "), }");
  const size_t fixed = kMagic.size() + 4 + header.size() + 1;
  const size_t padding =
      (kHeaderAlignment - fixed % kHeaderAlignment) % kHeaderAlignment;
  // At most kMaxRank extents of 19 digits: always below version 1's 64 KiB.
  const auto length = static_cast<uint16_t>(header.size() + padding + 1);
  const char prefix[] = {1, 0, static_cast<char>(length & 0xff),
                         static_cast<char>(length >> 8)};
  return absl::StrCat(kMagic, absl::string_view(prefix, sizeof(prefix)), header,
                      std::string(padding, ' '), "\n");
}

}  // namespace

absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes,
                                absl::string_view name) {
  absl::string_view text, data;
  LEAT_RETURN_IF_ERROR(Split(bytes, name, text, data));
  LEAT_ASSIGN_OR_RETURN(const Header header, HeaderParser(text, name).Parse());
  absl::StatusOr<int64_t> wanted = CheckedMultiply(
      header.shape.num_elements(), static_cast<int64_t>(header.element_bytes));
  if (!wanted.ok() || *wanted != static_cast<int64_t>(data.size())) {
    return Malformed(name,
                     absl::StrCat(data.size(), " bytes of data for ",
                                  header.shape.DebugString(), " elements of ",
                                  header.element_bytes, " bytes"));
  }
  // Strings of width 0 take no bytes, so the file does not bound their number.
  if (header.dtype == DType::kString && header.element_bytes == 0 &&
      header.shape.num_elements() > 0) {
    return Malformed(name, "strings of width 0");
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(HostAllocator(), header.dtype, header.shape));
  LEAT_RETURN_IF_ERROR(CopyData(data, header, name, tensor));
  return tensor;
}

absl::StatusOr<std::string> FormatNpy(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) {
    LEAT_ASSIGN_OR_RETURN(const size_t width, StringWidth(tensor));
    std::string bytes = Preamble(absl::StrCat("|S", width), tensor.shape());
    for (const std::string& text : tensor.data<std::string>()) {
      absl::StrAppend(&bytes, text, std::string(width - text.size(), '\0'));
    }
    return bytes;
  }
  for (const TypeCode& type : kTypeCodes) {
    if (type.dtype != tensor.dtype()) continue;
    const char* order = SizeOf(type.dtype) == 1 ? "|" : "<";
    std::string bytes =
        Preamble(absl::StrCat(order, type.code), tensor.shape());
    bytes.append(tensor.raw_data(), static_cast<size_t>(tensor.num_bytes()));
    return bytes;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a tensor of ", Name(tensor.dtype()), " has no form in a .npy file"));
}

absl::StatusOr<Tensor> ReadNpy(const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kMaxNpyBytes));
  return ParseNpy(bytes, path);
}

absl::Status WriteNpy(const Tensor& tensor, const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(const std::string bytes, FormatNpy(tensor));
  return WriteFile(path, bytes);
}

}  // namespace leat
