// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of MatrixBandPart, which sets all elements of matrices to
// zero that lie outside of a band around the main diagonal.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/element_copy.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::matrix_band_part {
namespace {

// Returns how many diagonals are kept on one side of the main one, which input
// `i` says. A negative number stands for all, at most `extent`, the number of
// rows or columns. `side` and `unit` are words of errors.
absl::StatusOr<int64_t> GetWidth(const KernelContext& context, int i,
                                 int64_t extent, absl::string_view side,
                                 absl::string_view unit) {
  const Tensor& input = context.input(i);
  if (input.rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_", side, " must be scalar, got shape ",
                     input.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(input, side));
  if (values[0] > extent) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_", side, " must be negative or less or equal to number of ", unit,
        " (", extent, ") got: ", values[0]));
  }
  return values[0] < 0 ? extent : values[0];
}

template <class E>
class MatrixBandPart final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (input.rank() < 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("input must be at least 2-dim, received shape: ",
                       input.shape().DebugString()));
    }
    const int64_t rows = input.dim(input.rank() - 2);
    const int64_t columns = input.dim(input.rank() - 1);
    LEAT_ASSIGN_OR_RETURN(const int64_t lower,
                          GetWidth(context, 1, rows, "lower", "rows"));
    LEAT_ASSIGN_OR_RETURN(const int64_t upper,
                          GetWidth(context, 2, columns, "upper", "columns"));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    const E* from = Elements<E>(input);
    E* to = MutableElements<E>(*output);
    ParallelFor(
        context.compute_queue(), input.num_elements() / columns,
        /*cost_per_item=*/8 + columns / 4, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t row = i % rows;
            const int64_t first = std::clamp<int64_t>(row - lower, 0, columns);
            const int64_t last =
                std::clamp<int64_t>(row + upper + 1, first, columns);
            E* out = to + i * columns;
            ClearElements(out, first);
            if (to != from) {
              CopyElements(from + i * columns + first, last - first,
                           out + first);
            }
            ClearElements(out + last, columns - last);
          }
        });
    return absl::OkStatus();
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MatrixBandPart", kCpu,
               &MakeElementKernel<MatrixBandPart, kAttrT>);
}

}  // namespace leat::kernels::cpu::matrix_band_part
