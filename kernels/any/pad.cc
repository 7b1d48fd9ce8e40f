// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Pad, which puts zeros (or empty strings) around the
// input, and of PadV2, which puts a given value there.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::pad {
namespace {

// Returns how many elements to add before and after each dimension: entry 2 * i
// is the number before dimension i, and entry 2 * i + 1 the number after it.
absl::StatusOr<Dims> GetPaddings(const Tensor& paddings, int rank) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("paddings must be a matrix with 2 columns: ",
                     paddings.shape().DebugString()));
  }
  if (paddings.dim(0) != rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The first dimension of paddings must be the rank of inputs",
        paddings.shape().DebugString(), " ", rank));
  }
  LEAT_ASSIGN_OR_RETURN(const Tensor flat,
                        paddings.Reshaped(Shape{paddings.num_elements()}));
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(flat, "paddings"));
  for (const int64_t value : values) {
    if (value < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Paddings must be non-negative, got ", value));
    }
  }
  return values;
}

// Sets all elements of `to` to the value that is put around the input.
template <class E>
absl::Status FillWithPadding(KernelContext& context, E* to, int64_t n) {
  if (context.num_inputs() == 2) return ClearElements(context, to, n);
  const E* value = Elements<E>(context.input(2));
  if (GpuStream* stream = StreamOf(context)) {
    return FillValueOnGpu(*stream, sizeof(E), value, to, n);
  }
  return FillElements(context, value, to, n);
}

// The kernel of Pad and PadV2. PadV2 has a third input, the value.
template <class E>
class Pad final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const int rank = input.rank();
    LEAT_ASSIGN_OR_RETURN(const Dims paddings,
                          GetPaddings(context.input(1), rank));
    if (context.num_inputs() == 3 && context.input(2).rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("constant_values must be a scalar. Found: ",
                       context.input(2).shape().DebugString()));
    }
    Dims dims;
    for (int i = 0; i < rank; ++i) {
      LEAT_ASSIGN_OR_RETURN(int64_t extent,
                            CheckedAdd(paddings[2 * i], input.dim(i)));
      LEAT_ASSIGN_OR_RETURN(extent, CheckedAdd(extent, paddings[2 * i + 1]));
      dims.push_back(extent);
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    E* to = MutableElements<E>(*output);
    LEAT_RETURN_IF_ERROR(FillWithPadding(context, to, shape.num_elements()));
    if (input.num_elements() == 0) return absl::OkStatus();
    const Dims strides = shape.Strides();
    int64_t offset = 0;
    for (int i = 0; i < rank; ++i) offset += paddings[2 * i] * strides[i];
    return CopyToStrided(context, PlanStrided(input.shape(), strides),
                         Elements<E>(input), to + offset);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Pad", kCpu, &MakeElementKernel<Pad, kAttrT>);
  registry.Add("Pad", kGpu, &MakeElementKernel<Pad, kAttrT>);
  registry.Add("PadV2", kCpu, &MakeElementKernel<Pad, kAttrT>);
  registry.Add("PadV2", kGpu, &MakeElementKernel<Pad, kAttrT>);
}

}  // namespace leat::kernels::any::pad
