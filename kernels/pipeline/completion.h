// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Completion tells a stage that work has ended which goes on outside of its
// task, such as a call of a function or the reading of a file.
#ifndef LEAT_KERNELS_PIPELINE_COMPLETION_H_
#define LEAT_KERNELS_PIPELINE_COMPLETION_H_

#include <atomic>
#include <memory>
#include <utility>

#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// The stage calls Begin and IsDone, and whoever does the work calls End. Until
// then the work keeps the pipeline alive, so the devices wait for it.
class Completion {
 public:
  // Must be called before the work begins. `context` is that of the stage.
  // REQUIRES: no work is under way.
  void Begin(const StageContext& context) {
    pipeline_ = context.pipeline;
    task_ = context.task;
    phase_.store(kRunning, std::memory_order_relaxed);
  }
  // Must be called once, when all results have been written. The stage may
  // begin other work at once, and the pipeline may end.
  void End() {
    const std::shared_ptr<const Pipeline> ended = std::move(pipeline_);
    const std::shared_ptr<Task> waiting = task_.lock();
    const Phase before = phase_.exchange(kDone, std::memory_order_acq_rel);
    if (before == kAwaited && waiting != nullptr) waiting->Wake();
  }
  // Returns true if the work has ended. Its results can then be read. Otherwise
  // End wakes the task.
  bool IsDone() {
    Phase expected = kRunning;
    phase_.compare_exchange_strong(expected, kAwaited,
                                   std::memory_order_acq_rel);
    return expected == kDone;
  }

 private:
  enum Phase { kRunning, kAwaited, kDone };

  std::shared_ptr<const Pipeline> pipeline_;
  std::weak_ptr<Task> task_;
  std::atomic<Phase> phase_{kRunning};
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_COMPLETION_H_
