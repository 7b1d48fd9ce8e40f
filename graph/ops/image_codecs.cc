// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that decode and encode image files.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::image_codecs {
namespace {

// Returns how many channels the decoded image has, or kUnknown if the file
// decides that.
absl::StatusOr<int64_t> Channels(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t channels,
                        context.Attr<int64_t>("channels"));
  if (channels < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("channels must be non-negative, got ", channels));
  }
  return channels == 0 ? PartialShape::kUnknown : channels;
}

absl::Status DecodedShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  LEAT_ASSIGN_OR_RETURN(const int64_t channels, Channels(context));
  return SetOutput({PartialShape::kUnknown, PartialShape::kUnknown, channels},
                   context);
}

absl::Status DecodedGifShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  return SetOutput({PartialShape::kUnknown, PartialShape::kUnknown,
                    PartialShape::kUnknown, 3},
                   context);
}

// An image has rank 3, and an animation has rank 4.
absl::Status DecodedAnyShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(DecodedShape(context));
  LEAT_ASSIGN_OR_RETURN(const bool expand_animations,
                        context.Attr<bool>("expand_animations"));
  if (expand_animations) context.set_output(0, PartialShape());
  return absl::OkStatus();
}

// The crop window is (y, x, height, width).
absl::Status CroppedShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  LEAT_ASSIGN_OR_RETURN(const int64_t channels, Channels(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape window, context.WithRank(1, 1));
  LEAT_RETURN_IF_ERROR(MergeExtents(ExtentOf(window, 0), 4).status());
  std::vector<int64_t> extents = {PartialShape::kUnknown,
                                  PartialShape::kUnknown, channels};
  const auto known = PartialInput(context, 1);
  if (known.has_value() && known->values.size() == 4 && known->values[2] &&
      known->values[3]) {
    extents[0] = *known->values[2];
    extents[1] = *known->values[3];
  }
  return SetOutput(extents, context);
}

absl::Status JpegShapeShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  return SetOutput({3}, context);
}

absl::Status EncodedShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 3).status());
  context.set_output(0, PartialShape(Shape{}));
  return absl::OkStatus();
}

// All axes except the last three are those of the batch.
absl::Status EncodedBatchShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape images,
                        context.WithRankAtLeast(0, 3));
  context.set_output(0, Subshape(images, 0, -3));
  return absl::OkStatus();
}

const std::vector<std::string>& JpegAttrs() {
  static const auto* const attrs =
      new std::vector<std::string>{"channels: int = 0",
                                   "ratio: int = 1",
                                   "fancy_upscaling: bool = true",
                                   "try_recover_truncated: bool = false",
                                   "acceptable_fraction: float = 1.0",
                                   "dct_method: string = ''"};
  return *attrs;
}

void AddJpeg(OpRegistry& registry) {
  registry.Add({.name = "DecodeJpeg",
                .doc = "Decodes an image, which is mostly a JPEG file.",
                .inputs = {"contents: string"},
                .outputs = {"image: uint8"},
                .attrs = JpegAttrs(),
                .shape = DecodedShape,
                .work = works::PerElement<30>},
               {ExpensiveOnCpu()});

  registry.Add({.name = "DecodeAndCropJpeg",
                .doc = "Decodes the part of a JPEG file that lies in a window.",
                .inputs = {"contents: string", "crop_window: int32"},
                .outputs = {"image: uint8"},
                .attrs = JpegAttrs(),
                .shape = CroppedShape,
                .work = works::PerElement<30>},
               {ExpensiveOnCpu()});

  registry.Add({.name = "ExtractJpegShape",
                .doc = "Returns the shape of the image in a JPEG file.",
                .inputs = {"contents: string"},
                .outputs = {"image_shape: output_type"},
                .attrs = {"output_type: {int32, int64} = int32"},
                .shape = JpegShapeShape},
               {OnCpu()});

  registry.Add(
      {.name = "EncodeJpeg",
       .doc = "Encodes an image as a JPEG file.",
       .inputs = {"image: uint8"},
       .outputs = {"contents: string"},
       .attrs = {"format: {'', 'grayscale', 'rgb'} = ''", "quality: int = 95",
                 "progressive: bool = false", "optimize_size: bool = false",
                 "chroma_downsampling: bool = true",
                 "density_unit: {'in', 'cm'} = 'in'", "x_density: int = 300",
                 "y_density: int = 300", "xmp_metadata: string = ''"},
       .shape = EncodedShape,
       .work = works::PerElement<30>},
      {ExpensiveOnCpu()});

  registry.Add({.name = "EncodeJpegVariableQuality",
                .doc = "Encodes an image as a JPEG file of a given quality.",
                .inputs = {"images: uint8", "quality: int32"},
                .outputs = {"contents: string"},
                .shape = EncodedShape,
                .work = works::PerElement<30>},
               {ExpensiveOnCpu()});
}

void AddPng(OpRegistry& registry) {
  registry.Add(
      {.name = "DecodePng",
       .doc = "Decodes an image, which is mostly a PNG file.",
       .inputs = {"contents: string"},
       .outputs = {"image: dtype"},
       .attrs = {"channels: int = 0", "dtype: {uint8, uint16} = uint8"},
       .shape = DecodedShape,
       .work = works::PerElement<20>},
      {ExpensiveOnCpu()});

  registry.Add(
      {.name = "EncodePng",
       .doc = "Encodes images as PNG files.",
       .inputs = {"image: T"},
       .outputs = {"contents: string"},
       .attrs = {"compression: int = -1", "T: {uint8, uint16} = uint8"},
       .shape = EncodedBatchShape,
       .work = works::PerElement<100>},
      {ExpensiveOnCpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddJpeg(registry);
  AddPng(registry);

  registry.Add({.name = "DecodeGif",
                .doc = "Decodes all images of an animation, mostly a GIF file.",
                .inputs = {"contents: string"},
                .outputs = {"image: uint8"},
                .shape = DecodedGifShape,
                .work = works::PerElement<10>},
               {ExpensiveOnCpu()});

  registry.Add({.name = "DecodeBmp",
                .doc = "Decodes an image, which is mostly a BMP file.",
                .inputs = {"contents: string"},
                .outputs = {"image: uint8"},
                .attrs = {"channels: int = 0"},
                .shape = DecodedShape,
                .work = works::PerElement<2>},
               {ExpensiveOnCpu()});

  registry.Add(
      {.name = "DecodeImage",
       .doc = "Decodes a BMP, GIF, JPEG or PNG file.",
       .inputs = {"contents: string"},
       .outputs = {"image: dtype"},
       .attrs = {"channels: int = 0", "dtype: {uint8, uint16, float} = uint8",
                 "expand_animations: bool = true"},
       .shape = DecodedAnyShape,
       .work = works::PerElement<20>},
      {ExpensiveOnCpu()});
}

}  // namespace leat::ops::image_codecs
