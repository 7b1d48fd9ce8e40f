// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of TopKV2, InTopK and InTopKV2. TopKV2 finds the k
// largest elements of each row; equal elements are sorted by their index.
// InTopK and InTopKV2 check whether a target is among the k largest elements.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/indices/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/in_top_k_kernel.h"
#include "leat/kernels/shapes/in_top_k_shapes.h"
#include "leat/kernels/shapes/top_k_shape.h"

namespace leat::kernels::cpu::top_k {
namespace {

// Returns true if element `i` comes before element `j`. This is a total order,
// in which NaN is below all numbers, so that sorting is safe for all values.
template <class T>
bool Above(const T* row, int64_t i, int64_t j) {
  if constexpr (std::is_integral_v<T>) {
    if (row[i] != row[j]) return row[i] > row[j];
  } else {
    const auto a = row[i] + 0, b = row[j] + 0;
    const bool a_nan = std::isnan(a), b_nan = std::isnan(b);
    if (a_nan != b_nan) return b_nan;
    if (!a_nan && a != b) return a > b;
  }
  return i < j;
}

// Sets the first `k` entries of `order` to the indices of the `k` largest
// elements, the largest first.
template <class T>
void SelectLargest(const T* row, int64_t k, std::vector<int64_t>& order) {
  std::iota(order.begin(), order.end(), int64_t{0});
  std::partial_sort(order.begin(), order.begin() + k, order.end(),
                    [row](int64_t i, int64_t j) { return Above(row, i, j); });
}

template <class T>
class TopK final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const TopKShape shape, GetTopKShape(context));
    const int64_t k = shape.k;
    const int64_t columns = shape.columns;
    LEAT_ASSIGN_OR_RETURN(Tensor * values,
                          context.AllocateOutput(0, shape.output));
    LEAT_ASSIGN_OR_RETURN(Tensor * indices,
                          context.AllocateOutput(1, shape.output));
    if (values->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    T* to = values->mutable_data<T>().data();
    const IndexWriter where(*indices);
    ParallelFor(context.compute_queue(), shape.rows, columns * 4 + 20,
                [&](int64_t begin, int64_t end) {
                  std::vector<int64_t> order(columns);
                  for (int64_t i = begin; i < end; ++i) {
                    const T* row = from + i * columns;
                    SelectLargest(row, k, order);
                    for (int64_t j = 0; j < k; ++j) {
                      to[i * k + j] = row[order[j]];
                      where.Set(i * k + j, order[j]);
                    }
                  }
                });
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeTopK(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers,
                     [](auto type) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(type)::type;
                       return std::make_unique<TopK<T>>();
                     });
}

// Returns true if fewer than `k` elements of the row are above the target's
// element. Returns false if the target is out of range or if an element of the
// row is not finite.
bool IsInTopK(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) {
    return false;
  }
  int64_t above = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (!std::isfinite(row[c])) return false;
    if (row[c] > row[target] && ++above > k) return false;
  }
  return above < k;
}

absl::Status ComputeInTopK(KernelContext& context, int64_t k) {
  const Tensor& predictions = context.input(0);
  LEAT_RETURN_IF_ERROR(CheckInTopKShapes(context));
  LEAT_ASSIGN_OR_RETURN(Dims targets, GetIndices(context.input(1), "targets"));
  const int64_t rows = predictions.dim(0), classes = predictions.dim(1);
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, Shape{rows}));
  const float* from = predictions.data<float>().data();
  bool* to = output->mutable_data<bool>().data();
  for (int64_t i = 0; i < rows; ++i) {
    to[i] = IsInTopK(from + i * classes, classes, targets[i], k);
  }
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("TopKV2", kCpu, &MakeTopK);
  AddInTopK<&ComputeInTopK>(registry, kCpu);
}

}  // namespace leat::kernels::cpu::top_k
