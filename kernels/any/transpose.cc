// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Transpose and ConjugateTranspose. Transpose copies
// strided rows. If the last two merged dimensions are exchanged, it copies
// square tiles instead.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::transpose {
namespace {

constexpr int64_t kTile = 16;

// Checks that `perm` is a permutation of the dimensions.
absl::Status CheckPermutation(const Dims& perm, int rank) {
  if (static_cast<int>(perm.size()) != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("transpose expects a vector of size ", rank,
                     ". But input(1) is a vector of size ", perm.size()));
  }
  Dims seen(rank, 0);
  for (const int64_t axis : perm) {
    if (axis < -rank || axis >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat(axis, " is out of range [0 .. ", rank, ")"));
    }
    seen[axis < 0 ? axis + rank : axis] += 1;
  }
  for (int i = 0; i < rank; ++i) {
    if (seen[i] == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          i, " is missing from {", absl::StrJoin(perm, ","), "}."));
    }
  }
  return absl::OkStatus();
}

// Sets to[r, c] = from[c * stride + r] for the rows [begin, end) of `to`, tile
// by tile.
template <class E>
void TransposeRows(const E* from, int64_t stride, E* to, int64_t columns,
                   int64_t begin, int64_t end) {
  for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
    const int64_t c1 = std::min(columns, c0 + kTile);
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t c = c0; c < c1; ++c) {
        to[r * columns + c] = from[c * stride + r];
      }
    }
  }
}

// Exchanges the last two dimensions of the plan, in parallel. REQUIRES: the
// plan has two or three dimensions.
template <class E>
void Transpose2D(WorkQueue& queue, const BroadcastPlan<1>& plan, const E* from,
                 E* to) {
  const size_t last = plan.extents.size() - 1;
  const int64_t rows = plan.extents[last - 1];
  const int64_t columns = plan.extents[last];
  const int64_t stride = plan.strides[0][last];
  const int64_t batch = last == 2 ? plan.extents[0] : 1;
  const int64_t batch_stride = last == 2 ? plan.strides[0][0] : 0;
  const int64_t strips = (rows + kTile - 1) / kTile;
  ParallelFor(queue, batch * strips, kTile * columns,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t b = i / strips;
                  const int64_t row = i % strips * kTile;
                  TransposeRows(from + b * batch_stride, stride,
                                to + b * rows * columns, columns, row,
                                std::min(rows, row + kTile));
                }
              });
}

// Sets output 0 to the transposed input 0, and returns the output.
template <class E>
absl::StatusOr<Tensor*> TransposeInput(KernelContext& context) {
  const Tensor& input = context.input(0);
  const int rank = input.rank();
  if (context.input(1).rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("perm must be rank 1, got shape ",
                     context.input(1).shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims perm, GetIndices(context.input(1), "perm"));
  LEAT_RETURN_IF_ERROR(CheckPermutation(perm, rank));
  const Dims input_strides = input.shape().Strides();
  Dims dims(rank);
  Dims strides(rank);
  for (int i = 0; i < rank; ++i) {
    const int64_t axis = perm[i] < 0 ? perm[i] + rank : perm[i];
    dims[i] = input.dim(static_cast<int>(axis));
    strides[i] = input_strides[axis];
  }
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
  if (shape.num_elements() == 0) return output;
  const BroadcastPlan<1> plan = PlanStrided(shape, strides);
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  const size_t n = plan.extents.size();
  if (StreamOf(context) == nullptr && (n == 2 || n == 3) &&
      plan.strides[0][n - 2] == 1) {
    Transpose2D(context.compute_queue(), plan, from, to);
    return output;
  }
  LEAT_RETURN_IF_ERROR(CopyFromStrided(context, plan, from, to));
  return output;
}

template <class E>
class Transpose final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    return TransposeInput<E>(context).status();
  }
};

// Transposes and then conjugates. T is complex.
template <class T>
class ConjugateTranspose final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(Tensor* const output, TransposeInput<T>(context));
    const absl::Span<T> values = output->mutable_data<T>();
    ParallelFor(context.compute_queue(), static_cast<int64_t>(values.size()),
                /*cost=*/1, [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    values[i] = Conjugate(values[i]);
                  }
                });
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeConjugateTranspose(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  std::unique_ptr<Kernel> kernel;
  const bool is_complex = VisitDType(kComplexes, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    kernel = std::make_unique<ConjugateTranspose<T>>();
  });
  if (is_complex) return kernel;
  return MakeAnyElementKernel<Transpose, kAttrT>(node);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Transpose", kCpu, &MakeAnyElementKernel<Transpose, kAttrT>);
  registry.Add("Transpose", kGpu, &MakeAnyElementKernel<Transpose, kAttrT>);
  registry.Add("ConjugateTranspose", kCpu, &MakeConjugateTranspose);
}

}  // namespace leat::kernels::any::transpose
