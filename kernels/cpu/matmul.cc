// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of MatMul, _FusedMatMul and BatchMatMul in its three
// versions.
#include <memory>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/dense/dense.h"
#include "leat/kernels/dense/matrix_products.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/matmul_shapes.h"

namespace leat::kernels::cpu::matmul {
namespace {

constexpr auto kTypes = kFloatsAndComplexes + kIndices;
// The types that BatchMatMulV3 also multiplies, after it has converted them.
constexpr DTypeList<int8_t, uint8_t> kNarrowInts;

class MatMulKernel final : public Kernel {
 public:
  MatMulKernel(bool transpose_a, bool transpose_b)
      : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(MatMulShape s,
                          MatrixProduct(context, transpose_a_, transpose_b_));
    LEAT_ASSIGN_OR_RETURN(Shape shape, Shape::Create({s.m, s.n}));
    LEAT_ASSIGN_OR_RETURN(Tensor * c, context.AllocateOutput(0, shape));
    if (c->num_elements() == 0) return absl::OkStatus();
    return MultiplyMatrices(context, s, context.input(0), context.input(1), *c);
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

class FusedMatMul final : public Kernel {
 public:
  FusedMatMul(bool transpose_a, bool transpose_b, const FusedOps& fused_ops)
      : transpose_a_(transpose_a),
        transpose_b_(transpose_b),
        fused_ops_(fused_ops) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(MatMulShape s,
                          MatrixProduct(context, transpose_a_, transpose_b_));
    LEAT_ASSIGN_OR_RETURN(Shape shape, Shape::Create({s.m, s.n}));
    LEAT_ASSIGN_OR_RETURN(const Epilogue epilogue,
                          MakeEpilogue(context, 2, shape, s.n,
                                       /*channels_first=*/false, fused_ops_));
    LEAT_ASSIGN_OR_RETURN(Tensor * c, context.AllocateOutput(0, shape));
    if (c->num_elements() == 0) return absl::OkStatus();
    return kernels::MatMul(context.compute_queue(), s,
                           context.input(0).data<float>().data(),
                           context.input(1).data<float>().data(),
                           c->mutable_data<float>().data(), &epilogue);
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
  const FusedOps fused_ops_;
};

// The kernel of products of elements of type T. Inputs of a narrower type are
// converted to T first.
template <class T>
class BatchMatMulKernel final : public Kernel {
 public:
  // Unless `broadcasts` is set, both inputs must have the same batch
  // dimensions.
  BatchMatMulKernel(bool adjoint_x, bool adjoint_y, bool broadcasts)
      : adjoint_x_(adjoint_x), adjoint_y_(adjoint_y), broadcasts_(broadcasts) {}

  absl::Status Compute(KernelContext& context) const final {
    if (!broadcasts_) LEAT_RETURN_IF_ERROR(CheckEqualBatches(context));
    LEAT_ASSIGN_OR_RETURN(const BatchProduct p,
                          BatchMatrixProduct(context, adjoint_x_, adjoint_y_));
    LEAT_ASSIGN_OR_RETURN(const Tensor x, Operand(context, 0, adjoint_x_));
    LEAT_ASSIGN_OR_RETURN(const Tensor y, Operand(context, 1, adjoint_y_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.shape));
    if (output->num_elements() == 0) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> batch,
                          PlanBroadcast(p.a_batch, p.b_batch));
    return MultiplyBatches(context, p.matrices, batch, x, y, *output);
  }

 private:
  // Returns input `i` of the product. If `is_adjoint` is true and T is complex,
  // returns its conjugate instead, because the adjoint of a matrix is the
  // transposed conjugate. The product does the transposition.
  static absl::StatusOr<Tensor> Operand(KernelContext& context, int i,
                                        bool is_adjoint) {
    const Tensor& input = context.input(i);
    if (input.dtype() != kDTypeOf<T>) return Converted(context, input);
    if (!kComplexes.Contains(kDTypeOf<T>) || !is_adjoint) return input;
    LEAT_ASSIGN_OR_RETURN(Tensor conjugate, context.AllocateTemporary(
                                                input.dtype(), input.shape()));
    const T* const from = input.data<T>().data();
    T* const to = conjugate.template mutable_data<T>().data();
    ParallelFor(context.compute_queue(), input.num_elements(), /*cost=*/1,
                [=](int64_t begin, int64_t end) {
                  for (int64_t k = begin; k < end; ++k) {
                    to[k] = Conjugate(from[k]);
                  }
                });
    return conjugate;
  }

  // Returns the elements of `input`, which are 8-bit integers, as elements of
  // type T.
  static absl::StatusOr<Tensor> Converted(KernelContext& context,
                                          const Tensor& input) {
    LEAT_ASSIGN_OR_RETURN(Tensor converted, context.AllocateTemporary(
                                                kDTypeOf<T>, input.shape()));
    T* const to = converted.template mutable_data<T>().data();
    VisitDType(kNarrowInts, input.dtype(), [&](auto tag) {
      const auto from = input.data<typename decltype(tag)::type>();
      ParallelFor(context.compute_queue(), input.num_elements(), /*cost=*/1,
                  [=](int64_t begin, int64_t end) {
                    for (int64_t k = begin; k < end; ++k) {
                      to[k] = T(static_cast<Wide<T>>(from[k]));
                    }
                  });
    });
    return converted;
  }

  const bool adjoint_x_;
  const bool adjoint_y_;
  const bool broadcasts_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (!kTypes.Contains(dtype)) return UnsupportedType(node, "T", dtype);
  LEAT_ASSIGN_OR_RETURN(bool a, node.attrs.GetOr<bool>("transpose_a", false));
  LEAT_ASSIGN_OR_RETURN(bool b, node.attrs.GetOr<bool>("transpose_b", false));
  return std::unique_ptr<Kernel>(std::make_unique<MatMulKernel>(a, b));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeFusedMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  if (dtype != DType::kFloat) return UnsupportedType(node, "T", dtype);
  LEAT_ASSIGN_OR_RETURN(bool a, node.attrs.GetOr<bool>("transpose_a", false));
  LEAT_ASSIGN_OR_RETURN(bool b, node.attrs.GetOr<bool>("transpose_b", false));
  LEAT_ASSIGN_OR_RETURN(const FusedOps fused_ops, ReadFusedOps(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<FusedMatMul>(a, b, fused_ops));
}

// Makes the kernel of a product of batches. `attr` is the type attr of the
// output.
template <const auto& attr, bool broadcasts>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBatchMatMul(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool x, node.attrs.GetOr<bool>("adj_x", false));
  LEAT_ASSIGN_OR_RETURN(bool y, node.attrs.GetOr<bool>("adj_y", false));
  return MakeForType(
      node, attr, kProductTypes, [&](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        return std::make_unique<BatchMatMulKernel<T>>(x, y, broadcasts);
      });
}

constexpr char kInputType[] = "T";
constexpr char kOutputType[] = "Tout";

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MatMul", kCpu, &MakeMatMul);
  registry.Add("_FusedMatMul", kCpu, &MakeFusedMatMul);
  registry.Add("BatchMatMul", kCpu, &MakeBatchMatMul<kInputType, false>);
  registry.Add("BatchMatMulV2", kCpu, &MakeBatchMatMul<kInputType, true>);
  registry.Add("BatchMatMulV3", kCpu, &MakeBatchMatMul<kOutputType, true>);
}

}  // namespace leat::kernels::cpu::matmul
