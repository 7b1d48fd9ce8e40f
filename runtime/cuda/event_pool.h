// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EventPool keeps CUDA's events, because making one takes as long as a launch.
//
//   LEAT_ASSIGN_OR_RETURN(CudaEvent event, events.Record(compute));
//   const absl::Status status = api.Wait(copies, event);
//   events.Return(event);
#ifndef LEAT_RUNTIME_CUDA_EVENT_POOL_H_
#define LEAT_RUNTIME_CUDA_EVENT_POOL_H_

#include <vector>

#include "leat/core/threads/mutex.h"
#include "leat/runtime/cuda/cuda_api.h"

namespace leat {

// The events of one GPU. Thread-safe.
class EventPool {
 public:
  // `api` is borrowed and must outlive the pool.
  explicit EventPool(CudaApi& api) : api_(api) {}
  // Destroys the events. REQUIRES: all were returned, and the GPU is current.
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  // Records an event at the end of a stream and returns it. REQUIRES: the GPU
  // is current.
  absl::StatusOr<CudaEvent> Record(CudaStream stream);
  // Takes an event back. Streams that already wait for the event still wait for
  // its present place, even after it is recorded again.
  void Return(CudaEvent event);

 private:
  absl::StatusOr<CudaEvent> Take();

  CudaApi& api_;
  Mutex mutex_;
  std::vector<CudaEvent> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_EVENT_POOL_H_
