// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CopyRuns fills a tensor with pieces of another one. For each axis, a list of
// runs says which indices of the input the output's indices come from. This
// turns the vector [0, 1, 2, 3] into [3, 0, 1, 2]:
//
//   const AxisRuns runs = {{.from = 3, .to = 0, .size = 1},
//                          {.from = 0, .to = 1, .size = 3}};
//   CopyRuns(queue, {runs}, Shape{4}, from, Shape{4}, to);
#ifndef LEAT_KERNELS_CPU_AXIS_RUNS_H_
#define LEAT_KERNELS_CPU_AXIS_RUNS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "leat/core/shape.h"
#include "leat/core/threads/work_queue.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/element_copy.h"

namespace leat::kernels::cpu {

// Says that, along one axis, index to + i of the output is index from + i *
// step of the input, for all i in [0, size). The size may be 0. The step is 1
// or -1.
struct AxisRun {
  int64_t from = 0;
  int64_t to = 0;
  int64_t size = 0;
  int64_t step = 1;
};
using AxisRuns = absl::InlinedVector<AxisRun, 3>;

// Describes one piece of the output: a box whose elements come from a strided
// view of the input.
struct Piece {
  BroadcastPlan<2> plan = {};  // of the input and the output
  int64_t from = 0;            // position of the first element in the input
  int64_t to = 0;              // position of the first element in the output
};

// Returns the piece for the runs that `choice` names, one of each axis.
inline Piece PieceOf(const std::vector<AxisRuns>& runs, const Dims& choice,
                     const Dims& from_strides, const Dims& to_strides) {
  Piece piece;
  Dims extents, from_steps;
  for (size_t d = 0; d < runs.size(); ++d) {
    const AxisRun& run = runs[d][choice[d]];
    piece.from += run.from * from_strides[d];
    piece.to += run.to * to_strides[d];
    extents.push_back(run.size);
    from_steps.push_back(run.step * from_strides[d]);
  }
  // The extents are at most those of the output, so their product fits.
  piece.plan = PlanStrided(*Shape::Create(extents), from_steps, to_strides);
  return piece;
}

// Calls `visit` for all pieces that have elements. There is a piece for each
// way to choose a run of each axis. REQUIRES: there are runs for each axis.
inline void ForEachPiece(std::vector<AxisRuns> runs, const Shape& from,
                         const Shape& to,
                         absl::FunctionRef<void(const Piece&)> visit) {
  for (AxisRuns& of_axis : runs) {
    of_axis.erase(
        std::remove_if(of_axis.begin(), of_axis.end(),
                       [](const AxisRun& run) { return run.size == 0; }),
        of_axis.end());
    if (of_axis.empty()) return;
  }
  const Dims from_strides = from.Strides();
  const Dims to_strides = to.Strides();
  // `choice` counts up like an odometer.
  Dims choice(runs.size(), 0);
  for (bool more = true; more;) {
    visit(PieceOf(runs, choice, from_strides, to_strides));
    more = false;
    for (size_t d = runs.size(); d-- > 0 && !more;) {
      more = ++choice[d] < static_cast<int64_t>(runs[d].size());
      if (!more) choice[d] = 0;
    }
  }
}

// Copies all pieces from a tensor of shape `from_shape` to one of shape
// `to_shape`. REQUIRES: there are runs for each axis, their indices are in
// range, and the pieces do not overlap in the output.
template <class E>
void CopyRuns(WorkQueue& queue, std::vector<AxisRuns> runs,
              const Shape& from_shape, const E* from, const Shape& to_shape,
              E* to) {
  ForEachPiece(std::move(runs), from_shape, to_shape, [&](const Piece& piece) {
    CopyBetweenStrided(queue, piece.plan, from + piece.from, to + piece.to);
  });
}

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_AXIS_RUNS_H_
