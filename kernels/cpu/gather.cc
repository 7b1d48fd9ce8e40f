// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Gather, GatherV2 and GatherNd, which copy the rows
// that a tensor of indices names. The indices may come from anywhere, so each
// is checked.
#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::gather {
namespace {

// Returns the position of element `flat` of a tensor of this shape as text,
// such as "[1,0]", or "" for a scalar.
std::string PositionIn(const Shape& shape, int64_t flat) {
  if (shape.rank() == 0) return "";
  Dims position(shape.rank());
  for (int i = shape.rank() - 1; i >= 0; --i) {
    position[i] = flat % shape.dim(i);
    flat /= shape.dim(i);
  }
  return absl::StrCat("[", absl::StrJoin(position, ","), "]");
}

// The sizes of a gather: params is [batch, outer, limit, inner], indices is
// [batch, count], and the output is [batch, outer, count, inner].
struct GatherSizes {
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t limit = 1;
  int64_t inner = 1;
  int64_t count = 1;
};

// Copies the rows that `indices` names. Returns the position of an index that
// is out of range, or -1 if there is none.
template <class E, class Index>
int64_t CopyRows(WorkQueue& queue, const GatherSizes& s, const E* params,
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

// Gathers along dimension `axis` of input 0. The first `batch_dims` dimensions
// of inputs 0 and 1 are the same. REQUIRES: the caller has checked `axis` and
// `batch_dims`.
template <class E>
absl::Status GatherAlong(KernelContext& context, int axis, int batch_dims) {
  const Tensor& params = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const Tensor indices, InputIndices(context, 1));
  GatherSizes s;
  Dims dims;
  for (int i = 0; i < axis; ++i) {
    dims.push_back(params.dim(i));
    (i < batch_dims ? s.batch : s.outer) *= params.dim(i);
  }
  for (int i = batch_dims; i < indices.rank(); ++i) {
    dims.push_back(indices.dim(i));
    s.count *= indices.dim(i);
  }
  for (int i = axis + 1; i < params.rank(); ++i) {
    dims.push_back(params.dim(i));
  }
  s.limit = params.dim(axis);
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  for (int i = axis + 1; i < params.rank(); ++i) s.inner *= params.dim(i);
  const E* from = Elements<E>(params);
  E* to = MutableElements<E>(*output);
  WorkQueue& queue = context.compute_queue();
  const int64_t bad =
      indices.dtype() == DType::kInt32
          ? CopyRows(queue, s, from, indices.data<int32_t>().data(), to)
          : CopyRows(queue, s, from, indices.data<int64_t>().data(), to);
  if (bad < 0) return absl::OkStatus();
  const int64_t index = indices.dtype() == DType::kInt32
                            ? indices.data<int32_t>()[bad]
                            : indices.data<int64_t>()[bad];
  return absl::InvalidArgumentError(
      absl::StrCat("indices", PositionIn(indices.shape(), bad), " = ", index,
                   " is not in [0, ", s.limit, ")"));
}

template <class E>
class Gather final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    if (context.input(0).rank() == 0) {
      return absl::InvalidArgumentError(
          "params must be at least 1 dimensional");
    }
    return GatherAlong<E>(context, /*axis=*/0, /*batch_dims=*/0);
  }
};

template <class E>
class GatherV2 final : public Kernel {
 public:
  explicit GatherV2(int64_t batch_dims) : batch_dims_(batch_dims) {}

  absl::Status Compute(KernelContext& context) const final {
    const Shape& params = context.input(0).shape();
    const Shape& indices = context.input(1).shape();
    if (context.input(2).rank() != 0) {
      return absl::InvalidArgumentError("axis must be scalar");
    }
    LEAT_ASSIGN_OR_RETURN(const Dims axes,
                          GetIndices(context.input(2), "axis"));
    const int64_t rank = params.rank();
    if (axes[0] < -rank || axes[0] >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected axis in the range [", -rank, ", ", rank,
                       "), but got ", axes[0]));
    }
    const int64_t axis = axes[0] < 0 ? axes[0] + rank : axes[0];
    const int64_t ranks = indices.rank();
    if (batch_dims_ < -ranks || batch_dims_ > ranks) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected batch_dims in the range [", -ranks, ", ",
                       ranks, "], but got ", batch_dims_));
    }
    const int64_t batch_dims =
        batch_dims_ < 0 ? batch_dims_ + ranks : batch_dims_;
    if (batch_dims >= rank || batch_dims > axis) {
      return absl::InvalidArgumentError(absl::StrCat(
          "batch_dims (", batch_dims, ") must be less than rank(params) (",
          rank, ") and at most axis (", axis, ")."));
    }
    for (int i = 0; i < batch_dims; ++i) {
      if (params.dim(i) != indices.dim(i)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "params.shape[", i, "]: ", params.dim(i),
            " should be equal to indices.shape[", i, "]: ", indices.dim(i)));
      }
    }
    return GatherAlong<E>(context, static_cast<int>(axis),
                          static_cast<int>(batch_dims));
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
  Dims dims(indices.shape().dims().begin(), indices.shape().dims().end() - 1);
  LEAT_ASSIGN_OR_RETURN(const Shape outer, Shape::Create(dims));
  return absl::InvalidArgumentError(absl::StrCat(
      "indices", PositionIn(outer, row), " = [",
      absl::StrJoin(absl::MakeConstSpan(index + row * depth, depth), ", "),
      "] does not index into param shape ", params.shape().DebugString()));
}

template <class E>
class GatherNd final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& params = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Tensor indices, InputIndices(context, 1));
    if (params.rank() < 1) {
      return absl::InvalidArgumentError("params must be at least a vector");
    }
    if (indices.rank() < 1) {
      return absl::InvalidArgumentError("indices must be at least a vector");
    }
    const int64_t depth = indices.dim(indices.rank() - 1);
    if (depth > params.rank()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "index innermost dimension length must be <= params rank; saw: ",
          depth, " vs. ", params.rank()));
    }
    Dims dims(indices.shape().dims().begin(), indices.shape().dims().end() - 1);
    LEAT_ASSIGN_OR_RETURN(const Shape outer, Shape::Create(dims));
    Dims inner_dims(params.shape().dims().begin() + depth,
                    params.shape().dims().end());
    LEAT_ASSIGN_OR_RETURN(const Shape inner, Shape::Create(inner_dims));
    dims.insert(dims.end(), inner_dims.begin(), inner_dims.end());
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    if (params.num_elements() == 0 && outer.num_elements() > 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Requested more than 0 entries, but params is empty.  Params shape: ",
          params.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    E* to = MutableElements<E>(*output);
    const int64_t rows = outer.num_elements();
    const int64_t size = inner.num_elements();
    return indices.dtype() == DType::kInt32
               ? GatherPoints<E, int32_t>(context.compute_queue(), params,
                                          indices, rows, size, to)
               : GatherPoints<E, int64_t>(context.compute_queue(), params,
                                          indices, rows, size, to);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Gather", kCpu, &MakeAnyElementKernel<Gather, kAttrTparams>);
  registry.Add("GatherV2", kCpu, &MakeGatherV2);
  registry.Add("GatherNd", kCpu, &MakeAnyElementKernel<GatherNd, kAttrTparams>);
}

}  // namespace leat::kernels::cpu::gather
