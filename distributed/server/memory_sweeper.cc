// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/memory_sweeper.h"

#include <algorithm>

#include "leat/core/devices/device.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

// Sweep always leaves this many free bytes to malloc.
constexpr int64_t kKeptHeapBytes = int64_t{16} << 20;
constexpr int kLooksOfAnInterval = 10;

}  // namespace

MemorySweeper::MemorySweeper(const DeviceSet& devices,
                             std::chrono::nanoseconds interval, Clock& clock)
    : devices_(devices),
      interval_(interval),
      clock_(clock),
      thread_("leat-memory", [this] { Run(); }) {}

MemorySweeper::~MemorySweeper() {
  {
    MutexLock lock(mutex_);
    is_stopped_ = true;
    stopped_.NotifyAll();
  }
  thread_.Join();
}

void MemorySweeper::Run() {
  for (;;) {
    {
      MutexLock lock(mutex_);
      const Clock::time_point next =
          clock_.After(interval_ / kLooksOfAnInterval);
      while (!is_stopped_ && clock_.WaitUntil(stopped_, mutex_, next)) {
      }
      if (is_stopped_) return;
    }
    Look();
  }
}

void MemorySweeper::Look() {
  least_free_heap_bytes_ = std::min(least_free_heap_bytes_, FreeHeapBytes());
  if (++num_looks_ < kLooksOfAnInterval) return;
  num_looks_ = 0;
  Sweep();
  least_free_heap_bytes_ = FreeHeapBytes();
}

void MemorySweeper::Sweep() {
  int64_t bytes = 0;
  for (const auto& device : devices_.devices()) {
    // A GPU stops its work while it gives memory back.
    if (device->gpu_stream() != nullptr) continue;
    bytes += device->allocator().GiveBackUnused();
  }
  const int64_t unused = least_free_heap_bytes_ - kKeptHeapBytes;
  if (unused > 0) {
    ReleaseFreeHeap(unused);
    bytes += unused;
  }
  given_back_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace leat
