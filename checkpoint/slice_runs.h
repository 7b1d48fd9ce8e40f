// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ForEachRun finds the elements that two parts of a tensor have in common, and
// where they lie in each part. Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_SLICE_RUNS_H_
#define LEAT_CHECKPOINT_SLICE_RUNS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "leat/core/shape.h"

namespace leat {

// A part of a tensor: where it starts and how many elements it has, by
// dimension.
struct Box {
  Dims start;
  Dims length;

  friend bool operator==(const Box&, const Box&) = default;
};

// Returns true if some element is in both parts. REQUIRES: equal ranks.
bool Overlap(const Box& a, const Box& b);
// Returns the number of elements that are in both parts.
int64_t NumCommonElements(const Box& a, const Box& b);

// A run of elements that follow each other in both parts. Its first element has
// the number `from` in one part and the number `to` in the other part, in
// row-major order.
struct SliceRun {
  int64_t from = 0;
  int64_t to = 0;
  int64_t count = 0;
};

// Calls `visit` for the elements that `from` and `to` have in common, in the
// order in which they lie in `from`. Runs are as long as possible along the
// last dimensions. Stops at the first error and returns it. REQUIRES: equal
// ranks.
absl::Status ForEachRun(const Box& from, const Box& to,
                        absl::FunctionRef<absl::Status(const SliceRun&)> visit);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_SLICE_RUNS_H_
