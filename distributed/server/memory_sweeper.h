// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MemorySweeper gives memory back to the system when the task no longer needs
// it, for example after one huge feed.
//
// At the end of each interval it gives back the memory that was free during the
// whole interval: blocks of the devices' pools, and free pages of malloc except
// for 16 MiB. It looks at the free pages ten times in each interval. Steps that
// run one after another need their memory in every interval, so they lose none
// of it. Smaller blocks of a pool first become free pages of malloc, which are
// given back one interval later.
#ifndef LEAT_DISTRIBUTED_SERVER_MEMORY_SWEEPER_H_
#define LEAT_DISTRIBUTED_SERVER_MEMORY_SWEEPER_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"

namespace leat {

class DeviceSet;

// Is thread-safe. Works on a thread of its own, so that neither a step nor a
// timer waits for the system.
class MemorySweeper {
 public:
  // Starts the thread. `devices` and `clock` are borrowed and must outlive
  // this.
  MemorySweeper(const DeviceSet& devices, std::chrono::nanoseconds interval,
                Clock& clock);
  // Waits for the sweep that is under way, if there is one.
  ~MemorySweeper();
  MemorySweeper(const MemorySweeper&) = delete;
  MemorySweeper& operator=(const MemorySweeper&) = delete;

  // Returns how many bytes have been given back so far.
  int64_t given_back_bytes() const {
    return given_back_bytes_.load(std::memory_order_relaxed);
  }

 private:
  void Run();
  // Counts malloc's free pages. Sweeps if an interval is over.
  void Look();
  void Sweep();

  const DeviceSet& devices_;
  const std::chrono::nanoseconds interval_;
  Clock& clock_;
  // `num_looks_` is the number of calls of Look in this interval.
  // `least_free_heap_bytes_` is the smallest number of free bytes that malloc
  // had at these calls. Only `thread_` uses them.
  int num_looks_ = 0;
  int64_t least_free_heap_bytes_ = 0;
  std::atomic<int64_t> given_back_bytes_{0};

  Mutex mutex_;
  CondVar stopped_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SERVER_MEMORY_SWEEPER_H_
