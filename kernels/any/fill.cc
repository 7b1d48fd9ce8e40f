// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Fill, ZerosLike and OnesLike.
#include <algorithm>
#include <complex>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/variant_arithmetic.h"

namespace leat::kernels::any::fill {
namespace {

template <class E>
class Fill final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& dims = context.input(0);
    const Tensor& value = context.input(1);
    if (dims.rank() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("dims must represent a vector, got shape ",
                       dims.shape().DebugString()));
    }
    if (value.num_elements() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("value must represent a scalar, got shape ",
                       value.shape().DebugString()));
    }
    Tensor vector;
    // In old graphs this input may be a scalar. It means the same as a vector
    // that has the scalar as its only element.
    if (dims.rank() == 0) {
      LEAT_ASSIGN_OR_RETURN(vector, dims.Reshaped(Shape{1}));
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          GetShape(vector.IsValid() ? vector : dims, "dims"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    return FillElements(context, Elements<E>(value),
                        MutableElements<E>(*output), shape.num_elements());
  }
};

template <class E>
class ZerosLike final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Shape& shape = context.input(0).shape();
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, shape));
    return ClearElements(context, MutableElements<E>(*output),
                         shape.num_elements());
  }
};

class ZerosLikeOfVariant final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (input.rank() != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "ZerosLike non-scalar Tensor with dtype=DT_VARIANT is not supported, "
          "got shape ",
          input.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Variant zeros,
                          ZerosLikeVariant(context, input.scalar<Variant>()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
    output->mutable_data<Variant>()[0] = std::move(zeros);
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeZerosLike(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  return dtype == DType::kVariant ? Make<ZerosLikeOfVariant>(node)
                                  : MakeElementKernel<ZerosLike, kAttrT>(node);
}

template <class T>
class OnesLike final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(
        Tensor * output,
        context.ForwardOrAllocate({0}, 0, context.input(0).shape()));
    const T one(1);
    if (GpuStream* stream = StreamOf(context)) {
      return FillValueOnGpu(*stream, sizeof(T), &one,
                            output->mutable_raw_data(), output->num_elements());
    }
    auto to = output->mutable_data<T>();
    std::fill(to.begin(), to.end(), one);
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeOnesLike(const NodeDef& node) {
  return MakeForType(node, "T", kPlain,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<OnesLike<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Fill", kCpu, &MakeAnyElementKernel<Fill, kAttrT>);
  registry.Add("ZerosLike", kCpu, &MakeZerosLike);
  registry.Add("OnesLike", kCpu, &MakeOnesLike);
  registry.Add("Fill", kGpu, &MakeAnyElementKernel<Fill, kAttrT>);
  registry.Add("ZerosLike", kGpu, &MakeZerosLike);
  registry.Add("OnesLike", kGpu, &MakeOnesLike);
}

}  // namespace leat::kernels::any::fill
