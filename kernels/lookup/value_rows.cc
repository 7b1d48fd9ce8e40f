// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/lookup/value_rows.h"

#include <algorithm>
#include <type_traits>

#include "leat/core/held_bytes.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/core/variant.h"
#include "leat/kernels/arrays/stacked_elements.h"
#include "leat/kernels/element_copy.h"

namespace leat::kernels {

absl::Status ValueRows::Reserve(int64_t count, int64_t used, int64_t held_bytes,
                                Allocator& allocator) {
  LEAT_RETURN_IF_ERROR(
      charge_.Cover(SaturatingAdd(held_bytes_, held_bytes), allocator));
  const int64_t capacity = rows_.IsValid() ? rows_.dim(0) : 0;
  if (rows_.IsValid() && count <= capacity) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const Shape shape,
      WithRows(std::max(count, capacity + capacity / 2), row_));
  LEAT_ASSIGN_OR_RETURN(Tensor grown,
                        Tensor::Allocate(allocator, dtype_, shape));
  VisitAnyElement(dtype_, [&](auto tag) {
    using E = typename decltype(tag)::type;
    E* const from = MutableElements<E>(rows_);
    const int64_t n = used * row_.num_elements();
    if constexpr (std::is_trivially_copyable_v<E>) {
      CopyElements<E>(from, n, MutableElements<E>(grown));
    } else {
      std::move(from, from + n, MutableElements<E>(grown));
    }
  });
  rows_ = std::move(grown);
  return absl::OkStatus();
}

int64_t ValueRows::HeldBytesOfRow(const Tensor& tensor, int64_t i) const {
  int64_t bytes = 0;
  VisitDType(kObjects, dtype_, [&](auto tag) {
    using E = typename decltype(tag)::type;
    const int64_t n = row_.num_elements();
    const E* const row = Elements<E>(tensor) + i * n;
    for (int64_t k = 0; k < n; ++k) bytes += HeldBytes(row[k]);
  });
  return bytes;
}

void ValueRows::Set(int64_t to, const Tensor& values, int64_t from) {
  held_bytes_ += HeldBytesOfRow(values, from) - HeldBytesOfRow(rows_, to);
  VisitAnyElement(dtype_, [&](auto tag) {
    using E = typename decltype(tag)::type;
    const int64_t n = row_.num_elements();
    CopyElements(Elements<E>(values) + from * n, n,
                 MutableElements<E>(rows_) + to * n);
  });
}

void ValueRows::Clear() {
  held_bytes_ = 0;
  if (!rows_.IsValid()) return;
  VisitAnyElement(dtype_, [&](auto tag) {
    using E = typename decltype(tag)::type;
    ClearElements(MutableElements<E>(rows_), rows_.num_elements());
  });
}

void ValueRows::Move(int64_t from, int64_t to) {
  if (from == to) return;
  Set(to, rows_, from);
  Drop(from);
}

void ValueRows::Drop(int64_t i) {
  held_bytes_ -= HeldBytesOfRow(rows_, i);
  VisitDType(kObjects, dtype_, [&](auto tag) {
    using E = typename decltype(tag)::type;
    const int64_t n = row_.num_elements();
    ClearElements(MutableElements<E>(rows_) + i * n, n);
  });
}

absl::Status ValueRows::Gather(KernelContext& context,
                               absl::Span<const int64_t> numbers,
                               const DefaultRows& defaults,
                               const Shape& shape) const {
  const int64_t count = static_cast<int64_t>(numbers.size());
  const int64_t n = row_.num_elements();
  int64_t held_bytes = 0;
  if (kObjects.Contains(dtype_)) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t number = numbers[static_cast<size_t>(i)];
      held_bytes = SaturatingAdd(
          held_bytes, number < 0
                          ? HeldBytesOfRow(defaults.values, i * defaults.step)
                          : HeldBytesOfRow(rows_, number));
    }
  }
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.AllocateOutput(0, shape, held_bytes));
  VisitAnyElement(dtype_, [&](auto tag) {
    using E = typename decltype(tag)::type;
    const E* const rows = Elements<E>(rows_);
    const E* const otherwise = Elements<E>(defaults.values);
    E* const to = MutableElements<E>(*output);
    ParallelFor(context.compute_queue(), count, 4 + n / 4,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t number = numbers[static_cast<size_t>(i)];
                    const E* const from =
                        number < 0 ? otherwise + i * defaults.step * n
                                   : rows + number * n;
                    CopyElements(from, n, to + i * n);
                  }
                });
  });
  return absl::OkStatus();
}

absl::StatusOr<Tensor> ValueRows::Copy(int64_t count,
                                       Allocator& allocator) const {
  if (rows_.IsValid() && rows_.dim(0) > 0) {
    return rows_.Slice(0, count).Copy(allocator);
  }
  LEAT_ASSIGN_OR_RETURN(const Shape shape, WithRows(count, row_));
  return Tensor::Allocate(allocator, dtype_, shape);
}

}  // namespace leat::kernels
