// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/event_pool.h"

#include "leat/core/status_macros.h"

namespace leat {

EventPool::~EventPool() {
  // This fails if the GPU is lost. Then its events are gone, too.
  for (CudaEvent event : free_) api_.FreeEvent(event).IgnoreError();
}

absl::StatusOr<CudaEvent> EventPool::Record(CudaStream stream) {
  LEAT_ASSIGN_OR_RETURN(const CudaEvent event, Take());
  if (absl::Status status = api_.Record(event, stream); !status.ok()) {
    Return(event);
    return status;
  }
  return event;
}

void EventPool::Return(CudaEvent event) {
  MutexLock lock(mutex_);
  free_.push_back(event);
}

absl::StatusOr<CudaEvent> EventPool::Take() {
  {
    MutexLock lock(mutex_);
    if (!free_.empty()) {
      const CudaEvent event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  return api_.NewEvent();
}

}  // namespace leat
