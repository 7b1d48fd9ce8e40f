// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that move blocks of space into the batch (SpaceToBatchND,
// SpaceToBatch) or the channels (SpaceToDepth), and those that move them back.
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/paddings.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::space_to_batch {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

// Returns extent / divisor, or kUnknown if one of them is unknown. Fails if the
// division leaves a rest.
absl::StatusOr<int64_t> DivideExtent(int64_t extent, int64_t divisor) {
  if (extent == kUnknown || divisor == kUnknown) return kUnknown;
  if (extent % divisor != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Dimension size must be evenly divisible by ", divisor,
                     " but is ", extent));
  }
  return extent / divisor;
}

// Describes the blocks as far as they are known. `sizes` has one entry for each
// dimension of space, and `paddings` has two.
struct Blocks {
  int rank = 0;
  std::optional<Dims> sizes = {};
  std::optional<Dims> paddings = {};
};

// Returns the extent along a dimension of space, given the extent of the input,
// the size of a block and the sum of the paddings.
using ResizedExtent = absl::StatusOr<int64_t> (*)(int64_t extent, int64_t size,
                                                  int64_t paddings);

absl::StatusOr<int64_t> BlockedExtent(int64_t extent, int64_t size,
                                      int64_t paddings) {
  LEAT_ASSIGN_OR_RETURN(const int64_t padded, AddExtents(extent, paddings));
  return DivideExtent(padded, size);
}

absl::StatusOr<int64_t> UnblockedExtent(int64_t extent, int64_t size,
                                        int64_t crops) {
  LEAT_ASSIGN_OR_RETURN(const int64_t whole, MultiplyExtents(extent, size));
  if (whole == kUnknown || crops == kUnknown) return kUnknown;
  if (crops > whole) {
    return absl::InvalidArgumentError(
        absl::StrCat("Negative dimension size caused by subtracting ", crops,
                     " from ", whole));
  }
  return whole - crops;
}

// Sets output 0 to the shape of input 0 after `blocks` have moved.
absl::Status SetMoved(InferenceContext& context, const Blocks& blocks,
                      ResizedExtent resize, bool to_batch) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRankAtLeast(0, blocks.rank + 1));
  if (!input.rank_known()) return absl::OkStatus();
  Dims dims(input.dims().begin(), input.dims().end());
  int64_t count = blocks.sizes.has_value() ? 1 : kUnknown;
  for (int i = 0; i < blocks.rank; ++i) {
    const auto at = static_cast<size_t>(i);
    int64_t& extent = dims[at + 1];
    if (!blocks.sizes.has_value()) {
      extent = kUnknown;
      continue;
    }
    const int64_t size = (*blocks.sizes)[at];
    if (size < 1) {
      return absl::InvalidArgumentError("block_shape must be positive");
    }
    LEAT_ASSIGN_OR_RETURN(count, MultiplyExtents(count, size));
    int64_t paddings = kUnknown;
    if (blocks.paddings.has_value()) {
      LEAT_ASSIGN_OR_RETURN(paddings,
                            AddExtents((*blocks.paddings)[2 * at],
                                       (*blocks.paddings)[2 * at + 1]));
    }
    LEAT_ASSIGN_OR_RETURN(extent, resize(extent, size, paddings));
  }
  LEAT_ASSIGN_OR_RETURN(dims[0], to_batch ? MultiplyExtents(dims[0], count)
                                          : DivideExtent(dims[0], count));
  return SetOutput(dims, context);
}

// The word with which an error about the paddings begins.
template <bool to_batch>
constexpr const char* kTitle = to_batch ? "Paddings" : "Crops";

template <ResizedExtent resize, bool to_batch>
absl::Status BlocksShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape sizes, context.WithRank(1, 1));
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 2).status());
  Blocks blocks;
  if (!sizes.dim_known(0)) return absl::OkStatus();
  if (sizes.dim(0) >= Shape::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "block_shape is for ", sizes.dim(0), " dimensions, but a tensor has ",
        "at most ", Shape::kMaxRank));
  }
  blocks.rank = static_cast<int>(sizes.dim(0));
  LEAT_ASSIGN_OR_RETURN(blocks.paddings, KnownPaddings(context, 2, blocks.rank,
                                                       kTitle<to_batch>));
  if (const Tensor* values = context.input_value(1)) {
    LEAT_ASSIGN_OR_RETURN(blocks.sizes, GetIndices(*values, "block_shape"));
  }
  return SetMoved(context, blocks, resize, to_batch);
}

template <ResizedExtent resize, bool to_batch>
absl::Status SquareBlocksShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 4).status());
  LEAT_ASSIGN_OR_RETURN(const int64_t size,
                        context.Attr<int64_t>("block_size"));
  Blocks blocks = {.rank = 2, .sizes = Dims{size, size}};
  LEAT_ASSIGN_OR_RETURN(blocks.paddings,
                        KnownPaddings(context, 1, 2, kTitle<to_batch>));
  if (!context.input(0).rank_known()) {
    context.set_output(0, PartialShape::UnknownOfRank(4));
    return absl::OkStatus();
  }
  return SetMoved(context, blocks, resize, to_batch);
}

template <bool to_depth>
absl::Status DepthShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::string format,
                        context.Attr<std::string>("data_format"));
  LEAT_ASSIGN_OR_RETURN(const int64_t size,
                        context.Attr<int64_t>("block_size"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRank(0, format == "NCHW_VECT_C" ? 5 : 4));
  Dims dims(input.dims().begin(), input.dims().end());
  const bool channels_last = format == "NHWC";
  int64_t& height = dims[channels_last ? 1 : 2];
  int64_t& width = dims[channels_last ? 2 : 3];
  int64_t& depth = dims[channels_last ? 3 : 1];
  LEAT_ASSIGN_OR_RETURN(const int64_t area, MultiplyExtents(size, size));
  const auto resize = to_depth ? &DivideExtent : &MultiplyExtents;
  LEAT_ASSIGN_OR_RETURN(height, resize(height, size));
  LEAT_ASSIGN_OR_RETURN(width, resize(width, size));
  LEAT_ASSIGN_OR_RETURN(
      depth, (to_depth ? &MultiplyExtents : &DivideExtent)(depth, area));
  return SetOutput(dims, context);
}

void RegisterBatch(OpRegistry& registry) {
  registry.Add(
      {.name = "SpaceToBatchND",
       .doc =
           "Pads space, cuts it into blocks, and moves the places of a block "
           "into the batch.",
       .inputs = {"input: T", "block_shape: Tblock_shape",
                  "paddings: Tpaddings"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tblock_shape: {int32, int64} = int32",
                 "Tpaddings: {int32, int64} = int32"},
       .shape = BlocksShape<BlockedExtent, true>,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}})});
  registry.Add(
      {.name = "BatchToSpaceND",
       .doc = "Moves parts of the batch to the places of blocks in space, and "
              "crops the result.",
       .inputs = {"input: T", "block_shape: Tblock_shape", "crops: Tcrops"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tblock_shape: {int32, int64} = int32",
                 "Tcrops: {int32, int64} = int32"},
       .shape = BlocksShape<UnblockedExtent, false>,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}})});
  registry.Add(
      {.name = "SpaceToBatch",
       .doc = "Pads images, cuts them into squares, and moves the places of a "
              "square into the batch.",
       .inputs = {"input: T", "paddings: Tpaddings"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tpaddings: {int32, int64} = int32",
                 "block_size: int >= 2"},
       .shape = SquareBlocksShape<BlockedExtent, true>,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}})});
  registry.Add(
      {.name = "BatchToSpace",
       .doc =
           "Moves parts of the batch to the places of squares in images, and "
           "crops the images.",
       .inputs = {"input: T", "crops: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "block_size: int >= 2",
                 "Tidx: {int32, int64} = int32"},
       .shape = SquareBlocksShape<UnblockedExtent, false>,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  RegisterBatch(registry);
  registry.Add(
      {.name = "SpaceToDepth",
       .doc = "Cuts images into squares, and moves the places of a square into "
              "the channels.",
       .inputs = {"input: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "block_size: int >= 2",
                 "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"},
       .shape = DepthShape<true>,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}})});
  registry.Add(
      {.name = "DepthToSpace",
       .doc = "Moves parts of the channels to the places of squares in images.",
       .inputs = {"input: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "block_size: int >= 2",
                 "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"},
       .shape = DepthShape<false>,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}})});
}

}  // namespace leat::ops::space_to_batch
