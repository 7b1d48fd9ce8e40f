// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of StridedSlice, StridedSliceGrad, StridedSliceAssign and
// ResourceStridedSliceAssign. The gradient has values at the elements that the
// slice took, and zeros everywhere else.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/strided_slice.h"
#include "leat/graph/strided_slice_attrs.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/variable_elements.h"

namespace leat::kernels::any::strided_slice {
namespace {

// A result that shares the input's bytes keeps the whole input in memory. So
// the bytes are shared only if the input has at most kSmallBytes bytes, or is
// at most kMaxWaste times as large as the result.
constexpr int64_t kSmallBytes = 4096;
constexpr int64_t kMaxWaste = 8;

// Holds the elements that a slice takes. `begin` and `strides` have one entry
// per dimension of the input, as `box` has.
struct Plan {
  Shape box = {};     // how many indices are taken per dimension
  Dims begin = {};    // the first index taken
  Dims strides = {};  // never 0
  Shape result = {};  // `box` with dimensions added and removed

  // Returns true if the slice is a range of rows of `input`: every stride is 1,
  // and every dimension after the first one is taken whole. Such a slice can
  // share the bytes of the input.
  bool IsRowRange(const Shape& input) const {
    for (int i = 0; i < input.rank(); ++i) {
      if (strides[i] != 1) return false;
      if (i > 0 && box.dim(i) != input.dim(i)) return false;
    }
    return input.rank() > 0;
  }
};

// Plans the slice. Input `i` is `begin`, and the next two inputs are `end` and
// `strides`.
absl::StatusOr<Plan> GetPlan(const KernelContext& context, int i,
                             const Shape& shape,
                             const StridedSliceMasks& masks) {
  StridedSliceSpec spec;
  spec.masks = masks;
  LEAT_ASSIGN_OR_RETURN(spec.begin, GetIndices(context.input(i), "begin"));
  LEAT_ASSIGN_OR_RETURN(spec.end, GetIndices(context.input(i + 1), "end"));
  LEAT_ASSIGN_OR_RETURN(spec.strides,
                        GetIndices(context.input(i + 2), "strides"));
  for (int k = i; k < i + 3; ++k) {
    if (context.input(k).rank() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Expected begin, end, and strides to be 1D equal size tensors, but "
          "got shapes ",
          context.input(i).shape().DebugString(), ", ",
          context.input(i + 1).shape().DebugString(), ", and ",
          context.input(i + 2).shape().DebugString(), " instead."));
    }
  }
  LEAT_ASSIGN_OR_RETURN(StridedSliceBox box, ResolveStridedSlice(spec, shape));
  Plan plan;
  LEAT_ASSIGN_OR_RETURN(plan.box, box.processed.ToShape());
  LEAT_ASSIGN_OR_RETURN(plan.result, box.output.ToShape());
  plan.begin = std::move(box.begin);
  plan.strides = std::move(box.stride);
  return plan;
}

// Returns a strided view of the elements that `plan` takes. Sets `offset` to
// the position of the first element. REQUIRES: the plan takes at least one
// element.
BroadcastPlan<1> TakenElements(const Plan& plan, const Shape& shape,
                               int64_t& offset) {
  Dims strides = shape.Strides();
  offset = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    offset += plan.begin[i] * strides[i];
    // A dimension with one index needs no stride, and the product with the
    // requested stride might overflow.
    strides[i] = plan.box.dim(i) == 1 ? 0 : strides[i] * plan.strides[i];
  }
  return PlanStrided(plan.box, strides);
}

template <class E>
class StridedSlice final : public Kernel {
 public:
  explicit StridedSlice(StridedSliceMasks masks) : masks_(masks) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Plan plan,
                          GetPlan(context, 1, input.shape(), masks_));
    if (plan.IsRowRange(input.shape()) && IsWorthSharing(input, plan.box)) {
      LEAT_ASSIGN_OR_RETURN(
          Tensor rows,
          input.Slice(plan.begin[0], plan.begin[0] + plan.box.dim(0))
              .Reshaped(plan.result));
      context.set_output(0, std::move(rows));
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.result));
    if (plan.box.num_elements() == 0) return absl::OkStatus();
    int64_t offset;
    const BroadcastPlan<1> taken = TakenElements(plan, input.shape(), offset);
    return CopyFromStrided(context, taken, Elements<E>(input) + offset,
                           MutableElements<E>(*output));
  }

 private:
  // Returns true if the result may share the input's bytes.
  static bool IsWorthSharing(const Tensor& input, const Shape& taken) {
    return taken.num_elements() > 0 &&
           (input.num_bytes() <= kSmallBytes ||
            input.num_elements() / taken.num_elements() <= kMaxWaste);
  }

  const StridedSliceMasks masks_;
};

template <class E>
class StridedSliceGrad final : public Kernel {
 public:
  explicit StridedSliceGrad(StridedSliceMasks masks) : masks_(masks) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& gradient = context.input(4);
    if (context.input(0).rank() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape must be 1-D, got shape.shape = ",
                       context.input(0).shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          GetShape(context.input(0), "shape"));
    LEAT_ASSIGN_OR_RETURN(const Plan plan, GetPlan(context, 1, shape, masks_));
    if (gradient.shape() != plan.result) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape of dy was ", gradient.shape().DebugString(),
                       " instead of ", plan.result.DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    E* to = MutableElements<E>(*output);
    LEAT_RETURN_IF_ERROR(ClearElements(context, to, shape.num_elements()));
    if (plan.box.num_elements() == 0) return absl::OkStatus();
    int64_t offset;
    const BroadcastPlan<1> taken = TakenElements(plan, shape, offset);
    return CopyToStrided(context, taken, Elements<E>(gradient), to + offset);
  }

 private:
  const StridedSliceMasks masks_;
};

// Sets the elements of a variable that a slice takes. The value is broadcast to
// the shape of the slice. E is the class of the elements, or the
// PlainElement<8> of pointers to them.
template <class E>
class StridedSliceAssign final : public Kernel {
 public:
  StridedSliceAssign(StridedSliceMasks masks, DType dtype)
      : masks_(masks), dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    return UpdateElements(context, dtype_, /*i=*/4,
                          [&](const Tensor& value, Tensor& target) {
                            return Assign(context, value, target);
                          });
  }

 private:
  absl::Status Assign(KernelContext& context, const Tensor& value,
                      Tensor& target) const {
    LEAT_ASSIGN_OR_RETURN(const Plan plan,
                          GetPlan(context, 1, target.shape(), masks_));
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<1> source,
                          PlanValue(value.shape(), plan.result));
    if (plan.box.num_elements() == 0) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(Tensor stretched, context.AllocateTemporary(
                                                target.dtype(), plan.result));
    CopyFromStrided(context.compute_queue(), source, Elements<E>(value),
                    MutableElements<E>(stretched));
    int64_t offset;
    const BroadcastPlan<1> taken = TakenElements(plan, target.shape(), offset);
    CopyToStrided(context.compute_queue(), taken, Elements<E>(stretched),
                  MutableElements<E>(target) + offset);
    return absl::OkStatus();
  }

  static absl::StatusOr<BroadcastPlan<1>> PlanValue(const Shape& value,
                                                    const Shape& slice) {
    auto plan = PlanBroadcastTo(value, slice);
    if (plan.ok()) return plan;
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot broadcast input shape ", value.DebugString(),
                     " into final shape ", slice.DebugString()));
  }

  const StridedSliceMasks masks_;
  const DType dtype_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeSlice(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const StridedSliceMasks masks,
                        ReadStridedSliceMasks(node.attrs));
  return MakeForAnyElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<StridedSlice<typename decltype(tag)::type>>(masks);
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeGrad(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const StridedSliceMasks masks,
                        ReadStridedSliceMasks(node.attrs));
  return MakeForElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<StridedSliceGrad<typename decltype(tag)::type>>(
        masks);
  });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeAssign(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const StridedSliceMasks masks,
                        ReadStridedSliceMasks(node.attrs));
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  std::unique_ptr<Kernel> kernel;
  const DType moved = kObjects.Contains(dtype) ? kPointer : dtype;
  if (!VisitPlainElement(moved, [&](auto tag) {
        using E = typename decltype(tag)::type;
        kernel = std::make_unique<StridedSliceAssign<E>>(masks, dtype);
      })) {
    return UnsupportedType(node, "T", dtype);
  }
  return kernel;
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StridedSliceAssign", kCpu, &MakeAssign);
  registry.Add("ResourceStridedSliceAssign", kCpu, &MakeAssign);
  registry.AddForAllDevices("StridedSlice", &MakeSlice);
  registry.AddForAllDevices("StridedSliceGrad", &MakeGrad);
}

}  // namespace leat::kernels::any::strided_slice
