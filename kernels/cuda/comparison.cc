// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of Equal, NotEqual, Less, LessEqual, Greater,
// GreaterEqual, LogicalAnd and LogicalOr.
#include <memory>
#include <utility>

#include "leat/kernels/cuda/elementwise_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::comparison {
namespace {

using leat::cuda::BinaryOperands;
using leat::cuda::Comparison;
using leat::cuda::ElementType;

template <Comparison function>
bool Launch(CUstream_st* stream, ElementType type,
            const BinaryOperands& operands, float) {
  return leat::cuda::LaunchComparison(stream, function, type, operands);
}

template <Comparison function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeComparison(const NodeDef&) {
  return std::make_unique<BinaryOnGpu>(&Launch<function>);
}

// Computes Equal or NotEqual with incompatible_shape_error=false. If the shapes
// do not fit, the tensors are not equal, and the output is a scalar.
template <Comparison function>
class LenientEquality final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Shape& a = context.input(0).shape();
    const Shape& b = context.input(1).shape();
    if (a == b || BroadcastShapes(a, b).ok()) {
      return ComputeBinary(context, &Launch<function>, 0);
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
    return context.step().device->gpu_stream()->Fill(
        output->mutable_raw_data(), function == Comparison::kNotEqual, 1);
  }
};

template <Comparison function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeEquality(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      const bool strict,
      node.attrs.GetOr<bool>("incompatible_shape_error", true));
  if (strict) return MakeComparison<function>(node);
  return std::unique_ptr<Kernel>(std::make_unique<LenientEquality<function>>());
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Equal", kGpu, &MakeEquality<Comparison::kEqual>);
  registry.Add("NotEqual", kGpu, &MakeEquality<Comparison::kNotEqual>);
  registry.Add("Less", kGpu, &MakeComparison<Comparison::kLess>);
  registry.Add("LessEqual", kGpu, &MakeComparison<Comparison::kLessEqual>);
  registry.Add("Greater", kGpu, &MakeComparison<Comparison::kGreater>);
  registry.Add("GreaterEqual", kGpu,
               &MakeComparison<Comparison::kGreaterEqual>);
  registry.Add("LogicalAnd", kGpu, &MakeComparison<Comparison::kAnd>);
  registry.Add("LogicalOr", kGpu, &MakeComparison<Comparison::kOr>);
}

}  // namespace leat::kernels::cuda::comparison
