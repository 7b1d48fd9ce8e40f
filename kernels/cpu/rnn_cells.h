// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These helpers are for the kernels of LSTM and GRU cells. A cell multiplies
// its input and its last output by weights, and computes the rest row by row. A
// row holds the values of one example of the batch.
#ifndef LEAT_KERNELS_CPU_RNN_CELLS_H_
#define LEAT_KERNELS_CPU_RNN_CELLS_H_

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels::cpu {

using Row = Eigen::Map<Eigen::ArrayXf>;
using ConstRow = Eigen::Map<const Eigen::ArrayXf>;

// Is an expected extent. Error messages call it `name`.
struct Extent {
  const char* name = "";
  int64_t size = 0;
};

// Returns INVALID_ARGUMENT, with TensorFlow's text, unless input `i` has this
// rank.
inline absl::Status CheckRank(const KernelContext& context, int i, int rank) {
  const Tensor& input = context.input(i);
  if (input.rank() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(context.node().op->inputs[i].name, " must be rank ", rank,
                   " but is rank ", input.rank()));
}

// Returns INVALID_ARGUMENT, with TensorFlow's text, unless input `i` has these
// extents.
inline absl::Status CheckExtents(const KernelContext& context, int i,
                                 std::initializer_list<Extent> extents) {
  LEAT_RETURN_IF_ERROR(CheckRank(context, i, static_cast<int>(extents.size())));
  int axis = 0;
  for (const Extent& extent : extents) {
    const int64_t got = context.input(i).dim(axis);
    if (got != extent.size) {
      return absl::InvalidArgumentError(
          absl::StrCat(context.node().op->inputs[i].name, ".dims(", axis,
                       ") != ", extent.name, ": ", got, " vs. ", extent.size));
    }
    ++axis;
  }
  return absl::OkStatus();
}

inline const float* Floats(const KernelContext& context, int i) {
  return context.input(i).data<float>().data();
}

// Allocates output `i` of floats.
inline absl::StatusOr<float*> NewFloats(KernelContext& context, int i,
                                        const Shape& shape) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(i, shape));
  return output->mutable_data<float>().data();
}

// Calls `body(row)` for each of `rows` rows of `cells` cells, in parallel.
template <class Body>
void ForRows(WorkQueue& queue, int64_t rows, int64_t cells, Body body) {
  ParallelFor(queue, rows, /*cost_per_item=*/8 * cells + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) body(row);
              });
}

template <class X>
auto Sigmoid(const X& x) {
  return 1.0f / (1.0f + (-x).exp());
}

// Sets `sums` to the sums over all rows of a matrix.
inline void SumRows(const float* matrix, int64_t rows, int64_t columns,
                    float* sums) {
  std::fill_n(sums, columns, 0.0f);
  for (int64_t row = 0; row < rows; ++row) {
    Row(sums, columns) += ConstRow(matrix + row * columns, columns);
  }
}

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_RNN_CELLS_H_
