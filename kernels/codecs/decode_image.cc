// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/decode_image.h"

#include <cstdint>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/decode_bmp.h"
#include "leat/kernels/codecs/decode_gif.h"
#include "leat/kernels/codecs/decode_png.h"

namespace leat {
namespace {

// Converts an image, whose channels have the type From, to the type To. As in
// TensorFlow, integers are scaled by the ratio of the numbers of values.
template <class From, class To>
absl::StatusOr<Tensor> Convert(const Tensor& image, Allocator& allocator) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor converted,
      Tensor::Allocate(allocator, kDTypeOf<To>, image.shape()));
  const auto from = image.data<From>();
  const auto to = converted.mutable_data<To>();
  constexpr int kMost = std::numeric_limits<From>::max();
  constexpr To kScale = std::is_integral_v<To> ? To{256} : To{1} / kMost;
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<To>(static_cast<To>(from[i]) * kScale);
  }
  return converted;
}

absl::StatusOr<Tensor> DecodePngAs(absl::string_view bytes,
                                   const ImageOptions& options,
                                   Allocator& allocator) {
  const bool is_byte = options.type == DType::kUint8;
  LEAT_ASSIGN_OR_RETURN(
      Tensor image,
      DecodePng(bytes, options.channels,
                is_byte ? DType::kUint8 : DType::kUint16, allocator));
  if (options.type != DType::kFloat) return image;
  return Convert<uint16_t, float>(image, allocator);
}

// Decodes a file of a format whose channels have eight bits.
absl::StatusOr<Tensor> DecodeBytes(absl::string_view bytes, ImageFormat format,
                                   const ImageOptions& options,
                                   Allocator& allocator) {
  if (format == ImageFormat::kGif) {
    return DecodeGif(bytes, options.first_frame_only, allocator);
  }
  if (format == ImageFormat::kBmp) {
    return DecodeBmp(bytes, options.channels, allocator);
  }
  JpegOptions jpeg = options.jpeg;
  jpeg.channels = options.channels;
  return DecodeJpeg(bytes, jpeg, allocator);
}

}  // namespace

ImageFormat FormatOf(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (absl::StartsWith(bytes, "\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (absl::StartsWith(bytes, "GIF8")) return ImageFormat::kGif;
  if (absl::StartsWith(bytes, "BM")) return ImageFormat::kBmp;
  return ImageFormat::kUnknown;
}

absl::string_view Name(ImageFormat format) {
  switch (format) {
    case ImageFormat::kBmp:
      return "BMP";
    case ImageFormat::kGif:
      return "GIF";
    case ImageFormat::kJpeg:
      return "JPEG";
    case ImageFormat::kPng:
      return "PNG";
    case ImageFormat::kUnknown:
      break;
  }
  return "unknown";
}

absl::Status CheckChannels(ImageFormat format, int channels) {
  if (format == ImageFormat::kJpeg && channels == 4) {
    return absl::InvalidArgumentError("JPEG does not support 4 channels");
  }
  if (format == ImageFormat::kGif && channels != 0 && channels != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("channels must be 0 or 3 for GIF, got ", channels));
  }
  if (format == ImageFormat::kBmp && channels == 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "`channels` must be 0, 3 or 4 for BMP, but got ", channels));
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> DecodeImage(absl::string_view bytes,
                                   const ImageOptions& options,
                                   Allocator& allocator) {
  const ImageFormat format = FormatOf(bytes);
  if (format == ImageFormat::kUnknown) {
    return absl::InvalidArgumentError(
        "Unknown image file format. One of JPEG, PNG, GIF, BMP required.");
  }
  LEAT_RETURN_IF_ERROR(CheckChannels(format, options.channels));
  if (format == ImageFormat::kPng) {
    return DecodePngAs(bytes, options, allocator);
  }
  LEAT_ASSIGN_OR_RETURN(Tensor image,
                        DecodeBytes(bytes, format, options, allocator));
  if (options.type == DType::kUint16) {
    return Convert<uint8_t, uint16_t>(image, allocator);
  }
  if (options.type == DType::kFloat) {
    return Convert<uint8_t, float>(image, allocator);
  }
  return image;
}

}  // namespace leat
