// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/decode_png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Are the parts of red and green in grey, as in TensorFlow. The rest is blue.
constexpr double kRedWeight = 0.299;
constexpr double kGreenWeight = 0.587;
constexpr int64_t kMaxExtent = int64_t{1} << 27;
constexpr int64_t kMaxPngValues = int64_t{1} << 29;

// libpng calls Fail for an error, and Ignore for a warning. Fail must not
// return.
[[noreturn]] void Fail(png_structp png, png_const_charp) {
  png_longjmp(png, 1);
}
void Ignore(png_structp, png_const_charp) {}

void Take(png_structp png, png_bytep to, size_t count) {
  auto& rest = *static_cast<absl::string_view*>(png_get_io_ptr(png));
  if (count > rest.size()) png_error(png, "the file is cut off");
  std::memcpy(to, rest.data(), count);
  rest.remove_prefix(count);
}

// Owns libpng's state of one file. If libpng fails, it jumps back to a call of
// setjmp in one of the methods. So these must not have objects with
// destructors.
class PngReader {
 public:
  explicit PngReader(absl::string_view bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, Fail, Ignore);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  // Reads everything before the pixels, and decides how they are converted.
  // Returns false if the file is damaged. Otherwise, sets `extents` to the
  // height, the width and the number of channels.
  bool ReadHeader(int channels, bool is_byte, int64_t extents[3]) {
    if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, &rest_, Take);
    png_read_info(png_, info_);
    const int wanted = channels != 0 ? channels : NumChannels();
    SetAlpha(wanted % 2 == 0, is_byte);
    SetColor(wanted >= 3);
    SetDepth(is_byte);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    extents[0] = png_get_image_height(png_, info_);
    extents[1] = png_get_image_width(png_, info_);
    extents[2] = wanted;
    return true;
  }

  // Reads all rows, of `row_bytes` bytes each. Returns false if the file is
  // damaged.
  bool ReadRows(int64_t height, int64_t row_bytes, uint8_t* to) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    if (png_get_rowbytes(png_, info_) != static_cast<size_t>(row_bytes)) {
      return false;
    }
    const bool is_interlaced =
        png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
    const int passes = is_interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t row = 0; row < height; ++row) {
        png_read_row(png_, to + row * row_bytes, nullptr);
      }
    }
    png_read_end(png_, nullptr);
    return true;
  }

 private:
  int color_type() const { return png_get_color_type(png_, info_); }
  int depth() const { return png_get_bit_depth(png_, info_); }
  // Returns true if the file says that some color, or some colors of the
  // palette, are transparent.
  bool HasTransparentColors() const {
    return png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  }

  // Returns the number of channels of the file. As in TensorFlow, transparent
  // colors count only if they are in a palette.
  int NumChannels() const {
    if (color_type() != PNG_COLOR_TYPE_PALETTE) {
      return png_get_channels(png_, info_);
    }
    return HasTransparentColors() ? 4 : 3;
  }

  void SetAlpha(bool wants_alpha, bool is_byte) {
    const bool has_alpha = (color_type() & PNG_COLOR_MASK_ALPHA) != 0;
    if (!wants_alpha) {
      if (has_alpha || HasTransparentColors()) png_set_strip_alpha(png_);
    } else if (HasTransparentColors()) {
      png_set_tRNS_to_alpha(png_);
    } else if (!has_alpha) {
      // A file of less than 8 bits gets such an alpha, too, as in TensorFlow.
      const uint32_t opaque = (uint32_t{1} << depth()) - 1;
      const bool grows = !is_byte && depth() < 16;
      png_set_add_alpha(png_, grows ? opaque * 257 : opaque, PNG_FILLER_AFTER);
    }
  }

  void SetColor(bool wants_color) {
    const bool has_color = (color_type() & PNG_COLOR_MASK_COLOR) != 0;
    if (wants_color && !has_color) png_set_gray_to_rgb(png_);
    if (!wants_color && has_color) {
      png_set_rgb_to_gray(png_, PNG_ERROR_ACTION_NONE, kRedWeight,
                          kGreenWeight);
    }
  }

  // Makes channels of 8 or 16 bits. 8 bits become 16 by repetition.
  void SetDepth(bool is_byte) {
    if (color_type() == PNG_COLOR_TYPE_PALETTE) {
      png_set_palette_to_rgb(png_);
    } else if (depth() < 8) {
      png_set_expand_gray_1_2_4_to_8(png_);
    }
    if (is_byte) {
      png_set_strip_16(png_);
    } else {
      png_set_expand_16(png_);
      png_set_swap(png_);  // the file is big-endian
    }
  }

  absl::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

absl::StatusOr<Tensor> DecodePng(absl::string_view bytes, int channels,
                                 DType type, Allocator& allocator) {
  PngReader reader(bytes);
  int64_t extents[3] = {};
  if (!reader.ReadHeader(channels, type == DType::kUint8, extents)) {
    return absl::InvalidArgumentError(
        "Invalid PNG. Failed to initialize decoder.");
  }
  const auto [height, width, actual_channels] = extents;
  // libpng has checked that both extents are positive and below 2^31.
  if (height >= kMaxExtent || width >= kMaxExtent ||
      width * actual_channels >= kMaxPngValues / height) {
    return absl::InvalidArgumentError(
        absl::StrCat("PNG size too large for int: ", width, " by ", height));
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor image,
      Tensor::Allocate(allocator, type, Shape{height, width, actual_channels}));
  if (!reader.ReadRows(height, image.num_bytes() / height,
                       reinterpret_cast<uint8_t*>(image.mutable_raw_data()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid PNG data, size ", bytes.size()));
  }
  return image;
}

}  // namespace leat
