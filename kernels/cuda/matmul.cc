// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of MatMul and BatchMatMul in its three versions.
#include <array>
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/dense/gpu_product.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/matmul_shapes.h"

namespace leat::kernels::cuda::matmul {
namespace {

class MatMul final : public Kernel {
 public:
  MatMul(bool transpose_a, bool transpose_b)
      : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const MatMulShape s,
                          MatrixProduct(context, transpose_a_, transpose_b_));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create({s.m, s.n}));
    LEAT_ASSIGN_OR_RETURN(Tensor * c, context.AllocateOutput(0, shape));
    if (c->num_elements() == 0) return absl::OkStatus();
    return MultiplyOnGpu(*StreamOf(context), c->dtype(),
                         OperandsOf(s, context.input(0), context.input(1), *c));
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

class BatchMatMul final : public Kernel {
 public:
  // Unless it `broadcasts`, the batch dimensions of both inputs must be equal.
  BatchMatMul(bool adjoint_x, bool adjoint_y, bool broadcasts)
      : adjoint_x_(adjoint_x), adjoint_y_(adjoint_y), broadcasts_(broadcasts) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    if (!broadcasts_) LEAT_RETURN_IF_ERROR(CheckEqualBatches(context));
    LEAT_ASSIGN_OR_RETURN(const BatchProduct p,
                          BatchMatrixProduct(context, adjoint_x_, adjoint_y_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.shape));
    if (output->num_elements() == 0) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan,
                          PlanBroadcast(p.a_batch, p.b_batch));
    const MatMulShape& s = p.matrices;
    const int64_t size = static_cast<int64_t>(SizeOf(x.dtype()));
    leat::cuda::MatMulOperands operands = OperandsOf(s, x, y, *output);
    operands.batch = plan.row_size();
    operands.a_stride = plan.strides[0].back() * s.m * s.k;
    operands.b_stride = plan.strides[1].back() * s.k * s.n;
    operands.c_stride = s.m * s.n;
    absl::Status status;
    // Each row of the plan is a batch whose matrices are equally far apart.
    plan.ForEachRow(
        0, plan.num_rows(), [&](const std::array<int64_t, 2>& from) {
          operands.a = x.raw_data() + from[0] * s.m * s.k * size;
          operands.b = y.raw_data() + from[1] * s.k * s.n * size;
          status.Update(MultiplyOnGpu(*StreamOf(context), x.dtype(), operands));
          operands.c = static_cast<char*>(operands.c) +
                       plan.row_size() * s.m * s.n * size;
        });
    return status;
  }

 private:
  const bool adjoint_x_;
  const bool adjoint_y_;
  const bool broadcasts_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool a, node.attrs.GetOr<bool>("transpose_a", false));
  LEAT_ASSIGN_OR_RETURN(bool b, node.attrs.GetOr<bool>("transpose_b", false));
  return std::unique_ptr<Kernel>(std::make_unique<MatMul>(a, b));
}

template <bool broadcasts>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBatchMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool x, node.attrs.GetOr<bool>("adj_x", false));
  LEAT_ASSIGN_OR_RETURN(bool y, node.attrs.GetOr<bool>("adj_y", false));
  return std::unique_ptr<Kernel>(
      std::make_unique<BatchMatMul>(x, y, broadcasts));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MatMul", kGpu, &MakeMatMul);
  registry.Add("BatchMatMul", kGpu, &MakeBatchMatMul<false>);
  registry.Add("BatchMatMulV2", kGpu, &MakeBatchMatMul<true>);
  registry.Add("BatchMatMulV3", kGpu, &MakeBatchMatMul<true>);
}

}  // namespace leat::kernels::cuda::matmul
