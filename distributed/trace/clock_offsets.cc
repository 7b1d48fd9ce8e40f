// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/trace/clock_offsets.h"

#include <algorithm>
#include <numeric>

namespace leat {
namespace {

// Returns a + b, clamped to [-kMaxClockOffset, kMaxClockOffset].
int64_t Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    sum = a < 0 ? -kMaxClockOffset : kMaxClockOffset;
  }
  return std::clamp(sum, -kMaxClockOffset, kMaxClockOffset);
}

// Returns the uncertainty of the offset, in nanoseconds.
int64_t Width(const ClockBounds& bounds) {
  return Sum(bounds.high, -bounds.low);
}

// Narrows the bounds of each task to the values that `orders` and the bounds of
// the other tasks allow, until no bound changes. (This solves a system of
// difference constraints by the algorithm of Bellman and Ford.)
void Tighten(const std::vector<ClockOrder>& orders,
             std::vector<ClockBounds>& bounds) {
  // If the bounds do not contradict each other, nothing changes after this many
  // rounds.
  for (size_t round = 0; round < bounds.size(); ++round) {
    bool changed = false;
    for (const ClockOrder& order : orders) {
      const int64_t low = Sum(bounds[order.later].low, order.lead);
      const int64_t high = Sum(bounds[order.earlier].high, -order.lead);
      if (low > bounds[order.earlier].low) {
        bounds[order.earlier].low = low;
        changed = true;
      }
      if (high < bounds[order.later].high) {
        bounds[order.later].high = high;
        changed = true;
      }
    }
    if (!changed) return;
  }
}

// Returns the offset 0 if the bounds allow it, otherwise the middle between the
// bounds.
int64_t Choose(const ClockBounds& bounds) {
  if (bounds.low <= 0 && bounds.high >= 0) return 0;
  return std::midpoint(bounds.low, bounds.high);
}

}  // namespace

std::vector<int64_t> ClockOffsets(std::vector<ClockBounds> bounds,
                                  const std::vector<ClockOrder>& orders) {
  // Fixes the offset with the narrowest bounds first. Any choice within
  // tightened bounds leaves a possible offset for every other task.
  std::vector<size_t> tasks(bounds.size());
  std::iota(tasks.begin(), tasks.end(), size_t{0});
  std::stable_sort(tasks.begin(), tasks.end(), [&](size_t a, size_t b) {
    return Width(bounds[a]) < Width(bounds[b]);
  });
  std::vector<int64_t> offsets(bounds.size());
  for (const size_t task : tasks) {
    Tighten(orders, bounds);
    offsets[task] = Choose(bounds[task]);
    bounds[task] = {.low = offsets[task], .high = offsets[task]};
  }
  return offsets;
}

}  // namespace leat
