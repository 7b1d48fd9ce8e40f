// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Gather, GatherV2, GatherNd and ResourceGatherNd, which
// copy the rows that a tensor of indices names. The indices may come from
// anywhere, so each is checked.
#include <atomic>
#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/indices/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/gather_plan.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

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

// Returns what the indices in input 1 gather from `params`, a tensor with
// elements E.
template <class E>
absl::StatusOr<Tensor> GatherNdFrom(KernelContext& context,
                                    const Tensor& params) {
  LEAT_ASSIGN_OR_RETURN(const Tensor indices, InputIndices(context, 1));
  LEAT_ASSIGN_OR_RETURN(const GatherNdPlan plan,
                        PlanGatherNd(params.shape(), indices.shape()));
  LEAT_ASSIGN_OR_RETURN(Tensor output,
                        context.AllocateTemporary(params.dtype(), plan.output));
  if (plan.output.num_elements() == 0) return output;
  E* to = MutableElements<E>(output);
  const absl::Status status =
      indices.dtype() == DType::kInt32
          ? GatherPoints<E, int32_t>(context.compute_queue(), params, indices,
                                     plan.rows, plan.inner, to)
          : GatherPoints<E, int64_t>(context.compute_queue(), params, indices,
                                     plan.rows, plan.inner, to);
  if (!status.ok()) return status;
  return output;
}

template <class E>
class GatherNd final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(Tensor output,
                          GatherNdFrom<E>(context, context.input(0)));
    context.set_output(0, std::move(output));
    return absl::OkStatus();
  }
};

// E is the class of the elements, or the PlainElement<8> of pointers to them.
template <class E>
class ResourceGatherNd final : public Kernel {
 public:
  explicit ResourceGatherNd(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                          GetVariable(context, 0, dtype_));
    return variable->WithValue([&](const Tensor& params) -> absl::Status {
      Tensor output;
      if (IsPlainBytes(dtype_)) {
        LEAT_ASSIGN_OR_RETURN(output, GatherNdFrom<E>(context, params));
      } else {
        LEAT_ASSIGN_OR_RETURN(const Tensor from, PointersTo(params, context));
        LEAT_ASSIGN_OR_RETURN(const Tensor pointers,
                              GatherNdFrom<E>(context, from));
        LEAT_ASSIGN_OR_RETURN(output, CopyPointees(pointers, dtype_, context));
      }
      context.set_output(0, std::move(output));
      return absl::OkStatus();
    });
  }

 private:
  const DType dtype_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeResourceGatherNd(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("dtype"));
  std::unique_ptr<Kernel> kernel;
  const DType moved = kObjects.Contains(dtype) ? kPointer : dtype;
  if (!VisitPlainElement(moved, [&](auto tag) {
        using E = typename decltype(tag)::type;
        kernel = std::make_unique<ResourceGatherNd<E>>(dtype);
      })) {
    return UnsupportedType(node, "dtype", dtype);
  }
  return kernel;
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Gather", kCpu, &MakeAnyElementKernel<Gather, kAttrTparams>);
  registry.Add("GatherV2", kCpu, &MakeGatherV2);
  registry.Add("GatherNd", kCpu, &MakeAnyElementKernel<GatherNd, kAttrTparams>);
  registry.Add("ResourceGatherNd", kCpu, &MakeResourceGatherNd);
}

}  // namespace leat::kernels::cpu::gather
