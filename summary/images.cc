// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines AddImages.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/protos/summary.pb.h"
#include "leat/summary/encode_png.h"
#include "leat/summary/records.h"
#include "leat/summary/values.h"

namespace leat {
namespace {

constexpr DTypeList<half, float, double> kScaledTypes;
constexpr int64_t kMaxExtent = int64_t{1} << 31;
constexpr int64_t kMaxPixels = int64_t{1} << 29;
constexpr float kZeroThreshold = 1e-6F;  // images below it are black

// Describes the shape of a batch of images. The shape is within TensorFlow's
// limits.
struct Batch {
  int64_t size;
  int64_t height;
  int64_t width;
  int64_t channels;

  size_t image_size() const {
    return static_cast<size_t>(height * width * channels);
  }
};

absl::StatusOr<Batch> GetBatch(const Shape& shape) {
  if (shape.rank() != 4 ||
      (shape.dim(3) != 1 && shape.dim(3) != 3 && shape.dim(3) != 4)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tensor must be 4-D with last dim 1, 3, or 4, not ",
                     shape.DebugString()));
  }
  const Batch batch = {shape.dim(0), shape.dim(1), shape.dim(2), shape.dim(3)};
  if (batch.size >= kMaxExtent || batch.height >= kMaxExtent ||
      batch.width >= kMaxExtent || batch.height * batch.width >= kMaxPixels) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tensor too large for summary ", shape.DebugString()));
  }
  if (batch.height * batch.width == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input tensor must have non-zero dims. Found: [", batch.size, ", ",
        batch.height, ", ", batch.width, ", ", batch.channels, "]."));
  }
  return batch;
}

// Multiplies and adds in the type T, rounding twice, as TensorFlow does.
template <class T>
T MultiplyAdd(T value, T scale, T offset) {
  if constexpr (std::is_same_v<T, half>) {
    return half(half(value * scale) + offset);
  } else {
    return value * scale + offset;
  }
}

// Converts like x86: a number that does not fit an int32 becomes 0.
uint8_t ToByte(double value) {
  if (!(value > -0x1p31 && value < 0x1p31)) return 0;
  return static_cast<uint8_t>(static_cast<int32_t>(value));
}

// Scales one image to bytes.
template <class T>
class Scaling {
 public:
  // Computes the scale and the offset from the least and the greatest value.
  // Ignores pixels with a channel that is not finite.
  Scaling(absl::Span<const T> values, size_t channels) : channels_(channels) {
    float min = std::numeric_limits<float>::infinity();
    float max = -min;
    for (size_t i = 0; i < values.size(); i += channels) {
      const auto pixel = values.subspan(i, channels);
      if (!IsFinite(pixel)) continue;
      for (const T& value : pixel) {
        min = std::min(min, static_cast<float>(value));
        max = std::max(max, static_cast<float>(value));
      }
    }
    const bool is_signed = min < 0;
    const float magnitude =
        is_signed ? std::max(std::abs(min), std::abs(max)) : max;
    const float range = is_signed ? 127.0F : 255.0F;
    scale_ = T(magnitude < kZeroThreshold ? 0.0F : range / magnitude);
    offset_ = T(is_signed ? 128.0F : 0.0F);
  }

  void Apply(absl::Span<const T> values, absl::Span<const uint8_t> bad_color,
             absl::Span<uint8_t> bytes) const {
    for (size_t i = 0; i < values.size(); i += channels_) {
      const bool is_finite = IsFinite(values.subspan(i, channels_));
      for (size_t j = 0; j < channels_; ++j) {
        bytes[i + j] = is_finite ? ToByte(static_cast<double>(MultiplyAdd<T>(
                                       values[i + j], scale_, offset_)))
                                 : bad_color[j];
      }
    }
  }

 private:
  static bool IsFinite(absl::Span<const T> pixel) {
    return std::all_of(pixel.begin(), pixel.end(), [](const T& value) {
      return std::isfinite(static_cast<double>(value));
    });
  }

  const size_t channels_;
  T scale_;
  T offset_;
};

// Adds an image to the summary. Returns the size of its PNG in bytes.
absl::StatusOr<int64_t> AddImage(const std::string& tag, const Batch& batch,
                                 absl::Span<const uint8_t> pixels,
                                 const Cancellation* cancellation,
                                 pb::Summary& summary) {
  pb::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  pb::Summary::Image& image = *value.mutable_image();
  image.set_height(static_cast<int32_t>(batch.height));
  image.set_width(static_cast<int32_t>(batch.width));
  image.set_colorspace(static_cast<int32_t>(batch.channels));
  LEAT_ASSIGN_OR_RETURN(*image.mutable_encoded_image_string(),
                        EncodePng({.width = batch.width,
                                   .height = batch.height,
                                   .channels = static_cast<int>(batch.channels),
                                   .pixels = pixels},
                                  {.cancellation = cancellation}));
  return static_cast<int64_t>(image.encoded_image_string().size());
}

// Calls `add` with the number and the tag of each image. `add` returns how many
// bytes it has added.
template <class Add>
absl::Status ForEachImage(const std::string& tag, const Batch& batch,
                          int64_t max_images, Add add) {
  const int64_t num_images = std::min(max_images, batch.size);
  LEAT_RETURN_IF_ERROR(CheckNumValues(num_images, tag));
  int64_t bytes = 0;
  for (int64_t i = 0; i < num_images; ++i) {
    const std::string number = max_images > 1 ? absl::StrCat("/", i) : "";
    LEAT_ASSIGN_OR_RETURN(
        const int64_t more,
        add(static_cast<size_t>(i), absl::StrCat(tag, "/image", number)));
    bytes = SaturatingAdd(bytes, more);
    if (bytes > kMaxRecordBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("the images take more than ", kMaxRecordBytes,
                       " bytes, which is too much for a summary"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<absl::Span<const uint8_t>> BadColorOf(const Tensor& bad_color) {
  if (bad_color.dtype() != DType::kUint8) {
    return absl::InvalidArgumentError(
        absl::StrCat("bad_color must be uint8, got ", Name(bad_color.dtype())));
  }
  if (!bad_color.shape().IsVector()) {
    return absl::InvalidArgumentError(
        absl::StrCat("bad_color must be a vector, got shape ",
                     bad_color.shape().DebugString()));
  }
  return bad_color.data<uint8_t>();
}

absl::Status AddImages(const std::string& tag, const Tensor& images,
                       const ImageOptions& options, pb::Summary& summary) {
  LEAT_ASSIGN_OR_RETURN(const Batch batch, GetBatch(images.shape()));
  const size_t size = batch.image_size();
  if (images.dtype() == DType::kUint8) {
    return ForEachImage(
        tag, batch, options.max_images, [&](size_t i, const std::string& name) {
          const auto all = images.data<uint8_t>();
          return AddImage(name, batch, all.subspan(i * size, size),
                          options.cancellation, summary);
        });
  }
  if (batch.size == 0) return absl::OkStatus();  // does not need bad_color
  if (static_cast<int64_t>(options.bad_color.size()) < batch.channels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected depth <= bad_color.size, got depth = ", batch.channels,
        ", bad_color.size = ", options.bad_color.size()));
  }
  absl::Status status = absl::InvalidArgumentError(absl::StrCat(
      "images of ", Name(images.dtype()), " cannot be in a summary"));
  VisitDType(kScaledTypes, images.dtype(), [&](auto of) {
    using T = typename decltype(of)::type;
    std::vector<uint8_t> bytes(size);
    status = ForEachImage(
        tag, batch, options.max_images, [&](size_t i, const std::string& name) {
          const auto values = images.data<T>().subspan(i * size, size);
          Scaling<T>(values, static_cast<size_t>(batch.channels))
              .Apply(values, options.bad_color, absl::MakeSpan(bytes));
          return AddImage(name, batch, bytes, options.cancellation, summary);
        });
  });
  return status;
}

}  // namespace leat
