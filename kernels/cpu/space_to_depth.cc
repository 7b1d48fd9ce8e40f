// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of SpaceToDepth, which moves square blocks of images into
// the channels, and of DepthToSpace, which moves them back. As in TensorFlow,
// both take only NHWC on the CPU.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::space_to_depth {
namespace {

absl::Status CheckRank(const Tensor& input) {
  if (input.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Input rank should be 4 instead of ", input.rank()));
}

// Allocates output 0. If the output has a valid shape, the multiples of strides
// below do not overflow.
absl::StatusOr<Tensor*> AllocateImages(KernelContext& context,
                                       const Dims& extents) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(extents));
  return context.AllocateOutput(0, shape);
}

// Sets `output` to a view of input 0. The view has the extents `extents` and
// the strides `strides`.
template <class E>
absl::Status CopyView(KernelContext& context, const Dims& extents,
                      const Dims& strides, Tensor& output) {
  LEAT_ASSIGN_OR_RETURN(const Shape view, Shape::Create(extents));
  CopyFromStrided(context.compute_queue(), PlanStrided(view, strides),
                  Elements<E>(context.input(0)), MutableElements<E>(output));
  return absl::OkStatus();
}

template <class E>
class SpaceToDepth final : public Kernel {
 public:
  explicit SpaceToDepth(int64_t block) : block_(block) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckRank(input));
    const int64_t batch = input.dim(0), height = input.dim(1);
    const int64_t width = input.dim(2), depth = input.dim(3);
    if (height % block_ != 0 || width % block_ != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Image width ", width, " and height ", height,
                       " should be divisible by block_size: ", block_));
    }
    LEAT_ASSIGN_OR_RETURN(const int64_t area, CheckedMultiply(block_, block_));
    LEAT_ASSIGN_OR_RETURN(const int64_t channels, CheckedMultiply(depth, area));
    const int64_t rows = height / block_, columns = width / block_;
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        AllocateImages(context, {batch, rows, columns, channels}));
    if (output->num_elements() == 0) return absl::OkStatus();
    const Dims strides = input.shape().Strides();
    return CopyView<E>(context, {batch, rows, columns, block_, block_, depth},
                       {strides[0], strides[1] * block_, strides[2] * block_,
                        strides[1], strides[2], 1},
                       *output);
  }

 private:
  const int64_t block_;
};

template <class E>
class DepthToSpace final : public Kernel {
 public:
  explicit DepthToSpace(int64_t block) : block_(block) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckRank(input));
    const int64_t batch = input.dim(0), rows = input.dim(1);
    const int64_t columns = input.dim(2), channels = input.dim(3);
    LEAT_ASSIGN_OR_RETURN(const int64_t height, CheckedMultiply(rows, block_));
    LEAT_ASSIGN_OR_RETURN(const int64_t width,
                          CheckedMultiply(columns, block_));
    LEAT_ASSIGN_OR_RETURN(const int64_t area, CheckedMultiply(block_, block_));
    if (channels % area != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input depth dimension ", channels,
                       " should be divisible by: ", area));
    }
    const int64_t depth = channels / area;
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        AllocateImages(context, {batch, height, width, depth}));
    if (output->num_elements() == 0) return absl::OkStatus();
    const Dims strides = input.shape().Strides();
    return CopyView<E>(
        context, {batch, rows, block_, columns, block_, depth},
        {strides[0], strides[1], block_ * depth, strides[2], depth, 1},
        *output);
  }

 private:
  const int64_t block_;
};

template <template <class> class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeKernel(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t block, node.attrs.GetInt32("block_size"));
  LEAT_ASSIGN_OR_RETURN(const std::string format,
                        node.attrs.Get<std::string>("data_format"));
  if (format != "NHWC") {
    return absl::InvalidArgumentError(
        absl::StrCat("Only NHWC data_format supported on CPU. Got ", format));
  }
  return MakeForAnyElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<K<typename decltype(tag)::type>>(block);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("SpaceToDepth", kCpu, &MakeKernel<SpaceToDepth>);
  registry.Add("DepthToSpace", kCpu, &MakeKernel<DepthToSpace>);
}

}  // namespace leat::kernels::cpu::space_to_depth
