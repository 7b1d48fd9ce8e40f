// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of Add, AddV2, Sub, Mul, Maximum, Minimum,
// SquaredDifference, Div, RealDiv, DivNoNan, FloorDiv, FloorMod, Pow, Atan2,
// MulNoNan, Xdivy, Xlogy and Xlog1py.
#include <memory>

#include "leat/kernels/cuda/elementwise_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::binary_math {
namespace {

using leat::cuda::Arithmetic;
using leat::cuda::BinaryOperands;
using leat::cuda::Division;
using leat::cuda::ElementType;
using leat::cuda::ZeroProduct;

template <Arithmetic function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeArithmetic(const NodeDef&) {
  return std::make_unique<BinaryOnGpu>([](CUstream_st* stream, ElementType type,
                                          const BinaryOperands& operands,
                                          float) {
    return leat::cuda::LaunchArithmetic(stream, function, type, operands);
  });
}

template <Division function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeDivision(const NodeDef&) {
  return std::make_unique<BinaryOnGpu>([](CUstream_st* stream, ElementType type,
                                          const BinaryOperands& operands,
                                          float) {
    return leat::cuda::LaunchDivision(stream, function, type, operands);
  });
}

template <ZeroProduct function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeZeroProduct(const NodeDef&) {
  return std::make_unique<BinaryOnGpu>([](CUstream_st* stream, ElementType type,
                                          const BinaryOperands& operands,
                                          float) {
    return leat::cuda::LaunchZeroProduct(stream, function, type, operands);
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Add", kGpu, &MakeArithmetic<Arithmetic::kAdd>);
  registry.Add("AddV2", kGpu, &MakeArithmetic<Arithmetic::kAdd>);
  registry.Add("Sub", kGpu, &MakeArithmetic<Arithmetic::kSub>);
  registry.Add("Mul", kGpu, &MakeArithmetic<Arithmetic::kMul>);
  registry.Add("Maximum", kGpu, &MakeArithmetic<Arithmetic::kMaximum>);
  registry.Add("Minimum", kGpu, &MakeArithmetic<Arithmetic::kMinimum>);
  registry.Add("SquaredDifference", kGpu,
               &MakeArithmetic<Arithmetic::kSquaredDifference>);
  registry.Add("Div", kGpu, &MakeDivision<Division::kRealDiv>);
  registry.Add("RealDiv", kGpu, &MakeDivision<Division::kRealDiv>);
  registry.Add("DivNoNan", kGpu, &MakeDivision<Division::kDivNoNan>);
  registry.Add("FloorDiv", kGpu, &MakeDivision<Division::kFloorDiv>);
  registry.Add("FloorMod", kGpu, &MakeDivision<Division::kFloorMod>);
  registry.Add("Pow", kGpu, &MakeDivision<Division::kPow>);
  registry.Add("Atan2", kGpu, &MakeDivision<Division::kAtan2>);
  registry.Add("MulNoNan", kGpu, &MakeZeroProduct<ZeroProduct::kMulNoNan>);
  registry.Add("Xdivy", kGpu, &MakeZeroProduct<ZeroProduct::kXdivy>);
  registry.Add("Xlogy", kGpu, &MakeZeroProduct<ZeroProduct::kXlogy>);
  registry.Add("Xlog1py", kGpu, &MakeZeroProduct<ZeroProduct::kXlog1py>);
}

}  // namespace leat::kernels::cuda::binary_math
