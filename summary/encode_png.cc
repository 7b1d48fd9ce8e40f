// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/summary/encode_png.h"

#include <png.h>

#include <csetjmp>

#include "leat/core/check.h"

namespace leat {
namespace {

constexpr int kMaxMemoryLevel = 9;  // zlib's, as in TensorFlow

int ColorType(int channels) {
  return (channels >= 3 ? PNG_COLOR_MASK_COLOR : 0) |
         (channels % 2 == 0 ? PNG_COLOR_MASK_ALPHA : 0);
}

void Append(png_structp png, png_bytep bytes, size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(bytes), count);
}
void Flush(png_structp) {}

// libpng calls Fail for an error, and Ignore for a warning. Fail must not
// return.
[[noreturn]] void Fail(png_structp png, png_const_charp) {
  png_longjmp(png, 1);
}
void Ignore(png_structp, png_const_charp) {}

bool IsCancelled(const Cancellation* cancellation) {
  return cancellation != nullptr && cancellation->IsCancelled();
}

// Writes the image. Returns false if it is cancelled or libpng fails. If libpng
// fails, it jumps back to the call of setjmp. So this function must not have
// objects with destructors.
bool WritePng(png_structp png, png_infop info, const ImageView& image,
              const PngEncoding& encoding) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_compression_level(png, encoding.compression);
  png_set_compression_mem_level(png, kMaxMemoryLevel);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8 * image.channel_bytes,
               ColorType(image.channels), PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (image.channel_bytes == 2) png_set_swap(png);  // the file is big-endian
  const int64_t row_bytes = image.width * image.channels * image.channel_bytes;
  for (int64_t row = 0; row < image.height; ++row) {
    if (IsCancelled(encoding.cancellation)) return false;
    png_write_row(png, image.pixels.data() + row * row_bytes);
  }
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

absl::StatusOr<std::string> EncodePng(const ImageView& image,
                                      const PngEncoding& encoding) {
  LEAT_CHECK(image.channels >= 1 && image.channels <= 4);
  LEAT_CHECK(image.channel_bytes == 1 || image.channel_bytes == 2);
  LEAT_CHECK(static_cast<int64_t>(image.pixels.size()) ==
             image.width * image.height * image.channels * image.channel_bytes);
  std::string encoded;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, Fail, Ignore);
  if (png == nullptr) return absl::InternalError("PNG encoding failed");
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &encoded, Append, Flush);
  const bool written = info != nullptr && WritePng(png, info, image, encoding);
  png_destroy_write_struct(&png, &info);
  if (written) return encoded;
  return IsCancelled(encoding.cancellation)
             ? encoding.cancellation->status()
             : absl::InternalError("PNG encoding failed");
}

}  // namespace leat
