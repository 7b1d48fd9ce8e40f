// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of EncodeJpeg, EncodeJpegVariableQuality and EncodePng.
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/codecs/encode_jpeg.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/summary/encode_png.h"

namespace leat::kernels::any::encode_image {
namespace {

absl::Status CheckQuality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("quality must be in [0,100], got ", quality));
}

// Encodes input 0, which has `channels` channels. If `channels` is 0, it may
// have 1 or 3.
absl::Status EncodeAsJpeg(const JpegEncoding& encoding, int channels,
                          absl::string_view format, KernelContext& context) {
  const Tensor& image = context.input(0);
  const std::string shape = image.shape().DebugString();
  if (image.rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("image must be 3-dimensional", shape));
  }
  const int64_t actual = image.dim(2);
  if (channels == 0 && actual != 1 && actual != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("image must have 1 or 3 channels, got ", shape));
  }
  if (channels != 0 && actual != channels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "format ", format, " expects ", channels, " channels, got ", shape));
  }
  LEAT_ASSIGN_OR_RETURN(std::string file,
                        EncodeJpeg({.width = image.dim(1),
                                    .height = image.dim(0),
                                    .channels = static_cast<int>(actual),
                                    .pixels = image.data<uint8_t>()},
                                   encoding));
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.AllocateOutput(0, Shape{}, HeldBytes(file)));
  output->mutable_data<std::string>()[0] = std::move(file);
  return absl::OkStatus();
}

class EncodeJpegKernel final : public Kernel {
 public:
  EncodeJpegKernel(JpegEncoding encoding, std::string format)
      : encoding_(std::move(encoding)), format_(std::move(format)) {}

  absl::Status Compute(KernelContext& context) const override {
    const int channels = format_ == "grayscale" ? 1 : format_ == "rgb" ? 3 : 0;
    return EncodeAsJpeg(encoding_, channels, format_, context);
  }

 private:
  const JpegEncoding encoding_;
  const std::string format_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeEncodeJpeg(const NodeDef& node) {
  const AttrMap& attrs = node.attrs;
  JpegEncoding encoding;
  LEAT_ASSIGN_OR_RETURN(std::string format, attrs.Get<std::string>("format"));
  LEAT_ASSIGN_OR_RETURN(encoding.quality, attrs.GetInt32("quality"));
  LEAT_ASSIGN_OR_RETURN(encoding.progressive, attrs.Get<bool>("progressive"));
  LEAT_ASSIGN_OR_RETURN(encoding.optimize_size,
                        attrs.Get<bool>("optimize_size"));
  LEAT_ASSIGN_OR_RETURN(encoding.chroma_downsampling,
                        attrs.Get<bool>("chroma_downsampling"));
  LEAT_ASSIGN_OR_RETURN(const std::string unit,
                        attrs.Get<std::string>("density_unit"));
  encoding.density_in_cm = unit == "cm";
  LEAT_ASSIGN_OR_RETURN(encoding.x_density, attrs.GetInt32("x_density"));
  LEAT_ASSIGN_OR_RETURN(encoding.y_density, attrs.GetInt32("y_density"));
  LEAT_ASSIGN_OR_RETURN(encoding.xmp_metadata,
                        attrs.Get<std::string>("xmp_metadata"));
  LEAT_RETURN_IF_ERROR(CheckQuality(encoding.quality));
  return std::unique_ptr<Kernel>(std::make_unique<EncodeJpegKernel>(
      std::move(encoding), std::move(format)));
}

absl::Status EncodeJpegVariableQuality(KernelContext& context) {
  const Tensor& quality = context.input(1);
  if (!quality.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "quality must be scalar: ", quality.shape().DebugString()));
  }
  LEAT_RETURN_IF_ERROR(CheckQuality(quality.scalar<int32_t>()));
  return EncodeAsJpeg({.quality = quality.scalar<int32_t>()}, 0, "", context);
}

// Collects which images of a batch cannot be encoded. Is thread-safe.
class Failures {
 public:
  void Add(int64_t i, const absl::Status& status) {
    MutexLock lock(mutex_);
    if (absl::IsInternal(status)) {
      if (indices_.size() < kMaxShown) indices_.insert(i);
    } else {
      other_.Update(status);
    }
  }
  absl::Status status() {
    MutexLock lock(mutex_);
    if (!other_.ok() || indices_.empty()) return other_;
    return absl::InternalError(absl::StrCat(
        "PNG encoding failed at the following flattened batch indices: ",
        absl::StrJoin(indices_, ", ")));
  }

 private:
  static constexpr size_t kMaxShown = 100;
  Mutex mutex_;
  std::set<int64_t> indices_ ABSL_GUARDED_BY(mutex_);
  absl::Status other_ ABSL_GUARDED_BY(mutex_);  // the step was cancelled
};

// Input 0 has any number of images, which threads share.
class EncodePngKernel final : public Kernel {
 public:
  explicit EncodePngKernel(int compression) : compression_(compression) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& images = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const ImageView first, FirstOf(images));
    LEAT_ASSIGN_OR_RETURN(const Shape batch,
                          Shape::Create(images.shape().dims().subspan(
                              0, images.shape().dims().size() - 3)));
    const int64_t count = batch.num_elements();
    const auto size = static_cast<int64_t>(first.pixels.size());
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(
            0, batch,
            MostHeldBytes(count, SaturatingMultiply(count, MostBytes(first)))));
    const auto files = output->mutable_data<std::string>();
    Failures failures;
    ParallelFor(context.compute_queue(), count, SaturatingMultiply(size, 20),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    ImageView image = first;
                    image.pixels = absl::MakeConstSpan(
                        first.pixels.data() + i * size, first.pixels.size());
                    auto file = EncodePng(
                        image, {.compression = compression_,
                                .cancellation = context.step().cancellation});
                    if (!file.ok()) {
                      failures.Add(i, file.status());
                    } else {
                      files[i] = *std::move(file);
                    }
                  }
                });
    return failures.status();
  }

 private:
  static absl::StatusOr<ImageView> FirstOf(const Tensor& images) {
    const int rank = images.rank();
    if (rank < 3) {
      return absl::InvalidArgumentError(absl::StrCat(
          "images must be at least rank 3", images.shape().DebugString()));
    }
    const int64_t channels = images.dim(rank - 1);
    if (channels < 1 || channels > 4) {
      return absl::InvalidArgumentError(absl::StrCat(
          "image must have 1, 2, 3, or 4 channels, got ", channels));
    }
    ImageView first = {
        .width = images.dim(rank - 2),
        .height = images.dim(rank - 3),
        .channels = static_cast<int>(channels),
        .channel_bytes = static_cast<int>(SizeOf(images.dtype()))};
    if (first.width > INT32_MAX || first.height > INT32_MAX) {
      return absl::InvalidArgumentError(absl::StrCat(
          "an image is too large for PNG: ", images.shape().DebugString()));
    }
    first.pixels = absl::MakeConstSpan(
        reinterpret_cast<const uint8_t*>(images.raw_data()),
        static_cast<size_t>(first.width * first.height * channels *
                            first.channel_bytes));
    return first;
  }

  // Returns an upper bound for the size of an image's file.
  static int64_t MostBytes(const ImageView& image) {
    const auto size = static_cast<int64_t>(image.pixels.size());
    return size + size / 100 + image.height + 256;
  }

  const int compression_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeEncodePng(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int compression,
                        node.attrs.GetInt32("compression"));
  if (compression < -1 || compression > 9) {
    return absl::InvalidArgumentError(
        absl::StrCat("compression should be in [-1,9], got ", compression));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<EncodePngKernel>(compression));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("EncodeJpeg", kCpu, &MakeEncodeJpeg);
  registry.Add("EncodeJpegVariableQuality", kCpu,
               &MakeFunction<&EncodeJpegVariableQuality>);
  registry.Add("EncodePng", kCpu, &MakeEncodePng);
}

}  // namespace leat::kernels::any::encode_image
