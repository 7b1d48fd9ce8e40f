// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/device_health.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/runtime/cuda/cuda_api.h"

namespace leat {

absl::Status DeviceHealth::status() const {
  if (!is_lost()) return absl::OkStatus();
  MutexLock lock(mutex_);
  return first_error_;
}

absl::Status DeviceHealth::Note(const absl::Status& result) {
  if (result.ok()) return result;
  if (!IsSticky(result)) {
    return absl::Status(result.code(),
                        absl::StrCat(device_, ": ", result.message()));
  }
  MutexLock lock(mutex_);
  if (first_error_.ok()) {
    first_error_ = absl::InternalError(absl::StrCat(
        device_,
        " has failed and cannot be used any more: ", result.message()));
    is_lost_.store(true, std::memory_order_release);
  }
  return first_error_;
}

void DeviceHealth::Defer(const absl::Status& error) {
  if (error.ok()) return;
  MutexLock lock(mutex_);
  if (deferred_.ok()) deferred_ = error;
  has_deferred_.store(true, std::memory_order_release);
}

absl::Status DeviceHealth::TakeDeferred() {
  if (!has_deferred_.load(std::memory_order_acquire)) return absl::OkStatus();
  MutexLock lock(mutex_);
  has_deferred_.store(false, std::memory_order_relaxed);
  return std::exchange(deferred_, absl::OkStatus());
}

}  // namespace leat
