// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Split, SplitV and Unpack. Parts along the first
// dimension share the input's bytes; parts along other dimensions are copied.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::split {
namespace {

// Sets output `i` to the indices [begin, begin + size) of `input` along `axis`,
// in the shape `shape`.
template <class E>
absl::Status SetPart(KernelContext& context, const Tensor& input, int i,
                     int axis, int64_t begin, int64_t size,
                     const Shape& shape) {
  if (axis == 0) {
    LEAT_ASSIGN_OR_RETURN(Tensor part,
                          input.Slice(begin, begin + size).Reshaped(shape));
    context.set_output(i, std::move(part));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(i, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const Shape box, WithDim(input.shape(), axis, size));
  const Dims strides = input.shape().Strides();
  return CopyFromStrided(context, PlanStrided(box, strides),
                         Elements<E>(input) + begin * strides[axis],
                         MutableElements<E>(*output));
}

// Returns the axis in input `i`, counted from the front.
absl::StatusOr<int> GetAxis(const KernelContext& context, int i, int rank) {
  LEAT_ASSIGN_OR_RETURN(const int32_t axis,
                        GetScalar<int32_t>(context.input(i), "split_dim"));
  if (axis < -rank || axis >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("-input rank(-", rank, ") <= split_dim < input rank (",
                     rank, "), but got ", axis));
  }
  return axis < 0 ? axis + rank : axis;
}

template <class E>
class Split final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(1);
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(0), "split_dim"));
    LEAT_ASSIGN_OR_RETURN(const int axis, GetAxis(context, 0, input.rank()));
    const int64_t count = context.num_outputs();
    if (count <= 0 || input.dim(axis) % count != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Number of ways to split should evenly divide the split dimension, "
          "but got split_dim ",
          axis, " (size = ", input.dim(axis), ") and num_split ", count));
    }
    const int64_t size = input.dim(axis) / count;
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          WithDim(input.shape(), axis, size));
    for (int i = 0; i < count; ++i) {
      LEAT_RETURN_IF_ERROR(
          SetPart<E>(context, input, i, axis, i * size, size, shape));
    }
    return absl::OkStatus();
  }
};

// Returns the sizes of the parts. Replaces a -1 by the rest of `extent`.
absl::StatusOr<Dims> GetSizes(const KernelContext& context, int64_t extent) {
  const Tensor& tensor = context.input(1);
  if (tensor.rank() != 1 || tensor.num_elements() != context.num_outputs()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "size of the split_tensor must be 1-D and have the same number of "
        "elements as outputs, got shape ",
        tensor.shape().DebugString(), " and ", context.num_outputs(),
        " outputs"));
  }
  LEAT_ASSIGN_OR_RETURN(Dims sizes, GetIndices(tensor, "size_splits"));
  int64_t sum = 0;
  int unknown = -1;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    if (sizes[i] == -1 && unknown == -1) {
      unknown = i;
      continue;
    }
    if (sizes[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Split size at index ", i,
                       " must be >= 0, and there can only be "
                       "one -1. Got: ",
                       sizes[i]));
    }
    LEAT_ASSIGN_OR_RETURN(sum, CheckedAdd(sum, sizes[i]));
  }
  if (unknown == -1 ? sum != extent : sum > extent) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Determined shape must either match input shape along split_dim "
        "exactly if fully specified, or be less than the size of the input "
        "along split_dim if not fully specified.  Got: ",
        sum));
  }
  if (unknown != -1) sizes[unknown] = extent - sum;
  return sizes;
}

template <class E>
class SplitV final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const int axis, GetAxis(context, 2, input.rank()));
    LEAT_ASSIGN_OR_RETURN(const Dims sizes, GetSizes(context, input.dim(axis)));
    int64_t begin = 0;
    for (int i = 0; i < context.num_outputs(); ++i) {
      LEAT_ASSIGN_OR_RETURN(const Shape shape,
                            WithDim(input.shape(), axis, sizes[i]));
      LEAT_RETURN_IF_ERROR(
          SetPart<E>(context, input, i, axis, begin, sizes[i], shape));
      begin += sizes[i];
    }
    return absl::OkStatus();
  }
};

template <class E>
class Unpack final : public Kernel {
 public:
  explicit Unpack(int64_t axis) : axis_(axis) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const int rank = input.rank();
    if (axis_ < -rank || axis_ >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis = ", axis_, " not in [", -rank, ", ", rank, ")"));
    }
    const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
    if (input.dim(axis) != context.num_outputs()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Input shape axis ", axis, " must equal ", context.num_outputs(),
          ", got shape ", input.shape().DebugString()));
    }
    const auto old = input.shape().dims();
    Dims dims(old.begin(), old.end());
    dims.erase(dims.begin() + axis);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    for (int i = 0; i < context.num_outputs(); ++i) {
      LEAT_RETURN_IF_ERROR(SetPart<E>(context, input, i, axis, i, 1, shape));
    }
    return absl::OkStatus();
  }

 private:
  const int64_t axis_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeUnpack(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t axis,
                        node.attrs.GetOr<int64_t>("axis", 0));
  return MakeForAnyElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<Unpack<typename decltype(tag)::type>>(axis);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Split", kCpu, &MakeAnyElementKernel<Split, kAttrT>);
  registry.Add("SplitV", kCpu, &MakeAnyElementKernel<SplitV, kAttrT>);
  registry.Add("Unpack", kCpu, &MakeUnpack);
  registry.Add("Split", kGpu, &MakeAnyElementKernel<Split, kAttrT>);
  registry.Add("SplitV", kGpu, &MakeAnyElementKernel<SplitV, kAttrT>);
  registry.Add("Unpack", kGpu, &MakeUnpack);
}

}  // namespace leat::kernels::any::split
