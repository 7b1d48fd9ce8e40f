// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/resources/gradient_sum.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels {
namespace {

template <class T>
T Sum(T a, T b) {
  return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}

// Divides by `count`, which is first rounded to the elements' type, as in
// TensorFlow.
template <class T>
T Quotient(T value, int64_t count) {
  const T divisor = static_cast<T>(static_cast<Wide<T>>(count));
  return static_cast<T>(static_cast<Wide<T>>(value) /
                        static_cast<Wide<T>>(divisor));
}

absl::Status Mismatch(absl::string_view expected, absl::string_view got) {
  return absl::InvalidArgumentError(
      absl::StrCat("Shape mismatch: expected ", expected, ", got ", got));
}

class DenseSum final : public GradientSum {
 public:
  explicit DenseSum(PartialShape shape) : GradientSum(std::move(shape)) {}

  absl::Status Add(const Gradient& gradient, Allocator& allocator,
                   WorkQueue& queue) final {
    const Tensor& values = gradient.values;
    if (count() > 0 && total_.values.shape() != values.shape()) {
      return Mismatch(total_.values.shape().DebugString(),
                      values.shape().DebugString());
    }
    if (!shape_.IsCompatibleWith(PartialShape(values.shape()))) {
      return Mismatch(shape_.DebugString(), values.shape().DebugString());
    }
    if (count() == 0) {
      total_.values = values;
    } else {
      if (!total_.values.IsUnique()) {
        LEAT_ASSIGN_OR_RETURN(total_.values, total_.values.Copy(allocator));
      }
      LEAT_RETURN_IF_ERROR(
          AccumulateInto(queue, Accumulate::kAdd, values, total_.values));
    }
    ++total_.count;
    return absl::OkStatus();
  }
};

// Describes one row of the sum of two sparse gradients: its position in the sum
// so far and its position in the new gradient. A position is -1 if there is no
// such row.
struct MergedRow {
  int64_t of_sum = -1;
  int64_t of_gradient = -1;
};

// Merges two lists of row indices as if both were in ascending order.
std::vector<MergedRow> Merged(absl::Span<const int64_t> sum,
                              absl::Span<const int64_t> gradient) {
  std::vector<MergedRow> rows;
  rows.reserve(sum.size() + gradient.size());
  size_t i = 0, j = 0;
  while (i < sum.size() || j < gradient.size()) {
    const bool from_sum =
        i < sum.size() && (j == gradient.size() || sum[i] <= gradient[j]);
    const bool from_gradient =
        j < gradient.size() && (i == sum.size() || gradient[j] <= sum[i]);
    MergedRow row;
    if (from_sum) row.of_sum = static_cast<int64_t>(i++);
    if (from_gradient) row.of_gradient = static_cast<int64_t>(j++);
    rows.push_back(row);
  }
  return rows;
}

template <class T>
void AddRows(WorkQueue& queue, absl::Span<const MergedRow> rows, int64_t size,
             const Tensor& sum, const Tensor& gradient, Tensor& result) {
  const T* const a = sum.data<T>().data();
  const T* const b = gradient.data<T>().data();
  T* const to = result.mutable_data<T>().data();
  ParallelFor(queue, static_cast<int64_t>(rows.size()), 4 + size,
              [=](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const MergedRow row = rows[static_cast<size_t>(i)];
                  const T* x = a + std::max<int64_t>(row.of_sum, 0) * size;
                  const T* y = b + std::max<int64_t>(row.of_gradient, 0) * size;
                  T* out = to + i * size;
                  if (row.of_gradient < 0) {
                    std::copy(x, x + size, out);
                  } else if (row.of_sum < 0) {
                    std::copy(y, y + size, out);
                  } else {
                    std::transform(x, x + size, y, out, Sum<T>);
                  }
                }
              });
}

class SparseSum final : public GradientSum {
 public:
  explicit SparseSum(PartialShape shape) : GradientSum(std::move(shape)) {}

  absl::Status Add(const Gradient& gradient, Allocator& allocator,
                   WorkQueue& queue) final {
    LEAT_RETURN_IF_ERROR(CheckRows(gradient));
    if (gradient.shape.IsValid()) {
      LEAT_RETURN_IF_ERROR(CheckToldShape(gradient.shape));
    }
    LEAT_RETURN_IF_ERROR(CheckIndices(gradient.indices.data<int64_t>()));
    LEAT_RETURN_IF_ERROR(CheckValues(gradient.values.shape()));
    return count() == 0 ? Start(gradient, allocator)
                        : Merge(gradient, allocator, queue);
  }

 private:
  // Returns the declared extents; empty if the rank is unknown.
  absl::Span<const int64_t> declared() const { return shape_.dims(); }

  static absl::Status CheckRows(const Gradient& gradient) {
    const Shape& indices = gradient.indices.shape();
    const Shape& values = gradient.values.shape();
    if (!indices.IsVector()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input indices should be vector but received shape: ",
                       indices.DebugString()));
    }
    if (values.IsScalar()) {
      return absl::InvalidArgumentError("Values cannot be 0-dimensional.");
    }
    if (values.dim(0) != indices.dim(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected ", indices.dim(0),
                       " non-empty input values, got ", values.dim(0)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckToldShape(const Tensor& told) const {
    const auto extents = told.data<int64_t>();
    if (declared().size() > extents.size()) {
      return Mismatch(absl::StrCat("shape rank at least ", declared().size()),
                      absl::StrCat(extents.size()));
    }
    for (size_t i = 0; i < declared().size(); ++i) {
      if (declared()[i] == PartialShape::kUnknown ||
          declared()[i] == extents[i]) {
        continue;
      }
      return Mismatch(absl::StrCat("shape dim ", i, " to be ", declared()[i]),
                      absl::StrCat(extents[i]));
    }
    return absl::OkStatus();
  }

  absl::Status CheckIndices(absl::Span<const int64_t> indices) const {
    if (declared().empty() || declared()[0] == PartialShape::kUnknown) {
      return absl::OkStatus();
    }
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < declared()[0]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Shape mismatch: index of slice ", i,
                       " exceeded limits of shape; index is ", indices[i],
                       " exceeded ", declared()[0]));
    }
    return absl::OkStatus();
  }

  absl::Status CheckValues(const Shape& values) const {
    const int rank = values.rank();
    if (count() > 0 && total_.values.rank() != rank) {
      return Mismatch(absl::StrCat("values rank ", total_.values.rank()),
                      absl::StrCat(rank));
    }
    if (count() == 0 && static_cast<int>(declared().size()) > rank) {
      return Mismatch(absl::StrCat("values rank at least ", declared().size()),
                      absl::StrCat(rank));
    }
    const auto extents =
        count() > 0 ? total_.values.shape().dims() : declared();
    for (int i = 1; i < static_cast<int>(extents.size()); ++i) {
      const int64_t extent = extents[static_cast<size_t>(i)];
      if (extent == PartialShape::kUnknown || extent == values.dim(i)) continue;
      return Mismatch(absl::StrCat("values dim ", i, " to be ", extent),
                      absl::StrCat(values.dim(i)));
    }
    return absl::OkStatus();
  }

  absl::Status Start(const Gradient& gradient, Allocator& allocator) {
    LEAT_ASSIGN_OR_RETURN(
        Tensor counts,
        Tensor::Allocate(allocator, DType::kInt32, gradient.indices.shape()));
    const auto ones = counts.mutable_data<int32_t>();
    std::fill(ones.begin(), ones.end(), 1);
    total_ = {.values = gradient.values,
              .indices = gradient.indices,
              .counts = std::move(counts),
              .count = 1};
    return absl::OkStatus();
  }

  absl::Status Merge(const Gradient& gradient, Allocator& allocator,
                     WorkQueue& queue) {
    const auto old = total_.indices.data<int64_t>();
    const auto more = gradient.indices.data<int64_t>();
    const std::vector<MergedRow> rows = Merged(old, more);
    const Shape list{static_cast<int64_t>(rows.size())};
    LEAT_ASSIGN_OR_RETURN(const Shape shape,
                          WithDim(gradient.values.shape(), 0, list.dim(0)));
    GradientTotal sum{.count = total_.count + 1};
    LEAT_ASSIGN_OR_RETURN(
        sum.values,
        Tensor::Allocate(allocator, gradient.values.dtype(), shape));
    LEAT_ASSIGN_OR_RETURN(sum.indices,
                          Tensor::Allocate(allocator, DType::kInt64, list));
    LEAT_ASSIGN_OR_RETURN(sum.counts,
                          Tensor::Allocate(allocator, DType::kInt32, list));
    const auto indices = sum.indices.mutable_data<int64_t>();
    const auto counts = sum.counts.mutable_data<int32_t>();
    const auto old_counts = total_.counts.data<int32_t>();
    for (size_t i = 0; i < rows.size(); ++i) {
      const MergedRow row = rows[i];
      const bool is_old = row.of_sum >= 0;
      indices[i] = is_old ? old[static_cast<size_t>(row.of_sum)]
                          : more[static_cast<size_t>(row.of_gradient)];
      counts[i] = (is_old ? old_counts[static_cast<size_t>(row.of_sum)] : 0) +
                  (row.of_gradient >= 0 ? 1 : 0);
    }
    const int64_t size = rows.empty() ? 0 : shape.num_elements() / list.dim(0);
    const bool known = VisitDType(kFloats, sum.values.dtype(), [&](auto tag) {
      AddRows<typename decltype(tag)::type>(queue, rows, size, total_.values,
                                            gradient.values, sum.values);
    });
    LEAT_CHECK(known);
    total_ = std::move(sum);
    return absl::OkStatus();
  }
};

template <class T>
void DivideRows(WorkQueue& queue, absl::Span<const int32_t> counts,
                int64_t size, T* values) {
  ParallelFor(queue, static_cast<int64_t>(counts.size()), 4 + size,
              [=](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const int32_t count = counts[static_cast<size_t>(i)];
                  if (count == 1) continue;
                  for (T* x = values + i * size; x != values + (i + 1) * size;
                       ++x) {
                    *x = Quotient(*x, count);
                  }
                }
              });
}

template <class T>
void Divide(WorkQueue& queue, int64_t count, int64_t size, T* values) {
  ParallelFor(queue, size, 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      values[i] = Quotient(values[i], count);
    }
  });
}

}  // namespace

absl::Status Average(Allocator& allocator, WorkQueue& queue,
                     GradientTotal& total) {
  if (total.count <= 1) return absl::OkStatus();
  if (!total.values.IsUnique()) {
    LEAT_ASSIGN_OR_RETURN(total.values, total.values.Copy(allocator));
  }
  const int64_t size = total.values.num_elements();
  if (size == 0) return absl::OkStatus();
  const bool known = VisitDType(kFloats, total.values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const values = total.values.mutable_data<T>().data();
    if (total.counts.IsValid()) {
      const auto counts = total.counts.data<int32_t>();
      DivideRows(queue, counts, size / total.values.dim(0), values);
    } else {
      Divide(queue, total.count, size, values);
    }
  });
  LEAT_CHECK(known);
  return absl::OkStatus();
}

std::unique_ptr<GradientSum> NewDenseSum(PartialShape shape) {
  return std::make_unique<DenseSum>(std::move(shape));
}

std::unique_ptr<GradientSum> NewSparseSum(PartialShape shape) {
  return std::make_unique<SparseSum>(std::move(shape));
}

}  // namespace leat::kernels
