// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of MatMul and BatchMatMulV2.
#include <array>
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/matmul.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/matmul_shapes.h"

namespace leat::kernels::cuda::matmul {
namespace {

// Returns the operands of one product.
leat::cuda::MatMulOperands OperandsOf(const MatMulShape& s, const Tensor& a,
                                      const Tensor& b, Tensor& c) {
  return {.a = a.raw_data(),
          .b = b.raw_data(),
          .c = c.mutable_raw_data(),
          .m = s.m,
          .n = s.n,
          .k = s.k,
          .transpose_a = s.transpose_a,
          .transpose_b = s.transpose_b};
}

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
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchMatMul(
          stream, TypeOf(*c),
          OperandsOf(s, context.input(0), context.input(1), *c));
    });
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

class BatchMatMul final : public Kernel {
 public:
  BatchMatMul(bool adjoint_x, bool adjoint_y)
      : adjoint_x_(adjoint_x), adjoint_y_(adjoint_y) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
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
    return OnStream(context, [&](CUstream_st* stream) {
      bool known = true;
      // Each row of the plan is a batch whose matrices are equally far apart.
      plan.ForEachRow(
          0, plan.num_rows(), [&](const std::array<int64_t, 2>& from) {
            operands.a = x.raw_data() + from[0] * s.m * s.k * size;
            operands.b = y.raw_data() + from[1] * s.k * s.n * size;
            known &= leat::cuda::LaunchMatMul(stream, TypeOf(x), operands);
            operands.c = static_cast<char*>(operands.c) +
                         plan.row_size() * s.m * s.n * size;
          });
      return known;
    });
  }

 private:
  const bool adjoint_x_;
  const bool adjoint_y_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool a, node.attrs.GetOr<bool>("transpose_a", false));
  LEAT_ASSIGN_OR_RETURN(bool b, node.attrs.GetOr<bool>("transpose_b", false));
  return std::unique_ptr<Kernel>(std::make_unique<MatMul>(a, b));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeBatchMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool x, node.attrs.GetOr<bool>("adj_x", false));
  LEAT_ASSIGN_OR_RETURN(bool y, node.attrs.GetOr<bool>("adj_y", false));
  return std::unique_ptr<Kernel>(std::make_unique<BatchMatMul>(x, y));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MatMul", kGpu, &MakeMatMul);
  registry.Add("BatchMatMulV2", kGpu, &MakeBatchMatMul);
}

}  // namespace leat::kernels::cuda::matmul
