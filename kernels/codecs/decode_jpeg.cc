// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/decode_jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE

#include <jerror.h>
#include <jpeglib.h>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int64_t kMaxJpegValues = int64_t{1} << 29;
constexpr int kInks = 4;  // cyan, magenta, yellow and black
// Is the largest number of scans. A small file could have so many that decoding
// it would take hours.
constexpr int kMaxScans = 1000;
// Is how often the last bytes of a truncated file may be read. A block of the
// image has fewer bytes.
constexpr int kMaxRepeats = 4096;

// Says where the rows go, and how many of them have been read.
struct Rows {
  uint8_t* to = nullptr;
  int64_t height = 0;
  int64_t width = 0;
  int channels = 0;
  int64_t num_read = 0;
};

// Owns libjpeg's state of one file. If libjpeg fails, it jumps back to a call
// of setjmp in one of the methods. So these must not have objects with
// destructors.
class JpegReader {
 public:
  JpegReader(absl::string_view bytes, bool recover_truncated)
      : recover_truncated_(recover_truncated) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = &JpegReader::Fail;
    errors_.emit_message = [](j_common_ptr, int) {};  // ignores warnings
    info_.client_data = this;
    source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source_.bytes_in_buffer = bytes.size();
    source_.init_source = [](j_decompress_ptr) {};
    source_.fill_input_buffer = &JpegReader::Fill;
    source_.skip_input_data = &JpegReader::Skip;
    source_.resync_to_restart = &jpeg_resync_to_restart;
    source_.term_source = [](j_decompress_ptr) {};
    progress_.progress_monitor = &JpegReader::CheckScans;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  const jpeg_decompress_struct& info() const { return info_; }

  // Reads everything before the pixels. Returns false if the file is damaged.
  bool ReadHeader() {
    if (setjmp(on_error_) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.src = &source_;
    info_.progress = &progress_;
    return jpeg_read_header(&info_, TRUE) == JPEG_HEADER_OK;
  }

  // Decides how the image is decoded, and computes its size. Returns false if
  // libjpeg cannot do that.
  bool SetOptions(const JpegOptions& options) {
    if (setjmp(on_error_) != 0) return false;
    const int channels = NumChannels(options);
    if (channels != 1 && channels != 3) return false;
    const bool has_inks = info_.jpeg_color_space == JCS_CMYK ||
                          info_.jpeg_color_space == JCS_YCCK;
    info_.out_color_space = channels == 1 ? JCS_GRAYSCALE
                            : has_inks    ? JCS_CMYK
                                          : JCS_RGB;
    info_.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
    info_.scale_num = 1;
    info_.scale_denom = static_cast<unsigned>(options.ratio);
    info_.dct_method = options.accurate_dct ? JDCT_ISLOW : JDCT_IFAST;
    jpeg_calc_output_dimensions(&info_);
    return true;
  }

  // Returns the number of channels of the result.
  int NumChannels(const JpegOptions& options) const {
    if (options.channels != 0) return options.channels;
    return std::min(info_.num_components, 3);
  }

  // Returns how many bytes libjpeg keeps until the whole image has been read.
  // These are the coefficients of an image whose file has several scans.
  int64_t KeptBytes() {
    if (!jpeg_has_multiple_scans(&info_)) return 0;
    return int64_t{info_.image_width} * int64_t{info_.image_height} *
           info_.num_components * static_cast<int64_t>(sizeof(JCOEF));
  }

  // Reads the rows of the crop window, or of the whole image. Returns false if
  // the file is damaged. If the file is cut off, there are fewer rows.
  bool ReadRows(const std::optional<CropWindow>& crop, Rows& rows) {
    if (setjmp(on_error_) != 0) return false;
    if (!jpeg_start_decompress(&info_)) return true;
    JDIMENSION left = 0;
    if (crop.has_value()) {
      // libjpeg moves the left edge to where a block begins, and makes the
      // width larger for that.
      JDIMENSION first = static_cast<JDIMENSION>(crop->x);
      JDIMENSION width = static_cast<JDIMENSION>(crop->width);
      jpeg_crop_scanline(&info_, &first, &width);
      left = static_cast<JDIMENSION>(crop->x) - first;
      const auto above = static_cast<JDIMENSION>(crop->y);
      if (above > 0 && jpeg_skip_scanlines(&info_, above) != above) return true;
    }
    JSAMPARRAY row = (*info_.mem->alloc_sarray)(
        reinterpret_cast<j_common_ptr>(&info_), JPOOL_IMAGE,
        info_.output_width * static_cast<JDIMENSION>(info_.output_components),
        1);
    const int64_t row_values = rows.width * rows.channels;
    for (; rows.num_read < rows.height; ++rows.num_read) {
      uint8_t* const to = rows.to + rows.num_read * row_values;
      if (jpeg_read_scanlines(&info_, row, 1) == 0) return true;
      const JSAMPLE* const from =
          row[0] + left * static_cast<JDIMENSION>(info_.output_components);
      if (info_.out_color_space == JCS_CMYK) {
        MixInks(from, rows.width, to);
      } else {
        std::copy(from, from + row_values, to);
      }
    }
    return true;
  }

 private:
  [[noreturn]] static void Fail(j_common_ptr info) {
    longjmp(static_cast<JpegReader*>(info->client_data)->on_error_, 1);
  }

  // Is called when all bytes have been read, but the image is not complete.
  // Returns FALSE to stop, or ends the image. In the middle of a block, the
  // bytes of the block are still there, and libjpeg reads them again. So
  // TensorFlow's pixels there are the same.
  static boolean Fill(j_decompress_ptr info) {
    static const JOCTET kEnd[] = {0xff, JPEG_EOI};
    if (!static_cast<JpegReader*>(info->client_data)->recover_truncated_) {
      return FALSE;
    }
    if (info->src->bytes_in_buffer > 0) {
      static_cast<JpegReader*>(info->client_data)->CountRepeats();
      return TRUE;
    }
    if (info->src->next_input_byte == kEnd + sizeof(kEnd)) {
      Fail(reinterpret_cast<j_common_ptr>(info));
    }
    info->src->next_input_byte = kEnd;
    info->src->bytes_in_buffer = sizeof(kEnd);
    return TRUE;
  }
  // Fails if the same bytes are read again and again.
  void CountRepeats() {
    if (source_.next_input_byte != repeated_) num_repeats_ = 0;
    repeated_ = source_.next_input_byte;
    if (++num_repeats_ > kMaxRepeats) {
      Fail(reinterpret_cast<j_common_ptr>(&info_));
    }
  }
  static void Skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    const size_t skipped =
        std::min(static_cast<size_t>(count), info->src->bytes_in_buffer);
    info->src->next_input_byte += skipped;
    info->src->bytes_in_buffer -= skipped;
  }
  static void CheckScans(j_common_ptr info) {
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number >
        kMaxScans) {
      Fail(info);
    }
  }

  // Makes red, green and blue of a row of four inks. Adobe's programs write
  // inverted inks.
  void MixInks(const JSAMPLE* from, int64_t width, uint8_t* to) const {
    const bool is_inverted = info_.saw_Adobe_marker != FALSE;
    for (int64_t i = 0; i < width; ++i, from += kInks) {
      for (int color = 0; color < 3; ++color) {
        const int ink = is_inverted ? from[color] : 255 - from[color];
        const int black = is_inverted ? from[3] : 255 - from[3];
        *to++ = static_cast<uint8_t>(black * ink / 255);
      }
    }
  }

  const bool recover_truncated_;
  const JOCTET* repeated_ = nullptr;
  int num_repeats_ = 0;
  jpeg_decompress_struct info_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_source_mgr source_ = {};
  jpeg_progress_mgr progress_ = {};
  jmp_buf on_error_;
};

absl::Status Invalid() {
  return absl::InvalidArgumentError(
      "jpeg::Uncompress failed. Invalid JPEG data or crop window.");
}

bool IsWithin(const CropWindow& crop, int64_t height, int64_t width) {
  return crop.y >= 0 && crop.x >= 0 && crop.height > 0 && crop.width > 0 &&
         crop.height <= height && crop.width <= width &&
         crop.y <= height - crop.height && crop.x <= width - crop.width;
}

// Fills the rows that could not be read with the row above them, or with zeros
// if there is none.
void FillRows(const Rows& rows, bool repeat) {
  const int64_t row_values = rows.width * rows.channels;
  for (int64_t row = rows.num_read; row < rows.height; ++row) {
    uint8_t* const to = rows.to + row * row_values;
    if (repeat && row > 0) {
      std::copy(to - row_values, to, to);
    } else {
      std::fill(to, to + row_values, uint8_t{0});
    }
  }
}

}  // namespace

absl::StatusOr<Tensor> DecodeJpeg(absl::string_view bytes,
                                  const JpegOptions& options,
                                  Allocator& allocator) {
  JpegReader reader(bytes, options.recover_truncated);
  if (!reader.ReadHeader() || !reader.SetOptions(options)) return Invalid();
  Rows rows = {.height = int64_t{reader.info().output_height},
               .width = int64_t{reader.info().output_width},
               .channels = reader.NumChannels(options)};
  // libjpeg has checked that no extent exceeds 65,500.
  if (rows.height * rows.width * rows.channels >= kMaxJpegValues)
    return Invalid();
  if (options.crop.has_value()) {
    if (!IsWithin(*options.crop, rows.height, rows.width)) return Invalid();
    rows.height = options.crop->height;
    rows.width = options.crop->width;
  }
  const int64_t kept_bytes = reader.KeptBytes();
  const BufferRef kept = allocator.Reserve(kept_bytes);
  if (kept == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the memory of '", allocator.name(), "' has no room for the ",
        kept_bytes, " bytes of a JPEG file with several scans"));
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor image,
      Tensor::Allocate(allocator, DType::kUint8,
                       Shape{rows.height, rows.width, rows.channels}));
  rows.to = image.mutable_data<uint8_t>().data();
  if (!reader.ReadRows(options.crop, rows)) return Invalid();
  const auto wanted = static_cast<float>(rows.height) *
                      std::min(1.0f, options.acceptable_fraction);
  if (static_cast<float>(rows.num_read) < wanted &&
      !options.recover_truncated) {
    return Invalid();
  }
  FillRows(rows, options.recover_truncated);
  return image;
}

absl::StatusOr<Shape> JpegShape(absl::string_view bytes) {
  JpegReader reader(bytes, /*recover_truncated=*/false);
  if (!reader.ReadHeader()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Invalid JPEG data, size ", bytes.size()));
  }
  return Shape{int64_t{reader.info().image_height},
               int64_t{reader.info().image_width},
               int64_t{reader.info().num_components}};
}

}  // namespace leat
