// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/string_elements.h"

#include <limits>
#include <string>

#include "absl/functional/function_ref.h"
#include "leat/core/crc32c.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/varint.h"

namespace leat {
namespace {

template <class T>
absl::string_view BytesOf(const T& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

// Returns the checksum of a sequence of lengths that ends with `length`. `crc`
// is the checksum of the lengths before it.
uint32_t ExtendByLength(uint64_t length, uint32_t crc) {
  if (length > std::numeric_limits<uint32_t>::max()) {
    return Crc32c(BytesOf(length), crc);
  }
  return Crc32c(BytesOf(static_cast<uint32_t>(length)), crc);
}

// Calls `visit` with the length of each string, and checks that the lengths
// match their checksum.
absl::Status ForEachLength(
    const Shape& shape, CheckedStream& stream,
    absl::FunctionRef<void(int64_t number, int64_t length)> visit) {
  uint32_t crc = 0;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    uint64_t length = 0;
    absl::Status status;
    const bool is_read = ReadVarint64(
        [&](uint8_t& byte) {
          status = stream.ReadUnchecked(reinterpret_cast<char*>(&byte), 1);
          return status.ok();
        },
        length);
    LEAT_RETURN_IF_ERROR(status);
    if (!is_read) return stream.Damaged("the length of a string is too large");
    crc = ExtendByLength(length, crc);
    if (length > static_cast<uint64_t>(stream.remaining())) {
      return stream.Damaged("its strings are cut off");
    }
    visit(i, static_cast<int64_t>(length));
  }
  uint32_t stored = 0;
  LEAT_RETURN_IF_ERROR(
      stream.ReadUnchecked(reinterpret_cast<char*>(&stored), sizeof(stored)));
  if (Unmask(stored) != crc) {
    return stream.Damaged("the lengths do not match their checksum");
  }
  stream.SetChecksum(Crc32c(BytesOf(stored), crc));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<uint32_t> WriteStrings(const Tensor& tensor,
                                      ReplacementFile& file) {
  std::string header;
  uint32_t crc = 0;
  for (const std::string& element : tensor.data<std::string>()) {
    AppendVarint64(element.size(), &header);
    crc = ExtendByLength(element.size(), crc);
  }
  const uint32_t masked = Mask(crc);
  header.append(BytesOf(masked).data(), sizeof(masked));
  crc = Crc32c(BytesOf(masked), crc);
  LEAT_RETURN_IF_ERROR(file.Append(header));
  for (const std::string& element : tensor.data<std::string>()) {
    crc = Crc32c(element, crc);
    LEAT_RETURN_IF_ERROR(file.Append(element));
  }
  return crc;
}

absl::StatusOr<Tensor> ReadStrings(const Shape& shape, CheckedStream& stream,
                                   Allocator& allocator) {
  if (shape.num_elements() > stream.remaining()) {
    return stream.Damaged("there are fewer bytes than strings");
  }
  LEAT_ASSIGN_OR_RETURN(Tensor lengths,
                        Tensor::Allocate(allocator, DType::kInt64, shape));
  int64_t text_bytes = 0;
  int64_t held_bytes = 0;
  LEAT_RETURN_IF_ERROR(
      ForEachLength(shape, stream, [&](int64_t i, int64_t length) {
        lengths.mutable_data<int64_t>()[i] = length;
        text_bytes = SaturatingAdd(text_bytes, length);
        held_bytes = SaturatingAdd(
            held_bytes, HeldBytesOfText(static_cast<size_t>(length)));
      }));
  if (text_bytes > stream.remaining()) {
    return stream.Damaged("its strings are cut off");
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(allocator, DType::kString, shape, held_bytes));
  const absl::Span<std::string> elements = tensor.mutable_data<std::string>();
  for (size_t i = 0; i < elements.size(); ++i) {
    const int64_t length = lengths.data<int64_t>()[i];
    elements[i].resize(static_cast<size_t>(length));
    LEAT_RETURN_IF_ERROR(stream.Read(elements[i].data(), length));
  }
  return tensor;
}

absl::Status CheckStrings(const Shape& shape, CheckedStream& stream) {
  int64_t text_bytes = 0;
  LEAT_RETURN_IF_ERROR(
      ForEachLength(shape, stream, [&](int64_t, int64_t length) {
        text_bytes = SaturatingAdd(text_bytes, length);
      }));
  if (text_bytes <= stream.remaining()) return absl::OkStatus();
  return stream.Damaged("its strings are cut off");
}

}  // namespace leat
