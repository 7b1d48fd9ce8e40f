// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Gather, GatherV2 and GatherNd, which copy the rows
// that a tensor of indices names. The indices may come from anywhere, so each
// is checked.
#include <atomic>
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/indices/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/gather_plan.h"

namespace leat::kernels::cpu::gather {
namespace {

// Copies the rows that `indices` names. Returns the position of an index that
// is out of range, or -1 if there is none.
template <class E, class Index>
int64_t CopyRows(WorkQueue& queue, const GatherPlan& s, const E* params,
                 const Index* indices, E* to) {
  std::atomic<int64_t> bad{-1};
  const int64_t rows = s.batch * s.outer * s.count;
  ParallelFor(queue, rows, 4 + s.inner / 4, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t i = row % s.count;
      const int64_t slab = row / s.count;  // index over batch and outer
      const int64_t position = slab / s.outer * s.count + i;
      const int64_t index = static_cast<int64_t>(indices[position]);
      if (index < 0 || index >= s.limit) {
        ClearElements(to + row * s.inner, s.inner);
        bad.store(position, std::memory_order_relaxed);
        continue;
      }
      CopyElements(params + (slab * s.limit + index) * s.inner, s.inner,
                   to + row * s.inner);
    }
  });
  return bad.load();
}

// Gathers rows of input 0, as the plan says.
template <class E>
absl::Status GatherRows(KernelContext& context, const GatherPlan& plan) {
  LEAT_ASSIGN_OR_RETURN(const Tensor indices, InputIndices(context, 1));
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, plan.output));
  if (plan.output.num_elements() == 0) return absl::OkStatus();
  const E* from = Elements<E>(context.input(0));
  E* to = MutableElements<E>(*output);
  WorkQueue& queue = context.compute_queue();
  const int64_t bad =
      indices.dtype() == DType::kInt32
          ? CopyRows(queue, plan, from, indices.data<int32_t>().data(), to)
          : CopyRows(queue, plan, from, indices.data<int64_t>().data(), to);
  if (bad < 0) return absl::OkStatus();
  const int64_t index = indices.dtype() == DType::kInt32
                            ? indices.data<int32_t>()[bad]
                            : indices.data<int64_t>()[bad];
  return IndexError(IndexRule::kRow, indices.shape().dims(), bad, {index},
                    {plan.limit});
}

template <class E>
class Gather final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(
        const GatherPlan plan,
        PlanGather(context.input(0).shape(), context.input(1).shape(),
                   /*axis=*/0, /*batch_dims=*/0));
    return GatherRows<E>(context, plan);
  }
};

template <class E>
class GatherV2 final : public Kernel {
 public:
  explicit GatherV2(int64_t batch_dims) : batch_dims_(batch_dims) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const GatherPlan plan,
                          PlanGatherV2(context, batch_dims_));
    return GatherRows<E>(context, plan);
  }

 private:
  const int64_t batch_dims_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeGatherV2(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t batch_dims,
                        node.attrs.GetOr<int64_t>("batch_dims", 0));
  return MakeForAnyElement(
      node, "Tparams", [&](auto tag) -> std::unique_ptr<Kernel> {
        return std::make_unique<GatherV2<typename decltype(tag)::type>>(
            batch_dims);
      });
}

// Sets output row i to params[indices[i, :]] for all i. Returns
// INVALID_ARGUMENT for an index out of range.
template <class E, class Index>
absl::Status GatherPoints(WorkQueue& queue, const Tensor& params,
                          const Tensor& indices, int64_t rows, int64_t inner,
                          E* to) {
  const int64_t depth = indices.dim(indices.rank() - 1);
  const Index* index = indices.data<Index>().data();
  const E* from = Elements<E>(params);
  std::atomic<int64_t> bad{-1};
  ParallelFor(queue, rows, 4 + inner / 4, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t offset = 0;
      bool ok = true;
      for (int64_t d = 0; d < depth; ++d) {
        const int64_t i = static_cast<int64_t>(index[row * depth + d]);
        const int64_t extent = params.dim(static_cast<int>(d));
        ok = ok && i >= 0 && i < extent;
        if (ok) offset = offset * extent + i;
      }
      if (ok) {
        CopyElements(from + offset * inner, inner, to + row * inner);
      } else {
        bad.store(row, std::memory_order_relaxed);
      }
    }
  });
  const int64_t row = bad.load();
  if (row < 0) return absl::OkStatus();
  const Dims point(index + row * depth, index + (row + 1) * depth);
  return IndexError(IndexRule::kPoint,
                    indices.shape().dims().first(indices.rank() - 1), row,
                    point, params.shape().dims());
}

template <class E>
class GatherNd final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& params = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Tensor indices, InputIndices(context, 1));
    LEAT_ASSIGN_OR_RETURN(const GatherNdPlan plan,
                          PlanGatherNd(params.shape(), indices.shape()));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.output));
    if (plan.output.num_elements() == 0) return absl::OkStatus();
    E* to = MutableElements<E>(*output);
    return indices.dtype() == DType::kInt32
               ? GatherPoints<E, int32_t>(context.compute_queue(), params,
                                          indices, plan.rows, plan.inner, to)
               : GatherPoints<E, int64_t>(context.compute_queue(), params,
                                          indices, plan.rows, plan.inner, to);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Gather", kCpu, &MakeAnyElementKernel<Gather, kAttrTparams>);
  registry.Add("GatherV2", kCpu, &MakeGatherV2);
  registry.Add("GatherNd", kCpu, &MakeAnyElementKernel<GatherNd, kAttrTparams>);
}

}  // namespace leat::kernels::cpu::gather
