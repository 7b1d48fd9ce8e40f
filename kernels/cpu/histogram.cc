// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels that count values or find their bins: Bincount,
// DenseBincount, Bucketize and HistogramFixedWidth.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::histogram {
namespace {

constexpr auto kTypes = kIndices + kFloat32And64;

absl::StatusOr<int64_t> NumBins(const Tensor& size) {
  if (!size.shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape must be rank 0 but is rank ", size.rank()));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(size, "size"));
  if (values[0] < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("size (", values[0], ") must be non-negative"));
  }
  return values[0];
}

absl::Status CheckNotNegative(const Tensor& values) {
  LEAT_ASSIGN_OR_RETURN(const Tensor flat,
                        values.Reshaped(Shape{values.num_elements()}));
  LEAT_ASSIGN_OR_RETURN(const Dims all, GetIndices(flat, "arr"));
  if (std::all_of(all.begin(), all.end(), [](int64_t v) { return v >= 0; })) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("Input arr must be non-negative!");
}

// Adds the weights of `count` values to their bins, or 1 for each value if
// `weights` is null. Values that are too large are left out. With `only_seen`,
// a bin that has values becomes 1 instead. REQUIRES: no value is negative.
template <class Index, class T>
void CountValues(const Index* values, const T* weights, int64_t count,
                 bool only_seen, int64_t num_bins, T* bins) {
  using N = Ring<T>;
  std::fill_n(bins, num_bins, T{0});
  for (int64_t i = 0; i < count; ++i) {
    const int64_t bin = values[i];
    if (bin >= num_bins) continue;
    const N weight = weights == nullptr ? N{1} : static_cast<N>(weights[i]);
    bins[bin] =
        only_seen ? T{1} : static_cast<T>(static_cast<N>(bins[bin]) + weight);
  }
}

template <class T>
class Bincount final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& values = context.input(0);
    const Tensor& weights = context.input(2);
    LEAT_ASSIGN_OR_RETURN(const int64_t num_bins, NumBins(context.input(1)));
    LEAT_RETURN_IF_ERROR(CheckNotNegative(values));
    if (weights.num_elements() != 0 &&
        weights.num_elements() != values.num_elements()) {
      return absl::InvalidArgumentError(
          "Input indices and weights must have the same size.");
    }
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, Shape{num_bins}));
    CountValues(
        values.data<int32_t>().data(),
        weights.num_elements() == 0 ? nullptr : weights.data<T>().data(),
        values.num_elements(), /*only_seen=*/false, num_bins,
        output->mutable_data<T>().data());
    return absl::OkStatus();
  }
};

template <class T>
class DenseBincount final : public Kernel {
 public:
  explicit DenseBincount(bool only_seen) : only_seen_(only_seen) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& values = context.input(0);
    const Tensor& weights = context.input(2);
    LEAT_ASSIGN_OR_RETURN(const int64_t num_bins, NumBins(context.input(1)));
    if (values.rank() < 1) {
      return absl::InvalidArgumentError(
          "Shape must be at least rank 1 but is rank 0");
    }
    if (values.rank() > 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape must be at most rank 2 but is rank ", values.rank()));
    }
    if (weights.num_elements() != 0 && weights.shape() != values.shape()) {
      return absl::InvalidArgumentError(
          "`weights` must be the same shape as `arr` or a length-0 `Tensor`, "
          "in which case it acts as all weights equal to 1.");
    }
    LEAT_RETURN_IF_ERROR(CheckNotNegative(values));
    return values.dtype() == DType::kInt32
               ? Count<int32_t>(context, values, weights, num_bins)
               : Count<int64_t>(context, values, weights, num_bins);
  }

 private:
  template <class Index>
  absl::Status Count(KernelContext& context, const Tensor& values,
                     const Tensor& weights, int64_t num_bins) const {
    const int64_t rows = values.rank() == 2 ? values.dim(0) : 1;
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          values.rank() == 2
                              ? Shape::Create({rows, num_bins})
                              : absl::StatusOr<Shape>(Shape{num_bins}));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    if (rows == 0) return absl::OkStatus();
    const int64_t width = values.num_elements() / rows;
    const Index* const from = values.data<Index>().data();
    const T* const weight =
        weights.num_elements() == 0 ? nullptr : weights.data<T>().data();
    T* const bins = output->mutable_data<T>().data();
    ParallelFor(context.compute_queue(), rows, width + num_bins / 8,
                [&](int64_t begin, int64_t end) {
                  for (int64_t row = begin; row < end; ++row) {
                    CountValues(
                        from + row * width,
                        weight == nullptr ? nullptr : weight + row * width,
                        width, only_seen_, num_bins, bins + row * num_bins);
                  }
                });
    return absl::OkStatus();
  }

  const bool only_seen_;
};

template <class T>
class Bucketize final : public Kernel {
 public:
  explicit Bucketize(std::vector<float> boundaries)
      : boundaries_(std::move(boundaries)) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, input.shape()));
    const T* const from = input.data<T>().data();
    int32_t* const to = output->mutable_data<int32_t>().data();
    ParallelFor(context.compute_queue(), input.num_elements(), /*cost=*/8,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const auto first_above = std::upper_bound(
                        boundaries_.begin(), boundaries_.end(), from[i]);
                    to[i] =
                        static_cast<int32_t>(first_above - boundaries_.begin());
                  }
                });
    return absl::OkStatus();
  }

 private:
  const std::vector<float> boundaries_;
};

template <class T>
class HistogramFixedWidth final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& values = context.input(0);
    const Tensor& range = context.input(1);
    const Tensor& count = context.input(2);
    LEAT_RETURN_IF_ERROR(CheckInputs(values, range, count));
    const int64_t num_bins = count.data<int32_t>()[0];
    const double low = static_cast<double>(range.data<T>()[0]);
    const double high = static_cast<double>(range.data<T>()[1]);
    const double step = (high - low) / static_cast<double>(num_bins);
    LEAT_ASSIGN_OR_RETURN(
        Tensor bins, context.AllocateTemporary(context.node().output_types[0],
                                               Shape{num_bins}));
    std::fill_n(bins.mutable_raw_data(), bins.num_bytes(), '\0');
    VisitDType(kIndices, bins.dtype(), [&](auto tag) {
      using Count = typename decltype(tag)::type;
      const absl::Span<Count> counts = bins.mutable_data<Count>();
      for (const T value : values.data<T>()) {
        // A value outside of the range counts for the next bin.
        const double from_low =
            std::max(static_cast<double>(value) - low, 0.0) / step;
        ++counts[static_cast<size_t>(
            std::min(from_low, static_cast<double>(num_bins - 1)))];
      }
    });
    context.set_output(0, std::move(bins));
    return absl::OkStatus();
  }

 private:
  static absl::Status CheckInputs(const Tensor& values, const Tensor& range,
                                  const Tensor& count) {
    if (!range.shape().IsVector()) {
      return absl::InvalidArgumentError("value_range should be a vector.");
    }
    if (range.num_elements() != 2) {
      return absl::InvalidArgumentError(
          "value_range should be a vector of 2 elements.");
    }
    if (!count.shape().IsScalar()) {
      return absl::InvalidArgumentError("nbins should be a scalar.");
    }
    const T low = range.data<T>()[0], high = range.data<T>()[1];
    if (!(low < high)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "value_range should satisfy value_range[0] < value_range[1], but got "
          "'[",
          low, ", ", high, "]'"));
    }
    if (count.data<int32_t>()[0] <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("nbins should be a positive number, but got '",
                       count.data<int32_t>()[0], "'"));
    }
    for (const T value : values.data<T>()) {
      if (value != value) {
        return absl::InvalidArgumentError(
            "Histogram values must not contain NaN");
      }
    }
    return absl::OkStatus();
  }
};

template <template <class> class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakePlain(const NodeDef& node) {
  return MakeForType(
      node, "T", kTypes, [](auto tag) -> std::unique_ptr<Kernel> {
        return std::make_unique<K<typename decltype(tag)::type>>();
      });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeDenseBincount(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool only_seen,
                        node.attrs.GetOr<bool>("binary_output", false));
  return MakeForType(
      node, "T", kTypes, [&](auto tag) -> std::unique_ptr<Kernel> {
        return std::make_unique<DenseBincount<typename decltype(tag)::type>>(
            only_seen);
      });
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeBucketize(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<float> boundaries,
                        node.attrs.Get<std::vector<float>>("boundaries"));
  if (!std::is_sorted(boundaries.begin(), boundaries.end())) {
    return absl::InvalidArgumentError("Expected sorted boundaries");
  }
  return MakeForType(
      node, "T", kTypes, [&](auto tag) -> std::unique_ptr<Kernel> {
        return std::make_unique<Bucketize<typename decltype(tag)::type>>(
            boundaries);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Bincount", kCpu, &MakePlain<Bincount>);
  registry.Add("DenseBincount", kCpu, &MakeDenseBincount);
  registry.Add("Bucketize", kCpu, &MakeBucketize);
  registry.Add("HistogramFixedWidth", kCpu, &MakePlain<HistogramFixedWidth>);
}

}  // namespace leat::kernels::cpu::histogram
