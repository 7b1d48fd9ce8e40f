// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/encode_jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE

#include <jerror.h>
#include <jpeglib.h>

#include "leat/core/check.h"

namespace leat {
namespace {

constexpr size_t kChunkBytes = 32 << 10;
// Comes before XMP metadata, with a zero byte behind it.
constexpr absl::string_view kXmpName = "http://ns.adobe.com/xap/1.0/";
constexpr int kXmpMarker = JPEG_APP0 + 1;

// Owns libjpeg's state. If libjpeg fails, it jumps back to the call of setjmp
// in Write, which so must not have objects with destructors.
class JpegWriter {
 public:
  JpegWriter() {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = &JpegWriter::Fail;
    errors_.emit_message = [](j_common_ptr, int) {};  // ignores warnings
    info_.client_data = this;
    destination_.init_destination = &JpegWriter::Begin;
    destination_.empty_output_buffer = &JpegWriter::Append;
    destination_.term_destination = &JpegWriter::End;
  }
  ~JpegWriter() { jpeg_destroy_compress(&info_); }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  // `metadata` is the whole content of the marker for XMP, or empty.
  bool Write(const ImageView& image, const JpegEncoding& encoding,
             absl::string_view metadata) {
    if (setjmp(on_error_) != 0) return false;
    jpeg_create_compress(&info_);
    info_.dest = &destination_;
    SetOptions(image, encoding);
    jpeg_start_compress(&info_, TRUE);
    if (!metadata.empty()) {
      jpeg_write_marker(&info_, kXmpMarker,
                        reinterpret_cast<const JOCTET*>(metadata.data()),
                        static_cast<unsigned>(metadata.size()));
    }
    const int64_t row_bytes = image.width * image.channels;
    for (int64_t row = 0; row < image.height; ++row) {
      // libjpeg does not write to the row.
      auto* from = const_cast<JSAMPLE*>(image.pixels.data() + row * row_bytes);
      jpeg_write_scanlines(&info_, &from, 1);
    }
    jpeg_finish_compress(&info_);
    return true;
  }

  std::string& encoded() { return encoded_; }

 private:
  void SetOptions(const ImageView& image, const JpegEncoding& encoding) {
    info_.image_width = static_cast<JDIMENSION>(image.width);
    info_.image_height = static_cast<JDIMENSION>(image.height);
    info_.input_components = image.channels;
    info_.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    if (encoding.optimize_size) info_.optimize_coding = TRUE;
    info_.density_unit = encoding.density_in_cm ? 2 : 1;
    info_.X_density = static_cast<UINT16>(encoding.x_density);
    info_.Y_density = static_cast<UINT16>(encoding.y_density);
    jpeg_set_quality(&info_, encoding.quality, TRUE);
    if (encoding.progressive) jpeg_simple_progression(&info_);
    if (!encoding.chroma_downsampling) {
      for (int i = 0; i < info_.num_components; ++i) {
        info_.comp_info[i].h_samp_factor = 1;
        info_.comp_info[i].v_samp_factor = 1;
      }
    }
  }

  static JpegWriter& Of(j_compress_ptr info) {
    return *static_cast<JpegWriter*>(info->client_data);
  }
  [[noreturn]] static void Fail(j_common_ptr info) {
    longjmp(static_cast<JpegWriter*>(info->client_data)->on_error_, 1);
  }
  static void Begin(j_compress_ptr info) {
    info->dest->next_output_byte = Of(info).chunk_;
    info->dest->free_in_buffer = kChunkBytes;
  }
  static boolean Append(j_compress_ptr info) {
    Of(info).encoded_.append(reinterpret_cast<const char*>(Of(info).chunk_),
                             kChunkBytes);
    Begin(info);
    return TRUE;
  }
  static void End(j_compress_ptr info) {
    Of(info).encoded_.append(reinterpret_cast<const char*>(Of(info).chunk_),
                             kChunkBytes - info->dest->free_in_buffer);
  }

  std::string encoded_;
  JOCTET chunk_[kChunkBytes];
  jpeg_compress_struct info_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_destination_mgr destination_ = {};
  jmp_buf on_error_;
};

}  // namespace

absl::StatusOr<std::string> EncodeJpeg(const ImageView& image,
                                       const JpegEncoding& encoding) {
  LEAT_CHECK(image.channels == 1 || image.channels == 3);
  LEAT_CHECK(static_cast<int64_t>(image.pixels.size()) ==
             image.width * image.height * image.channels);
  std::string metadata;
  if (!encoding.xmp_metadata.empty()) {
    metadata = std::string(kXmpName) + '\0' + encoding.xmp_metadata;
  }
  JpegWriter writer;
  const bool fits = std::max(image.width, image.height) <= JPEG_MAX_DIMENSION;
  if (!fits || !writer.Write(image, encoding, metadata)) {
    return absl::InternalError("JPEG encoding failed");
  }
  return std::move(writer.encoded());
}

}  // namespace leat
