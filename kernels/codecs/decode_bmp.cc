// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/decode_bmp.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr size_t kHeaderBytes = 32;
constexpr int64_t kMaxPixelBytes = int64_t{1} << 30;
constexpr uint8_t kOpaque = 255;

// Is what the header of the file says.
struct Header {
  int64_t pixels = 0;  // the place of the first pixel in the file
  int64_t width = 0;
  int64_t height = 0;
  int64_t channels = 0;
  int64_t row_bytes = 0;     // rows are filled up to a multiple of 4 bytes
  bool is_top_down = false;  // otherwise, the lowest row comes first
};

// Reads a little-endian integer. REQUIRES: it lies within `bytes`.
template <class T>
int64_t ReadInt(absl::string_view bytes, size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

absl::StatusOr<Header> ReadHeader(absl::string_view bytes) {
  if (bytes.size() < kHeaderBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Incomplete bmp content, requires at least 32 bytes to find the header "
        "size, width, height, and bpp, got ",
        bytes.size(), " bytes"));
  }
  Header header;
  header.pixels = ReadInt<int32_t>(bytes, 10);
  header.width = ReadInt<int32_t>(bytes, 18);
  const int64_t height = ReadInt<int32_t>(bytes, 22);
  header.height = std::abs(height);
  header.is_top_down = height < 0;
  header.channels = ReadInt<int16_t>(bytes, 28) / 8;
  if (header.width <= 0) {
    return absl::InvalidArgumentError("Width must be positive");
  }
  if (height == 0) {
    return absl::InvalidArgumentError("Height must be nonzero");
  }
  if (header.pixels < 0) {
    return absl::InvalidArgumentError("header size must be nonnegative");
  }
  if (header.channels != 1 && header.channels != 3 && header.channels != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Number of channels inherent in the image must be 1, 3 or 4, was ",
        header.channels));
  }
  // The extents have 32 bits, so the product has less than 66 bits. Division
  // avoids that.
  if (header.width * header.channels >= kMaxPixelBytes / header.height) {
    return absl::InvalidArgumentError(
        "Total possible pixel bytes must be less than 2^30");
  }
  header.row_bytes = (header.width * header.channels + 3) / 4 * 4;
  return header;
}

// Writes a row of pixels. The file has colors in the order blue, green, red.
void WriteRow(const uint8_t* from, int64_t width, int64_t from_channels,
              int64_t to_channels, uint8_t* to) {
  if (from_channels == 1 && to_channels == 1) {
    std::memcpy(to, from, static_cast<size_t>(width));
    return;
  }
  for (int64_t i = 0; i < width; ++i) {
    const bool is_grey = from_channels == 1;
    to[0] = is_grey ? from[0] : from[2];
    to[1] = is_grey ? from[0] : from[1];
    to[2] = from[0];
    if (to_channels == 4) to[3] = from_channels == 4 ? from[3] : kOpaque;
    from += from_channels;
    to += to_channels;
  }
}

}  // namespace

absl::StatusOr<Tensor> DecodeBmp(absl::string_view bytes, int channels,
                                 Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes));
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t expected = header.pixels + header.row_bytes * header.height;
  if (size != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input size should match (header_size + row_size * "
                     "abs_height) but they differ by ",
                     size - expected));
  }
  const int64_t to_channels = channels == 0 ? header.channels : channels;
  LEAT_ASSIGN_OR_RETURN(
      Tensor image,
      Tensor::Allocate(allocator, DType::kUint8,
                       Shape{header.height, header.width, to_channels}));
  uint8_t* to = image.mutable_data<uint8_t>().data();
  const auto* const from =
      reinterpret_cast<const uint8_t*>(bytes.data()) + header.pixels;
  for (int64_t y = 0; y < header.height; ++y) {
    const int64_t row = header.is_top_down ? y : header.height - 1 - y;
    WriteRow(from + row * header.row_bytes, header.width, header.channels,
             to_channels, to);
    to += header.width * to_channels;
  }
  return image;
}

}  // namespace leat
