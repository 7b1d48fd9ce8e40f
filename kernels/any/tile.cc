// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Tile and BroadcastTo, which copy a view whose repeated
// dimensions have stride 0.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::tile {
namespace {

template <class E>
class Tile final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const int rank = input.rank();
    LEAT_ASSIGN_OR_RETURN(const Dims multiples,
                          GetIndices(context.input(1), "multiples"));
    if (context.input(1).rank() != 1 ||
        static_cast<int>(multiples.size()) != rank) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Expected multiples argument to be a vector of length ", rank,
          " but got shape ", context.input(1).shape().DebugString()));
    }
    Dims dims;
    for (int i = 0; i < rank; ++i) {
      if (multiples[i] < 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Expected multiples[", i, "] >= 0, but got ", multiples[i]));
      }
      LEAT_ASSIGN_OR_RETURN(const int64_t extent,
                            CheckedMultiply(input.dim(i), multiples[i]));
      dims.push_back(extent);
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    return CopyFromStrided(context, Plan(input.shape(), multiples),
                           Elements<E>(input), MutableElements<E>(*output));
  }

 private:
  // Returns a view in which each dimension becomes two dimensions, [multiple,
  // extent]. Dimensions of extent 1 are left out. Each remaining dimension at
  // least doubles the size of the output, so the rank stays below the limit of
  // Shape.
  static BroadcastPlan<1> Plan(const Shape& input, const Dims& multiples) {
    const Dims input_strides = input.Strides();
    Dims dims;
    Dims strides;
    for (int i = 0; i < input.rank(); ++i) {
      if (multiples[i] != 1) {
        dims.push_back(multiples[i]);
        strides.push_back(0);
      }
      if (input.dim(i) != 1) {
        dims.push_back(input.dim(i));
        strides.push_back(input_strides[i]);
      }
    }
    return PlanStrided(*Shape::Create(dims), strides);
  }
};

template <class E>
class BroadcastTo final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          GetShape(context.input(1), "shape"));
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<1> plan,
                          PlanBroadcastTo(input.shape(), shape));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    return CopyFromStrided(context, plan, Elements<E>(input),
                           MutableElements<E>(*output));
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Tile", kCpu, &MakeAnyElementKernel<Tile, kAttrT>);
  registry.Add("BroadcastTo", kCpu, &MakeAnyElementKernel<BroadcastTo, kAttrT>);
  registry.Add("Tile", kGpu, &MakeAnyElementKernel<Tile, kAttrT>);
  registry.Add("BroadcastTo", kGpu, &MakeAnyElementKernel<BroadcastTo, kAttrT>);
}

}  // namespace leat::kernels::any::tile
