// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of SegmentSum and SegmentMean, and of SparseSegmentSum,
// SparseSegmentMean and SparseSegmentSqrtN with their gradients. The segment
// ids are sorted, so the rows of a segment stand one behind another. The sparse
// forms take the rows that a list of indices names.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/sorted_segments.h"

namespace leat::kernels::cpu::sorted_segment {
namespace {

using Ids = absl::Span<const int64_t>;

// Says what becomes of the sum of n rows.
enum class Scale { kSum, kMean, kSqrtN };

// Is the type in which elements of type T are added. Integers wrap around.
template <class T>
auto ZeroSum() {
  if constexpr (std::is_integral_v<T>) {
    return Wrapping<T>(0);
  } else {
    return Wide<T>(0);
  }
}
template <class T>
using Sum = decltype(ZeroSum<T>());

template <class T>
T Scaled(Sum<T> sum, int64_t count, Scale scale) {
  if (scale == Scale::kSum || count <= 1) return static_cast<T>(sum);
  if constexpr (std::is_integral_v<T>) {
    using Count = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>(static_cast<Count>(static_cast<T>(sum)) /
                          static_cast<Count>(count));
  } else {
    const double by = static_cast<double>(count);
    const double divisor = scale == Scale::kMean ? by : std::sqrt(by);
    using Real = decltype(std::abs(sum));
    return static_cast<T>(sum / static_cast<Real>(divisor));
  }
}

// Sets `to` to the sums or means of a run of `count` rows of `size` elements.
// Row i of the run is row row_at(i) of `from`.
template <class T, class RowAt>
void ReduceRun(const T* from, int64_t size, int64_t count, RowAt row_at,
               Scale scale, T* to) {
  constexpr int64_t kBlock = 64;
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t block = std::min(kBlock, size - begin);
    std::array<Sum<T>, kBlock> sums;
    std::fill(sums.begin(), sums.end(), ZeroSum<T>());
    for (int64_t i = 0; i < count; ++i) {
      const T* const row = from + row_at(i) * size + begin;
      for (int64_t k = 0; k < block; ++k) {
        sums[static_cast<size_t>(k)] += static_cast<Sum<T>>(row[k]);
      }
    }
    for (int64_t k = 0; k < block; ++k) {
      to[begin + k] = Scaled<T>(sums[static_cast<size_t>(k)], count, scale);
    }
  }
}

// Sets output 0 to the reduced segments. The row of ids[i] is row row_at(i) of
// input 0. REQUIRES: the ids are sorted and not negative.
template <class T, class RowAt>
absl::Status ReduceSegments(KernelContext& context, Ids ids, Scale scale,
                            RowAt row_at) {
  const Tensor& data = context.input(0);
  const int64_t segments = NumSegments(ids);
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        AllocateRows(context, segments, data));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int64_t size = output->num_elements() / segments;
  const T* const from = data.data<T>().data();
  T* const to = output->mutable_data<T>().data();
  const int64_t rows_per_segment =
      static_cast<int64_t>(ids.size()) / segments + 1;
  ParallelFor(context.compute_queue(), segments, 10 + rows_per_segment * size,
              [&](int64_t begin, int64_t end) {
                auto first = std::lower_bound(ids.begin(), ids.end(), begin);
                for (int64_t segment = begin; segment < end; ++segment) {
                  const auto last =
                      std::find_if(first, ids.end(),
                                   [&](int64_t id) { return id != segment; });
                  const int64_t at = first - ids.begin();
                  ReduceRun(
                      from, size, last - first,
                      [&](int64_t i) { return row_at(at + i); }, scale,
                      to + segment * size);
                  first = last;
                }
              });
  return absl::OkStatus();
}

// Reduces all rows of input 0; input 1 has the ids.
template <class T, Scale scale>
class Segment final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const Tensor ids, SortedSegmentIds(context));
    return ReduceSegments<T>(context, ids.data<int64_t>(), scale,
                             [](int64_t i) { return i; });
  }
};

// Checks the shapes of the inputs 1 and 2, the indices and the segment ids.
absl::Status CheckIndicesAndIds(const KernelContext& context) {
  if (context.input(0).rank() == 0) {
    return absl::InvalidArgumentError("Shape must be at least rank 1");
  }
  LEAT_RETURN_IF_ERROR(CheckIsVector(context.input(1), "indices"));
  LEAT_RETURN_IF_ERROR(CheckIsVector(context.input(2), "segment_ids"));
  if (context.input(1).dim(0) == context.input(2).dim(0)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "segment_ids and indices should have same size.");
}

// Reduces the rows of input 0 that the indices in input 1 name; input 2 has
// the segment ids.
template <class T, Scale scale>
class SparseSegment final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    LEAT_RETURN_IF_ERROR(CheckIndicesAndIds(context));
    LEAT_ASSIGN_OR_RETURN(const Tensor indices, Int64Input(context, 1));
    LEAT_ASSIGN_OR_RETURN(const Tensor ids, Int64Input(context, 2));
    LEAT_RETURN_IF_ERROR(CheckSorted(ids.data<int64_t>()));
    const Ids rows = indices.data<int64_t>();
    const int64_t limit = context.input(0).dim(0);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0 && rows[i] < limit) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Bad: indices[", i, "] == ", rows[i],
                       " out of range [0, ", limit, ")"));
    }
    return ReduceSegments<T>(
        context, ids.data<int64_t>(), scale,
        [rows](int64_t i) { return rows[static_cast<size_t>(i)]; });
  }
};

// Adds, for each i, row ids[i] of the gradient to row indices[i] of the output.
template <class T, Scale scale>
class SparseSegmentGrad final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& grad = context.input(0);
    LEAT_RETURN_IF_ERROR(CheckIndicesAndIds(context));
    if (!context.input(3).shape().IsScalar()) {
      return absl::InvalidArgumentError("output_dim0 should be a scalar.");
    }
    const int64_t rows = context.input(3).scalar<int32_t>();
    if (rows < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected a non-negative size, got ", rows));
    }
    LEAT_ASSIGN_OR_RETURN(const Tensor indices, Int64Input(context, 1));
    LEAT_ASSIGN_OR_RETURN(const Tensor ids, Int64Input(context, 2));
    LEAT_ASSIGN_OR_RETURN(const Tensor counts,
                          Counts(context, ids.data<int64_t>(), grad.dim(0)));
    LEAT_RETURN_IF_ERROR(CheckIndices(indices.data<int64_t>(), rows));
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          AllocateRows(context, rows, grad));
    const auto to = output->mutable_data<T>();
    std::fill(to.begin(), to.end(), T(0));
    if (to.empty() || grad.num_elements() == 0) return absl::OkStatus();
    AddRows(grad, indices.data<int64_t>(), ids.data<int64_t>(),
            counts.data<int64_t>(), *output);
    return absl::OkStatus();
  }

 private:
  // Returns how many rows each segment had, after it has checked the ids.
  static absl::StatusOr<Tensor> Counts(KernelContext& context, Ids ids,
                                       int64_t segments) {
    if (!ids.empty() && ids.back() >= segments) {
      return absl::InvalidArgumentError("Invalid number of segments");
    }
    LEAT_ASSIGN_OR_RETURN(Tensor counts, context.AllocateTemporary(
                                             DType::kInt64, Shape{segments}));
    const auto count = counts.mutable_data<int64_t>();
    std::fill(count.begin(), count.end(), 0);
    for (const int64_t id : ids) {
      if (id < 0 || id >= segments) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Segment id ", id, " out of range [0, ", segments, ")."));
      }
      ++count[static_cast<size_t>(id)];
    }
    return counts;
  }

  static absl::Status CheckIndices(Ids indices, int64_t rows) {
    for (const int64_t index : indices) {
      if (index >= 0 && index < rows) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Index ", index, " out of range [0, ", rows, ")."));
    }
    return absl::OkStatus();
  }

  static void AddRows(const Tensor& grad, Ids indices, Ids ids, Ids counts,
                      Tensor& output) {
    const int64_t size = grad.num_elements() / grad.dim(0);
    const T* const from = grad.data<T>().data();
    T* const to = output.mutable_data<T>().data();
    for (size_t i = 0; i < ids.size(); ++i) {
      const int64_t count = counts[static_cast<size_t>(ids[i])];
      const T* const row = from + ids[i] * size;
      T* const out = to + indices[i] * size;
      for (int64_t k = 0; k < size; ++k) {
        const Wide<T> part = Scaled<Wide<T>>(Wide<T>(row[k]), count, scale);
        out[k] = static_cast<T>(Wide<T>(out[k]) + part);
      }
    }
  }
};

// Makes a kernel K<T, scale> for the types of `list`.
template <template <class, Scale> class K, Scale scale, const auto& list>
absl::StatusOr<std::unique_ptr<Kernel>> MakeScaled(const NodeDef& node) {
  return MakeForType(node, "T", list, [](auto tag) -> std::unique_ptr<Kernel> {
    return std::make_unique<K<typename decltype(tag)::type, scale>>();
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("SegmentSum", kCpu,
               &MakeScaled<Segment, Scale::kSum, kNumbersAndComplexes>);
  registry.Add("SegmentMean", kCpu,
               &MakeScaled<Segment, Scale::kMean, kNumbersAndComplexes>);
  registry.Add("SparseSegmentSum", kCpu,
               &MakeScaled<SparseSegment, Scale::kSum, kNumbers>);
  registry.Add("SparseSegmentMean", kCpu,
               &MakeScaled<SparseSegment, Scale::kMean, kFloats>);
  registry.Add("SparseSegmentSqrtN", kCpu,
               &MakeScaled<SparseSegment, Scale::kSqrtN, kFloats>);
  registry.Add("SparseSegmentSumGrad", kCpu,
               &MakeScaled<SparseSegmentGrad, Scale::kSum, kFloats>);
  registry.Add("SparseSegmentMeanGrad", kCpu,
               &MakeScaled<SparseSegmentGrad, Scale::kMean, kFloats>);
  registry.Add("SparseSegmentSqrtNGrad", kCpu,
               &MakeScaled<SparseSegmentGrad, Scale::kSqrtN, kFloats>);
}

}  // namespace leat::kernels::cpu::sorted_segment
