// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are helpers for ops such as TensorScatterAdd, whose indices are
// coordinates.
#ifndef LEAT_KERNELS_CPU_SCATTER_OPS_H_
#define LEAT_KERNELS_CPU_SCATTER_OPS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/functors/scatter.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels::cpu {

using functors::scatter::Add;
using functors::scatter::Divide;
using functors::scatter::Maximum;
using functors::scatter::Minimum;
using functors::scatter::Multiply;
using functors::scatter::Subtract;
using functors::scatter::Update;

// Returns where each row of the updates goes: the position of its first element
// in a tensor of shape `shape`. Returns INVALID_ARGUMENT for an index out of
// range. REQUIRES: the tensor has elements.
template <class Index>
absl::StatusOr<Tensor> TargetsOf(KernelContext& context, const Tensor& indices,
                                 const Shape& shape, int64_t rows) {
  LEAT_ASSIGN_OR_RETURN(Tensor targets,
                        context.AllocateTemporary(DType::kInt64, Shape{rows}));
  const auto target = targets.mutable_data<int64_t>();
  const int64_t depth = indices.dim(indices.rank() - 1);
  const Dims strides = shape.Strides();
  const Index* index = indices.data<Index>().data();
  for (int64_t row = 0; row < rows; ++row, index += depth) {
    target[row] = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const auto i = static_cast<int64_t>(index[d]);
      if (i < 0 || i >= shape.dim(static_cast<int>(d))) {
        return IndexError(IndexRule::kTarget, {rows}, row,
                          Dims(index, index + depth), shape.dims());
      }
      target[row] += i * strides[d];
    }
  }
  return targets;
}

// Does the same for indices of int32 or int64, which are coordinates in their
// last dimension. REQUIRES: the indices have elements.
inline absl::StatusOr<Tensor> TargetsOf(KernelContext& context,
                                        const Tensor& indices,
                                        const Shape& shape) {
  const int64_t rows = indices.num_elements() / indices.dim(indices.rank() - 1);
  return indices.dtype() == DType::kInt32
             ? TargetsOf<int32_t>(context, indices, shape, rows)
             : TargetsOf<int64_t>(context, indices, shape, rows);
}

// Combines slices of a tensor with updates. `targets` has the position of the
// first element of each slice. Each chunk of the work owns a range of the
// positions in a slice, so that updates of the same slice keep their order.
template <class Op, class T>
void CombineSlices(WorkQueue& queue, const Tensor& targets,
                   const Tensor& updates, T* to) {
  const absl::Span<const int64_t> target = targets.data<int64_t>();
  const auto rows = static_cast<int64_t>(target.size());
  const int64_t width = updates.num_elements() / rows;
  const T* const from = Elements<T>(updates);
  ParallelFor(queue, width, /*cost_per_item=*/rows,
              [=](int64_t begin, int64_t end) {
                for (int64_t row = 0; row < rows; ++row) {
                  const T* update = from + row * width;
                  T* out = to + target[row];
                  for (int64_t k = begin; k < end; ++k) {
                    out[k] = Op::Do(out[k], update[k]);
                  }
                }
              });
}

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_SCATTER_OPS_H_
