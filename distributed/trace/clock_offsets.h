// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClockOffsets finds out by how much the clocks of tasks are ahead of the
// master's clock.
//
// The offsets follow from the order of events. A task received a call after the
// master made the call, and answered before the master had the answer. A tensor
// was sent before it was received. The functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_TRACE_CLOCK_OFFSETS_H_
#define LEAT_DISTRIBUTED_TRACE_CLOCK_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat {

// Is the largest absolute value of times and offsets in this file, in
// nanoseconds. Larger sums are clamped to this value.
inline constexpr int64_t kMaxClockOffset = int64_t{1} << 62;

// Holds the smallest and the largest possible offset of one task's clock from
// the master's clock, in nanoseconds.
struct ClockBounds {
  int64_t low = -kMaxClockOffset;
  int64_t high = kMaxClockOffset;
};

// Says that an event on task `earlier` happened before an event on task
// `later`. `lead` is the time of the earlier event minus the time of the later
// event, in nanoseconds. Each time is measured by the clock of the event's
// task. It follows that offset[earlier] - offset[later] >= lead. Tasks are
// indices into the bounds.
struct ClockOrder {
  size_t earlier = 0;
  size_t later = 0;
  int64_t lead = 0;
};

// Returns an offset for each task, in nanoseconds, that fits the bounds and
// orders. If offset 0 is possible for a task, the task gets offset 0, as if its
// clock were the master's. Offset 0 is exact for tasks on the master's machine.
// Other tasks get the middle between their bounds. For a single task the middle
// is ((t1 - t0) + (t2 - t3)) / 2, as between two NTP hosts: the master calls at
// t0, the task has the call at t1 and replies at t2, and the master has the
// reply at t3.
//
// Bounds and orders may contradict each other, if a clock was set meanwhile.
// The offsets then have no meaning. Takes O(tasks^2 * orders) time at most.
std::vector<int64_t> ClockOffsets(std::vector<ClockBounds> bounds,
                                  const std::vector<ClockOrder>& orders);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRACE_CLOCK_OFFSETS_H_
