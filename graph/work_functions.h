// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are work functions that many ops of graph/ops/ share, and what other
// work functions are made of. An op without a work function is element-wise.
// All functions are thread-safe.
#ifndef LEAT_GRAPH_WORK_FUNCTIONS_H_
#define LEAT_GRAPH_WORK_FUNCTIONS_H_

#include "leat/graph/work.h"

namespace leat {

// Is about the number of operations that a function such as exp or log takes.
inline constexpr int kTranscendentalFlops = 15;

// Returns the sum of the bytes of `tensors`.
double TotalBytes(absl::Span<const TensorSpec> tensors);

// Returns how many elements a window has: the product of `sizes`, one for each
// axis. A window has no elements outside of the tensor, whose extents are in
// `extents`.
double WindowElements(absl::Span<const int64_t> sizes,
                      absl::Span<const int64_t> extents);

namespace works {

// Passes tensors on, or makes views of them: no element is read or written.
Work Nothing(const WorkContext& context);
// Reads all inputs and writes all outputs, without arithmetic.
Work Move(const WorkContext& context);
// Reads all inputs except input 0, and writes all outputs. Of input 0, or of
// the variable behind it, reads as many bytes as it writes.
Work Take(const WorkContext& context);
// Combines the variable in input 0 with input 1, element by element, in place.
Work UpdateVariable(const WorkContext& context);
// Combines the rows of the variable in input 0 that the indices in input 1 name
// with input 2, in place.
Work UpdateRows(const WorkContext& context);
// Writes all outputs and reads nothing, with `kFlops` operations for each
// element.
template <int kFlops>
Work Generate(const WorkContext& context);
// Is element-wise, with `kFlops` operations for each element.
template <int kFlops>
Work PerElement(const WorkContext& context);
inline constexpr WorkFunction Transcendental = PerElement<kTranscendentalFlops>;

// ---------------------------------------------------------------------------

template <int kFlops>
Work Generate(const WorkContext& context) {
  Work work = {.bytes_written = TotalBytes(context.outputs())};
  for (const TensorSpec& output : context.outputs()) {
    work.flops += kFlops * output.num_elements();
  }
  return work;
}

template <int kFlops>
Work PerElement(const WorkContext& context) {
  Work work = ElementWiseWork(context);
  work.flops *= kFlops;
  return work;
}

}  // namespace works
}  // namespace leat

#endif  // LEAT_GRAPH_WORK_FUNCTIONS_H_
