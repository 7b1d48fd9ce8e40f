// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TraceRecorder: keeps what ran in steps, for Chrome's trace viewer and
// Perfetto, and for a table of the time that each op took.
#ifndef LEAT_TOOLS_TRACE_H_
#define LEAT_TOOLS_TRACE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "leat/core/mutex.h"
#include "leat/core/step_observer.h"

namespace leat {

struct OpTime {
  std::string op = {};
  int64_t count = 0;
  std::chrono::nanoseconds total = {};
};

// Thread-safe.
class TraceRecorder final : public StepObserver {
 public:
  using Clock = std::chrono::steady_clock;

  // Runs of nodes beyond `max_events` are counted, not kept.
  explicit TraceRecorder(size_t max_events = 2'000'000)
      : max_events_(max_events) {}

  void OnNodeRun(const NodeRun& run) override;
  // A step as a whole, shown above what it ran.
  void OnStep(int64_t step, Clock::time_point started, Clock::time_point ended);

  int64_t num_dropped() const;

  // By total time, the longest first.
  std::vector<OpTime> TimeByOp() const;

  // Chrome's trace event format: {"traceEvents": [...]}. A process per device;
  // events that overlap are put on threads ("lanes") of their own, so a lane
  // is no thread of the pool. Times are microseconds since the first event.
  // Arguments: op, node, and the wait between ready and running (queued_us).
  std::string ToChromeJson() const;

 private:
  struct Event {
    std::string node = {};
    std::string op = {};
    std::string device = {};  // "" for a step
    Clock::time_point scheduled = {};
    Clock::time_point started = {};
    Clock::time_point ended = {};
  };

  void Add(Event event);
  std::vector<Event> SortedEvents() const;

  const size_t max_events_;
  mutable Mutex mutex_;
  std::vector<Event> events_ ABSL_GUARDED_BY(mutex_);
  int64_t num_dropped_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_TOOLS_TRACE_H_
