// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of OneHot. It writes on_value at the position that an
// index names, and off_value everywhere else.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/moves.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::one_hot {
namespace {

constexpr DTypeList<uint8_t, int8_t, int32_t, int64_t> kIndexTypes;

template <class E>
class OneHot final : public Kernel {
 public:
  explicit OneHot(int64_t axis) : axis_(axis) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& indices = context.input(0);
    const int rank = indices.rank();
    constexpr const char* kNames[] = {"depth", "on_value", "off_value"};
    for (int i = 0; i < 3; ++i) {
      LEAT_RETURN_IF_ERROR(CheckScalar(context.input(i + 1), kNames[i]));
    }
    LEAT_ASSIGN_OR_RETURN(const int32_t depth,
                          GetScalar<int32_t>(context.input(1), "depth"));
    if (axis_ < -1 || axis_ > rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected axis to be -1 or between [0, ", rank + 1,
                       ").  But received: ", axis_));
    }
    if (depth < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("depth must be non-negative, got: ", depth));
    }
    const int axis = axis_ == -1 ? rank : static_cast<int>(axis_);
    Dims dims(indices.shape().dims().begin(), indices.shape().dims().end());
    dims.insert(dims.begin() + axis, depth);
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    const int64_t n = shape.num_elements();
    if (n == 0) return absl::OkStatus();
    E* to = MutableElements<E>(*output);
    int64_t inner = 1;
    for (int i = axis; i < rank; ++i) inner *= indices.dim(i);
    if (StreamOf(context) != nullptr) {
      return OneHotOnGpu(context, depth, inner, *output);
    }
    std::fill(to, to + n, *Elements<E>(context.input(3)));
    const E& on = *Elements<E>(context.input(2));
    VisitDType(kIndexTypes, indices.dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      const auto values = indices.data<Index>();
      for (size_t i = 0; i < values.size(); ++i) {
        const int64_t index = static_cast<int64_t>(values[i]);
        if (index < 0 || index >= depth) continue;
        const int64_t outer = static_cast<int64_t>(i) / inner;
        to[(outer * depth + index) * inner + static_cast<int64_t>(i) % inner] =
            on;
      }
    });
    return absl::OkStatus();
  }

 private:
  static absl::Status OneHotOnGpu(KernelContext& context, int64_t depth,
                                  int64_t inner, Tensor& output) {
    const Tensor& indices = context.input(0);
    const leat::cuda::OneHotOperands operands = {
        .indices = indices.raw_data(),
        .index_bytes = static_cast<int>(SizeOf(indices.dtype())),
        .on = context.input(2).raw_data(),
        .off = context.input(3).raw_data(),
        .to = output.mutable_raw_data(),
        .outer = indices.num_elements() / inner,
        .depth = depth,
        .inner = inner};
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchOneHot(stream, sizeof(E), operands);
    });
  }

  const int64_t axis_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeOneHot(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t axis,
                        node.attrs.GetOr<int64_t>("axis", -1));
  return MakeForAnyElement(node, "T", [&](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<OneHot<typename decltype(tag)::type>>(axis);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("OneHot", kCpu, &MakeOneHot);
  registry.Add("OneHot", kGpu, &MakeOneHot);
}

}  // namespace leat::kernels::any::one_hot
