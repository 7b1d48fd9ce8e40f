// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernel of _FusedMatMul. The library of the GPU applies the
// bias while it stores the product. It also applies Relu and the approximation
// of Gelu. Other activations run as separate kernels afterwards.
#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/bias_and_activation.h"
#include "leat/kernels/dense/gpu_product.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/matmul_shapes.h"
#include "leat/kernels/through_float.h"

namespace leat::kernels::cuda::fused_matmul {
namespace {

// Returns the epilogue that the library applies to the product.
ProductEpilogue EpilogueOf(Activation activation, DType type) {
  switch (activation) {
    case Activation::kRelu:
      return ProductEpilogue::kBiasRelu;
    case Activation::kGeluApproximate:
      // The library's Gelu has errors of up to 1e-5, which only 16-bit floats
      // hide.
      return IsHalfOrBfloat16(type) ? ProductEpilogue::kBiasGelu
                                    : ProductEpilogue::kBias;
    default:
      return ProductEpilogue::kBias;
  }
}

class FusedMatMul final : public Kernel {
 public:
  FusedMatMul(bool transpose_a, bool transpose_b, const FusedOps& fused_ops)
      : transpose_a_(transpose_a),
        transpose_b_(transpose_b),
        fused_ops_(fused_ops) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const MatMulShape s,
                          MatrixProduct(context, transpose_a_, transpose_b_));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create({s.m, s.n}));
    const Tensor& bias = context.input(2);
    LEAT_RETURN_IF_ERROR(CheckBias(bias, context.input(0).dtype(), shape, s.n,
                                   /*channels_first=*/false));
    LEAT_ASSIGN_OR_RETURN(Tensor * c, context.AllocateOutput(0, shape));
    if (c->num_elements() == 0) return absl::OkStatus();
    GpuStream& stream = *StreamOf(context);
    const leat::cuda::MatMulOperands operands =
        OperandsOf(s, context.input(0), context.input(1), *c);
    const ProductEpilogue epilogue =
        EpilogueOf(fused_ops_.activation, c->dtype());
    const absl::Status status = MultiplyWithLibrary(
        stream, c->dtype(), operands, epilogue, bias.raw_data());
    if (status.ok() && epilogue != ProductEpilogue::kBias) return status;
    if (absl::IsUnimplemented(status)) {
      LEAT_RETURN_IF_ERROR(MultiplyOnGpu(stream, c->dtype(), operands));
      LEAT_RETURN_IF_ERROR(
          AddBias(stream, {.outer = s.m, .count = s.n}, *c, bias, *c));
    } else {
      LEAT_RETURN_IF_ERROR(status);
    }
    return Activate(stream, fused_ops_, *c);
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
  const FusedOps fused_ops_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeFusedMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool a, node.attrs.GetOr<bool>("transpose_a", false));
  LEAT_ASSIGN_OR_RETURN(bool b, node.attrs.GetOr<bool>("transpose_b", false));
  LEAT_ASSIGN_OR_RETURN(const FusedOps fused_ops, ReadFusedOps(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<FusedMatMul>(a, b, fused_ops));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("_FusedMatMul", kGpu, &MakeFusedMatMul);
}

}  // namespace leat::kernels::cuda::fused_matmul
