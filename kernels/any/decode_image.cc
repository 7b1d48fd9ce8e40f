// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of DecodeImage, DecodeBmp, DecodeGif, DecodeJpeg,
// DecodePng, DecodeAndCropJpeg and ExtractJpegShape. As in TensorFlow, an op
// that is named after a format decodes most others, too.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/decode_image.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::decode_image {
namespace {

// Says which files an op decodes.
enum class Accepts : uint8_t { kAll, kAllButBmp, kOnlyBmp, kOnlyJpeg };

// Says which shape the image gets.
enum class Frames : uint8_t {
  kOne,      // [height, width, channels]
  kAll,      // [frames, height, width, channels]
  kIfAnyGif  // as kAll for a GIF file, and otherwise as kOne
};

struct Op {
  Accepts accepts = Accepts::kAll;
  Frames frames = Frames::kOne;
};

absl::Status CheckFormat(Accepts accepts, ImageFormat format,
                         absl::string_view op) {
  const bool is_bmp = format == ImageFormat::kBmp;
  if (accepts == Accepts::kOnlyJpeg && format != ImageFormat::kJpeg) {
    return absl::InvalidArgumentError(
        absl::StrCat(op, " operation can run on JPEG only, but detected ",
                     Name(format), "."));
  }
  if (accepts == Accepts::kAllButBmp && is_bmp) {
    return absl::InvalidArgumentError(
        absl::StrCat("Trying to decode BMP format using a wrong op. Use "
                     "`decode_bmp` or `decode_image` instead. Op used: ",
                     op));
  }
  if (accepts == Accepts::kOnlyBmp && !is_bmp) {
    return absl::InvalidArgumentError(
        absl::StrCat("Trying to decode ", Name(format), " format using ", op,
                     " op. Use `decode_", absl::AsciiStrToLower(Name(format)),
                     "` or `decode_image` instead."));
  }
  return absl::OkStatus();
}

// Returns input 0, the bytes of the file.
absl::StatusOr<absl::string_view> GetContents(const KernelContext& context) {
  const Tensor& contents = context.input(0);
  if (!contents.shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("`contents` must be scalar but got shape",
                     contents.shape().DebugString()));
  }
  return contents.scalar<std::string>();
}

absl::StatusOr<CropWindow> GetCropWindow(const Tensor& window) {
  if (!window.shape().IsVector()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "crop_window must be 1-D, got shape ", window.shape().DebugString()));
  }
  if (window.num_elements() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "crop_size must have four elements ", window.shape().DebugString()));
  }
  const auto values = window.data<int32_t>();
  return CropWindow{values[0], values[1], values[2], values[3]};
}

class DecodeImageKernel final : public Kernel {
 public:
  DecodeImageKernel(const Op& op, const ImageOptions& options)
      : op_(op), options_(options) {}

  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const absl::string_view contents,
                          GetContents(context));
    if (contents.empty()) {
      return absl::InvalidArgumentError("Input is empty.");
    }
    ImageOptions options = options_;
    if (context.num_inputs() > 1) {
      LEAT_ASSIGN_OR_RETURN(options.jpeg.crop, GetCropWindow(context.input(1)));
    }
    const ImageFormat format = FormatOf(contents);
    if (format != ImageFormat::kUnknown) {
      LEAT_RETURN_IF_ERROR(CheckChannels(format, options.channels));
      LEAT_RETURN_IF_ERROR(
          CheckFormat(op_.accepts, format, context.node().op->name));
    }
    LEAT_ASSIGN_OR_RETURN(
        const Tensor image,
        DecodeImage(contents, options, context.step().device->allocator()));
    LEAT_ASSIGN_OR_RETURN(Tensor shaped, WithFrames(image, format));
    context.set_output(0, std::move(shaped));
    return absl::OkStatus();
  }

 private:
  // Gives the image the shape that the op declares.
  absl::StatusOr<Tensor> WithFrames(const Tensor& image,
                                    ImageFormat format) const {
    const bool is_gif = format == ImageFormat::kGif;
    const absl::Span<const int64_t> dims = image.shape().dims();
    if (is_gif && op_.frames == Frames::kOne) {
      if (image.dim(0) != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("Got ", image.dim(0),
                         " frames, but animated gifs can only be decoded by "
                         "tf.io.decode_gif or tf.io.decode_image"));
      }
      return image.Reshaped(Shape{dims[1], dims[2], dims[3]});
    }
    if (!is_gif && op_.frames == Frames::kAll) {
      return image.Reshaped(Shape{1, dims[0], dims[1], dims[2]});
    }
    return image;
  }

  const Op op_;
  const ImageOptions options_;
};

absl::Status ReadJpegOptions(const NodeDef& node, JpegOptions& options) {
  LEAT_ASSIGN_OR_RETURN(options.ratio, node.attrs.GetInt32("ratio"));
  LEAT_ASSIGN_OR_RETURN(options.fancy_upscaling,
                        node.attrs.Get<bool>("fancy_upscaling"));
  LEAT_ASSIGN_OR_RETURN(options.recover_truncated,
                        node.attrs.Get<bool>("try_recover_truncated"));
  LEAT_ASSIGN_OR_RETURN(options.acceptable_fraction,
                        node.attrs.Get<float>("acceptable_fraction"));
  LEAT_ASSIGN_OR_RETURN(const std::string dct_method,
                        node.attrs.Get<std::string>("dct_method"));
  const int ratio = options.ratio;
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("ratio must be 1, 2, 4, or 8, got ", ratio));
  }
  options.accurate_dct = dct_method == "INTEGER_ACCURATE";
  if (!options.accurate_dct && dct_method != "INTEGER_FAST" &&
      !dct_method.empty()) {
    return absl::InvalidArgumentError(
        "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeDecoder(const NodeDef& node,
                                                    const Op& op) {
  ImageOptions options;
  if (node.attrs.Has("channels")) {
    LEAT_ASSIGN_OR_RETURN(options.channels, node.attrs.GetInt32("channels"));
  } else {
    options.channels = 3;  // of a GIF file
  }
  if (options.channels != 0 && options.channels != 1 && options.channels != 3 &&
      options.channels != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "`channels` must be 0, 1, 3 or 4 but got ", options.channels));
  }
  LEAT_ASSIGN_OR_RETURN(options.type,
                        node.attrs.GetOr<DType>("dtype", DType::kUint8));
  if (node.attrs.Has("ratio")) {
    LEAT_RETURN_IF_ERROR(ReadJpegOptions(node, options.jpeg));
  }
  Op actual = op;
  LEAT_ASSIGN_OR_RETURN(const bool expand_animations,
                        node.attrs.GetOr<bool>("expand_animations", true));
  if (!expand_animations) {
    options.first_frame_only = true;
    actual.frames = Frames::kOne;
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<DecodeImageKernel>(actual, options));
}

template <Accepts accepts, Frames frames>
absl::StatusOr<std::unique_ptr<Kernel>> MakeDecoderOf(const NodeDef& node) {
  return MakeDecoder(node, {accepts, frames});
}

absl::Status ExtractJpegShape(KernelContext& context) {
  const Tensor& contents = context.input(0);
  if (!contents.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "contents must be scalar, got shape ", contents.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape shape,
                        JpegShape(contents.scalar<std::string>()));
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.AllocateOutput(0, Shape{shape.rank()}));
  VisitDType(kIndices, output->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto extents = output->mutable_data<T>();
    for (int i = 0; i < shape.rank(); ++i) {
      extents[i] = static_cast<T>(shape.dim(i));
    }
  });
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("DecodeImage", kCpu,
               &MakeDecoderOf<Accepts::kAll, Frames::kIfAnyGif>);
  registry.Add("DecodeBmp", kCpu,
               &MakeDecoderOf<Accepts::kOnlyBmp, Frames::kOne>);
  registry.Add("DecodeGif", kCpu,
               &MakeDecoderOf<Accepts::kAllButBmp, Frames::kAll>);
  registry.Add("DecodeJpeg", kCpu,
               &MakeDecoderOf<Accepts::kAllButBmp, Frames::kOne>);
  registry.Add("DecodePng", kCpu,
               &MakeDecoderOf<Accepts::kAllButBmp, Frames::kOne>);
  registry.Add("DecodeAndCropJpeg", kCpu,
               &MakeDecoderOf<Accepts::kOnlyJpeg, Frames::kOne>);
  registry.Add("ExtractJpegShape", kCpu, &MakeFunction<&ExtractJpegShape>);
}

}  // namespace leat::kernels::any::decode_image
