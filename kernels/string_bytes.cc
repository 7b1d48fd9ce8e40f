// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/string_bytes.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace leat::kernels {

int64_t StringBytesLimit(Device& device) {
  const int64_t memory = device.info().memory_bytes;
  // Zero where nobody has told.
  if (memory <= 0) return kMaxStringBytes;
  const int64_t live = device.allocator().stats().live_bytes;
  return std::clamp<int64_t>(memory - live, 0, kMaxStringBytes);
}

void StringBytes::Add(const Tensor& strings, int64_t times) {
  StringBytes once;
  for (const std::string& element : strings.data<std::string>()) {
    once.Add(static_cast<int64_t>(element.size()), 1);
  }
  Add(once.total(), times);
}

void StringBytes::Add(int64_t bytes, int64_t times) {
  int64_t product = 0;
  if (__builtin_mul_overflow(bytes, times, &product) ||
      __builtin_add_overflow(total_, product, &total_)) {
    total_ = INT64_MAX;
  }
}

absl::Status StringBytes::Check(int64_t limit) const {
  if (total_ <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the strings of the result would have ", total_,
                   " bytes, more than the limit of ", limit));
}

}  // namespace leat::kernels
