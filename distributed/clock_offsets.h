// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ClockOffsets: by how much the clocks of tasks are ahead of the master's, from
// what cannot be otherwise: a task had a call after it was made and answered it
// before the answer came; a tensor was sent before it was received. Stateless,
// thread-safe.
#ifndef LEAT_DISTRIBUTED_CLOCK_OFFSETS_H_
#define LEAT_DISTRIBUTED_CLOCK_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat {

// Nanoseconds; no number is beyond 2^62, and no sum beyond that is made.
inline constexpr int64_t kMaxClockOffset = int64_t{1} << 62;

// What one task's offset may be.
struct ClockBounds {
  int64_t low = -kMaxClockOffset;
  int64_t high = kMaxClockOffset;
};

// Something on task `earlier` came before something on task `later`:
// offset[earlier] - offset[later] >= lead.
struct ClockOrder {
  size_t earlier = 0;
  size_t later = 0;
  int64_t lead = 0;
};

// An offset per task that fits the bounds and orders. A clock that may be the
// master's own is taken for it: offset 0, which on one machine is exact. Else
// it is the middle of what is possible, which for one task alone is
// ((t1 - t0) + (t2 - t3)) / 2 as between two NTP hosts. Bounds and orders that
// contradict each other (a clock was set meanwhile) give some offsets in time
// O(tasks^2 * orders) at most.
std::vector<int64_t> ClockOffsets(std::vector<ClockBounds> bounds,
                                  const std::vector<ClockOrder>& orders);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLOCK_OFFSETS_H_
