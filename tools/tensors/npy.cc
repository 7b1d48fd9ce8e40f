// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/tensors/npy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "leat/core/codec/host_bytes.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeaderBytes = 1 << 16;
constexpr size_t kHeaderAlignment = 64;
constexpr size_t kMaxStringBytes = size_t{1} << 30;
constexpr size_t kBlockBytes = 1 << 20;

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

// Reads the header, which is a Python dict with three entries in any order.
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
      return Malformed(name_, "it has an array of records, which is no tensor");
    }
    LEAT_ASSIGN_OR_RETURN(const absl::string_view descr, QuotedText());
    const std::string shown = absl::CEscape(descr);
    absl::string_view code = descr;
    if (absl::ConsumePrefix(&code, ">") && !absl::EndsWith(code, "1")) {
      return Malformed(name_, absl::StrCat("descr '", shown,
                                           "' means big-endian numbers; save "
                                           "a.astype(a.dtype.newbyteorder("
                                           "'<'))"));
    }
    if (!absl::ConsumePrefix(&code, "<")) absl::ConsumePrefix(&code, "|");
    if (absl::StartsWith(code, "O")) {
      return Malformed(
          name_, absl::StrCat("descr '", shown,
                              "' means Python objects, which are not read"));
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
    return Malformed(
        name_, absl::StrCat("descr '", shown, "' is no type that Leat reads"));
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

  // Skips white space.
  void Skip() { text_ = absl::StripLeadingAsciiWhitespace(text_); }

  // Skips white space. If the text then begins with `token`, removes the token
  // and returns true.
  bool Take(absl::string_view token) {
    Skip();
    return absl::ConsumePrefix(&text_, token);
  }

  absl::Status Expect(absl::string_view token) {
    if (Take(token)) return absl::OkStatus();
    return Complain(absl::StrCat("no '", token, "' where it should be"));
  }

  // Returns the error for a wrong header.
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

// Returns the text of the header at the start of a file. `offset` becomes the
// end of that text.
absl::StatusOr<absl::string_view> HeaderText(absl::string_view bytes,
                                             absl::string_view name,
                                             size_t& offset) {
  const absl::string_view file = bytes;
  if (!absl::ConsumePrefix(&bytes, kMagic)) {
    return Malformed(name, "it is not a .npy file");
  }
  if (bytes.size() < 2) return Malformed(name, "the file is cut off");
  const int version = static_cast<unsigned char>(bytes[0]);
  if (version < 1 || version > 3 || bytes[1] != 0) {
    return Malformed(
        name, absl::StrCat("it has the unknown format version ", version, ".",
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
    return Malformed(
        name, absl::StrCat("its header of ", length, " bytes is too long"));
  }
  if (length > bytes.size()) return Malformed(name, "the file is cut off");
  offset = file.size() - bytes.size() + length;
  return bytes.substr(0, length);
}

// Returns the header of a file that has `file_bytes` bytes and begins with
// `start`. Fails if the data after the header does not have the size that the
// header announces.
absl::StatusOr<Header> ParseHeader(absl::string_view start, int64_t file_bytes,
                                   absl::string_view name, size_t& offset) {
  LEAT_ASSIGN_OR_RETURN(const absl::string_view text,
                        HeaderText(start, name, offset));
  LEAT_ASSIGN_OR_RETURN(Header header, HeaderParser(text, name).Parse());
  const int64_t data_bytes = file_bytes - static_cast<int64_t>(offset);
  const absl::StatusOr<int64_t> wanted = CheckedMultiply(
      header.shape.num_elements(), static_cast<int64_t>(header.element_bytes));
  if (!wanted.ok() || *wanted != data_bytes) {
    return Malformed(name,
                     absl::StrCat("it has ", data_bytes, " bytes of data for ",
                                  header.shape.DebugString(), " elements of ",
                                  header.element_bytes, " bytes"));
  }
  // Strings of width 0 take no bytes, so the size of the file would not limit
  // their number.
  if (header.dtype == DType::kString && header.element_bytes == 0 &&
      header.shape.num_elements() > 0) {
    return Malformed(name, "it has strings of width 0");
  }
  return header;
}

// Copies the next `count` bytes of the data to `to`.
using Source = absl::FunctionRef<absl::Status(char* to, size_t count)>;

// Reads strings in blocks, because a file may have billions of them, too many
// to read one by one.
absl::Status ReadStrings(size_t width, absl::Span<std::string> strings,
                         Source source) {
  if (strings.empty()) return absl::OkStatus();  // then the width may be 0
  const size_t step = std::max<size_t>(1, kBlockBytes / width);
  std::string bytes;
  for (size_t begin = 0; begin < strings.size(); begin += step) {
    const absl::Span<std::string> block = strings.subspan(begin, step);
    bytes.resize(block.size() * width);
    LEAT_RETURN_IF_ERROR(source(bytes.data(), bytes.size()));
    absl::string_view rest = bytes;
    for (std::string& text : block) {
      const absl::string_view padded = rest.substr(0, width);
      // npos + 1 is 0, so a text of zeros alone becomes empty.
      text.assign(padded.data(), padded.find_last_not_of('\0') + 1);
      rest.remove_prefix(width);
    }
  }
  return absl::OkStatus();
}

// Reads the data after the header.
absl::StatusOr<Tensor> ReadData(const Header& header, absl::string_view name,
                                Source source) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(HostAllocator(), header.dtype, header.shape));
  if (header.dtype == DType::kString) {
    LEAT_RETURN_IF_ERROR(ReadStrings(
        header.element_bytes, tensor.mutable_data<std::string>(), source));
    return tensor;
  }
  const auto size = static_cast<size_t>(tensor.num_bytes());
  if (size == 0) return tensor;
  char* data = tensor.mutable_raw_data();
  LEAT_RETURN_IF_ERROR(source(data, size));
  // The byte of a C++ bool must be 0 or 1.
  if (header.dtype == DType::kBool &&
      std::any_of(data, data + size, [](char c) { return c != 0 && c != 1; })) {
    return Malformed(name, "it has a bool that is neither 0 nor 1");
  }
  return tensor;
}

// Returns the width of the longest string, but at least 1, because NumPy has no
// "S0" arrays.
absl::StatusOr<size_t> StringWidth(const Tensor& tensor) {
  size_t width = 1;
  for (const std::string& text : tensor.data<std::string>()) {
    if (!text.empty() && text.back() == '\0') {
      return absl::InvalidArgumentError(
          "a string ends in a zero byte, which a .npy file would not keep");
    }
    width = std::max(width, text.size());
  }
  return width;
}

// Returns the part of the file before the data.
std::string Preamble(absl::string_view descr, const Shape& shape) {
  const std::string header = absl::StrCat(
      "{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(shape.dims(), ", "), shape.rank() == 1 ? "," : "", "), }");
  const size_t fixed = kMagic.size() + 4 + header.size() + 1;
  const size_t padding =
      (kHeaderAlignment - fixed % kHeaderAlignment) % kHeaderAlignment;
  // There are at most kMaxRank extents of 19 digits, so the header is always
  // below the 64 KiB of version 1.
  const auto length = static_cast<uint16_t>(header.size() + padding + 1);
  const char prefix[] = {1, 0, static_cast<char>(length & 0xff),
                         static_cast<char>(length >> 8)};
  return absl::StrCat(kMagic, absl::string_view(prefix, sizeof(prefix)), header,
                      std::string(padding, ' '), "\n");
}

}  // namespace

absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes,
                                absl::string_view name) {
  size_t offset = 0;
  LEAT_ASSIGN_OR_RETURN(
      const Header header,
      ParseHeader(bytes, static_cast<int64_t>(bytes.size()), name, offset));
  bytes.remove_prefix(offset);
  return ReadData(header, name, [&bytes](char* to, size_t count) {
    std::memcpy(to, bytes.data(), count);
    bytes.remove_prefix(count);
    return absl::OkStatus();
  });
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
    LEAT_ASSIGN_OR_RETURN(const absl::string_view content, HostBytes(tensor));
    absl::StrAppend(&bytes, content);
    return bytes;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a tensor of ", Name(tensor.dtype()), " cannot be saved in a .npy file"));
}

absl::StatusOr<Tensor> ReadNpy(const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(RegularFile file,
                        RegularFile::Open(path, kMaxNpyBytes));
  constexpr size_t kMaxStart = 16 + kMaxHeaderBytes;
  std::string start(std::min(static_cast<size_t>(file.size()), kMaxStart),
                    '\0');
  LEAT_RETURN_IF_ERROR(file.Read(start.data(), start.size()));
  size_t offset = 0;
  LEAT_ASSIGN_OR_RETURN(const Header header,
                        ParseHeader(start, file.size(), path, offset));
  absl::string_view rest = start;
  rest.remove_prefix(offset);
  return ReadData(header, path, [&](char* to, size_t count) {
    const absl::string_view known = rest.substr(0, count);
    if (!known.empty()) std::memcpy(to, known.data(), known.size());
    rest.remove_prefix(known.size());
    return file.Read(to + known.size(), count - known.size());
  });
}

absl::Status WriteNpy(const Tensor& tensor, const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(const std::string bytes, FormatNpy(tensor));
  return WriteFile(path, bytes);
}

}  // namespace leat
