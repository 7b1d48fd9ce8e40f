// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Slice, which copies a box of the input.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::slice {
namespace {

// Holds the first index and the number of indices for each dimension.
struct Box {
  Dims begin = {};
  Dims size = {};
};

absl::StatusOr<Box> GetBox(const KernelContext& context) {
  const Shape& shape = context.input(0).shape();
  Box box;
  LEAT_ASSIGN_OR_RETURN(box.begin, GetIndices(context.input(1), "begin"));
  LEAT_ASSIGN_OR_RETURN(box.size, GetIndices(context.input(2), "size"));
  const size_t rank = shape.rank();
  if (context.input(1).rank() != 1 || context.input(2).rank() != 1 ||
      box.begin.size() != rank || box.size.size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected begin and size arguments to be 1-D tensors of size ", rank,
        ", but got shapes ", context.input(1).shape().DebugString(), " and ",
        context.input(2).shape().DebugString(), " instead."));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t extent = shape.dim(i);
    const int64_t begin = box.begin[i];
    if (begin < 0 || begin > extent) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Expected begin[", i, "] in [0, ", extent, "], but got ", begin));
    }
    if (box.size[i] == -1) box.size[i] = extent - begin;
    if (box.size[i] < 0 || box.size[i] > extent - begin) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected size[", i, "] in [0, ", extent - begin,
                       "], but got ", box.size[i]));
    }
  }
  return box;
}

template <class E>
class Slice final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Box box, GetBox(context));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(box.size));
    if (shape == input.shape()) {
      context.set_output(0, input);
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    const Dims strides = input.shape().Strides();
    int64_t offset = 0;
    for (int i = 0; i < input.rank(); ++i) offset += box.begin[i] * strides[i];
    return CopyFromStrided(context, PlanStrided(shape, strides),
                           Elements<E>(input) + offset,
                           MutableElements<E>(*output));
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Slice", kCpu, &MakeElementKernel<Slice, kAttrT>);
  registry.Add("Slice", kGpu, &MakeElementKernel<Slice, kAttrT>);
}

}  // namespace leat::kernels::any::slice
