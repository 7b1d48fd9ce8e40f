// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClockOffsets: finds out by how much the clocks of tasks are ahead of the
// master's clock.
//
// The offsets follow from the order of events: a task received a call after the
// master made it, and answered before the master had the answer; a tensor was
// sent before it was received. All is stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_TRACE_CLOCK_OFFSETS_H_
#define LEAT_DISTRIBUTED_TRACE_CLOCK_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat {

// The largest absolute value of times and offsets here, in nanoseconds. Sums
// are clamped to it.
inline constexpr int64_t kMaxClockOffset = int64_t{1} << 62;

// The smallest and the largest possible offset of one task, in nanoseconds.
struct ClockBounds {
  int64_t low = -kMaxClockOffset;
  int64_t high = kMaxClockOffset;
};

// Says that something on task `earlier` came before something on task `later`:
// offset[earlier] - offset[later] >= lead. Tasks are indices into the bounds.
struct ClockOrder {
  size_t earlier = 0;
  size_t later = 0;
  int64_t lead = 0;
};

// Returns an offset for each task, in nanoseconds, that fits the bounds and
// orders. A clock that may be the master's own is taken for it and gets offset
// 0, which is exact for tasks on one machine. Other clocks get the middle of
// what is possible, which for one task alone is ((t1 - t0) + (t2 - t3)) / 2, as
// between two NTP hosts.
//
// Bounds and orders may contradict each other, if a clock was set meanwhile.
// Then the offsets are arbitrary ones. Takes O(tasks^2 * orders) time at most.
std::vector<int64_t> ClockOffsets(std::vector<ClockBounds> bounds,
                                  const std::vector<ClockOrder>& orders);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRACE_CLOCK_OFFSETS_H_
