// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ValueRows holds the values of a lookup table: rows of elements of any dtype.
// A scalar value is a row of one element.
#ifndef LEAT_KERNELS_LOOKUP_VALUE_ROWS_H_
#define LEAT_KERNELS_LOOKUP_VALUE_ROWS_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/lookup/memory_charge.h"

namespace leat::kernels {

// Holds the default values of a lookup. Key i that is not in the table gets row
// i * step of `values`.
struct DefaultRows {
  const Tensor& values;
  int64_t step = 0;  // 0: the same row for all keys; 1: a row for each key
};

// Is thread-compatible. The lock of the table that owns the rows guards them.
class ValueRows {
 public:
  // `row` is the shape of a value.
  ValueRows(DType dtype, Shape row) : dtype_(dtype), row_(std::move(row)) {}

  DType dtype() const { return dtype_; }
  const Shape& row() const { return row_; }
  // Returns the rows that there are. Only those that were set have a value.
  const Tensor& tensor() const { return rows_; }

  // Makes room for the rows [0, count), of which `used` keep their values, and
  // for `held_bytes` more bytes that objects hold. Grows by half at least.
  // Returns RESOURCE_EXHAUSTED if there is no memory.
  absl::Status Reserve(int64_t count, int64_t used, int64_t held_bytes,
                       Allocator& allocator);
  // Sets row `to` to row `from` of `values`. REQUIRES: Reserve has made room.
  void Set(int64_t to, const Tensor& values, int64_t from);
  // Sets all rows to zeros or to empty objects.
  void Clear();
  // Moves row `from` to row `to`, and leaves row `from` without a value.
  void Move(int64_t from, int64_t to);
  // Drops the objects of row `i`.
  void Drop(int64_t i);

  // Allocates output 0 with the shape `shape`, and sets row i of the output to
  // row numbers[i], or to a default if this number is negative.
  absl::Status Gather(KernelContext& context, absl::Span<const int64_t> numbers,
                      const DefaultRows& defaults, const Shape& shape) const;
  // Returns a copy of the rows [0, count), stacked.
  absl::StatusOr<Tensor> Copy(int64_t count, Allocator& allocator) const;

 private:
  int64_t HeldBytesOfRow(const Tensor& tensor, int64_t i) const;

  const DType dtype_;
  const Shape row_;
  Tensor rows_;  // [capacity] + row_
  int64_t held_bytes_ = 0;
  MemoryCharge charge_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_VALUE_ROWS_H_
