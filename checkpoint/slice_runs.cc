// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/slice_runs.h"

#include <algorithm>

#include "leat/core/status_macros.h"

namespace leat {
namespace {

// The indices [begin, end) of one dimension that are in both parts.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

Interval Common(const Box& a, const Box& b, size_t i) {
  return {std::max(a.start[i], b.start[i]),
          std::min(a.start[i] + a.length[i], b.start[i] + b.length[i])};
}

// Returns the row-major number of an element within the part `box`. `index` is
// the position of the element in the whole tensor.
int64_t NumberOf(const Dims& index, const Box& box) {
  int64_t number = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    number = number * box.length[i] + (index[i] - box.start[i]);
  }
  return number;
}

// Returns the smallest d for which the two parts are equal in dimension d and
// in all later dimensions. A run may go through all elements of these
// dimensions, and through the common interval of the dimension before them.
size_t FirstEqualDimension(const Box& a, const Box& b) {
  size_t first = a.start.size();
  while (first > 0 && a.start[first - 1] == b.start[first - 1] &&
         a.length[first - 1] == b.length[first - 1]) {
    --first;
  }
  return first;
}

// Moves `index` to the next element of the common intervals of the first
// `num_dims` dimensions. Returns false after the last one.
bool Advance(const Box& a, const Box& b, size_t num_dims, Dims& index) {
  for (size_t i = num_dims; i-- > 0;) {
    const Interval common = Common(a, b, i);
    if (++index[i] < common.end) return true;
    index[i] = common.begin;
  }
  return false;
}

}  // namespace

int64_t NumCommonElements(const Box& a, const Box& b) {
  int64_t count = 1;
  for (size_t i = 0; i < a.start.size(); ++i) {
    const Interval common = Common(a, b, i);
    count *= std::max<int64_t>(0, common.end - common.begin);
  }
  return count;
}

bool Overlap(const Box& a, const Box& b) { return NumCommonElements(a, b) > 0; }

absl::Status ForEachRun(
    const Box& from, const Box& to,
    absl::FunctionRef<absl::Status(const SliceRun&)> visit) {
  if (!Overlap(from, to)) return absl::OkStatus();
  const size_t equal = FirstEqualDimension(from, to);
  SliceRun run;
  run.count = 1;
  for (size_t i = equal; i < from.length.size(); ++i) {
    run.count *= from.length[i];
  }
  Dims index;
  for (size_t i = 0; i < from.start.size(); ++i) {
    index.push_back(Common(from, to, i).begin);
  }
  // The dimension before the equal ones is a part of the run, too.
  const size_t num_outer = equal > 0 ? equal - 1 : 0;
  if (equal > 0) {
    const Interval common = Common(from, to, num_outer);
    run.count *= common.end - common.begin;
  }
  do {
    run.from = NumberOf(index, from);
    run.to = NumberOf(index, to);
    LEAT_RETURN_IF_ERROR(visit(run));
  } while (Advance(from, to, num_outer, index));
  return absl::OkStatus();
}

}  // namespace leat
