// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ResizeNearestNeighbor, ResizeBilinear and the ops of their gradients.
#include <string>
#include <utility>
#include <vector>

#include <algorithm>
#include "absl/strings/string_view.h"
#include "leat/core/cpu_dtype_list.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::resize {
namespace {

constexpr auto kNearestGrad = kFloats + DTypeList<uint8_t, int8_t, int32_t>();

// The output has the batch and the channels of input 0, and the height and the
// width of input 1.
absl::Status SizedShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape images, context.WithRank(0, 4));
  LEAT_ASSIGN_OR_RETURN(const PartialShape size, context.WithRank(1, 1));
  LEAT_RETURN_IF_ERROR(MergeExtents(size.dim(0), 2).status());
  Dims dims(images.dims().begin(), images.dims().end());
  dims[1] = dims[2] = PartialShape::kUnknown;
  if (const Tensor* value = context.input_value(1); value != nullptr) {
    LEAT_ASSIGN_OR_RETURN(const Dims sizes, GetIndices(*value, "size"));
    dims[1] = sizes[0];
    dims[2] = sizes[1];
  }
  return SetOutput(dims, context);
}

// The gradient of ResizeBilinear has the shape of the original image.
absl::Status OriginalShape(InferenceContext& context) {
  context.set_output(0, context.input(1));
  return absl::OkStatus();
}

// Reads four pixels for each pixel of the output, and interpolates three times
// between two of them.
Work BilinearWork(const WorkContext& context) {
  const TensorSpec& images = context.input(0);
  const double pixels = context.output(0).num_elements();
  const double all = images.num_elements();
  const double read = std::min(4 * pixels, all) / std::max(all, 1.0);
  return {.flops = 9 * pixels,
          .bytes_read = read * images.num_bytes(),
          .bytes_written = context.output(0).num_bytes()};
}

OpSpec Resize(absl::string_view name, absl::string_view doc,
              std::vector<std::string> inputs, absl::string_view output,
              absl::string_view types, ShapeFunction shape, WorkFunction work) {
  OpSpec spec;
  spec.name = std::string(name);
  spec.doc = doc;
  spec.inputs = std::move(inputs);
  spec.outputs = {std::string(output)};
  spec.attrs = {std::string(types), "align_corners: bool = false",
                "half_pixel_centers: bool = false"};
  spec.shape = shape;
  spec.work = work;
  return spec;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      Resize("ResizeNearestNeighbor",
             "Resizes images by copying the nearest pixels.",
             {"images: T", "size: int32"}, "resized_images: T",
             "T: {int8, uint8, int16, uint16, int32, int64, half, float, "
             "double, bfloat16}",
             SizedShape, works::Take),
      {OnCpu({{"T", kNumbersButLargeUints.dtypes()}})});
  registry.Add(
      Resize("ResizeNearestNeighborGrad",
             "Computes the gradient of ResizeNearestNeighbor: sums over copies "
             "of a pixel.",
             {"grads: T", "size: int32"}, "output: T",
             "T: {uint8, int8, int32, half, float, double, bfloat16}",
             SizedShape, ElementWiseWork),
      {ExpensiveOnCpu({{"T", kNearestGrad.dtypes()}})});
  registry.Add(
      Resize("ResizeBilinear",
             "Resizes images by linear interpolation along height and width.",
             {"images: T", "size: int32"}, "resized_images: float",
             "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, "
             "float, double, bfloat16}",
             SizedShape, BilinearWork),
      {ExpensiveOnCpu({{"T", kNumbersButLargeUints.dtypes()}})});
  registry.Add(
      Resize("ResizeBilinearGrad",
             "Computes the gradient of ResizeBilinear with respect to the "
             "images.",
             {"grads: float", "original_image: T"}, "output: T",
             "T: {float, bfloat16, half, double}", OriginalShape,
             works::PerElement<8>),
      {ExpensiveOnCpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::resize
