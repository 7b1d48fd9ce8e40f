// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceHealth remembers that a GPU has failed for good, and with which error.
//
//   LEAT_RETURN_IF_ERROR(health.status());
//   return health.Note(api.Record(event, stream));
#ifndef LEAT_RUNTIME_CUDA_DEVICE_HEALTH_H_
#define LEAT_RUNTIME_CUDA_DEVICE_HEALTH_H_

#include <atomic>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Thread-safe.
class DeviceHealth {
 public:
  // `device` is the name of the GPU in messages, such as
  // "/job:localhost/replica:0/task:0/device:GPU:0".
  explicit DeviceHealth(absl::string_view device) : device_(device) {}

  // Returns OK, or INTERNAL with the name of the device and its first error if
  // the device is lost.
  absl::Status status() const;
  bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }

  // Returns the result of a call to CUDA, with the name of the device added to
  // an error. A sticky error marks the device as lost.
  absl::Status Note(const absl::Status& result);

  // Defer keeps an error that the caller cannot return. TakeDeferred returns
  // the first error that was kept since its last call, or OK.
  void Defer(const absl::Status& error);
  absl::Status TakeDeferred();

 private:
  const std::string device_;
  std::atomic<bool> is_lost_{false};
  std::atomic<bool> has_deferred_{false};
  mutable Mutex mutex_;
  absl::Status first_error_ ABSL_GUARDED_BY(mutex_);
  absl::Status deferred_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_DEVICE_HEALTH_H_
