// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StringBytes: how many bytes a kernel's strings are going to have, counted
// before the first is made: forty additions of a byte to itself would make a
// terabyte. Allocators only see the strings' objects. Thread-compatible.
#ifndef LEAT_KERNELS_STRING_BYTES_H_
#define LEAT_KERNELS_STRING_BYTES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "leat/core/device.h"
#include "leat/core/tensor.h"

namespace leat::kernels {

// The most that the strings of one tensor that is computed may have together.
inline constexpr int64_t kMaxStringBytes = int64_t{1} << 30;

// That, or less where less of the device's memory is free.
int64_t StringBytesLimit(Device& device);

class StringBytes {
 public:
  // Every element of `strings`, so many times. Sums above 2^63 - 1 stay there.
  // REQUIRES: strings of dtype kString; counts that are not negative.
  void Add(const Tensor& strings, int64_t times);
  void Add(int64_t bytes, int64_t times);

  int64_t total() const { return total_; }

  // RESOURCE_EXHAUSTED with both numbers when there are more than `limit`.
  absl::Status Check(int64_t limit) const;

 private:
  int64_t total_ = 0;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_STRING_BYTES_H_
