// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A kernel on a GPU cannot return the error for an index out of range, because
// the GPU reads the index long after the kernel has returned. Instead, the code
// on the GPU writes the first such index of a step to pinned memory. The
// executor reads it with FindIndexFault when all work of the step has run. The
// executor also calls HasIndexFault after each async kernel, such as a copy to
// the host. Otherwise a loop could run for ever, because the element that would
// end it was not read.
//
//   LEAT_ASSIGN_OR_RETURN(
//       const leat::cuda::CheckedIndices rows,
//       CheckIndices(context, context.input(1), IndexRule::kRow,
//                    indices.shape().dims(), /*depth=*/1, {params.dim(0)}));
//   return OnStream(context, [&](CUstream_st* stream) {
//     return leat::cuda::LaunchGather(stream, ..., {.indices = rows, ...});
//   });
//
// The memory is a resource of the step. So steps that run at the same time do
// not see each other's indices, and a step needs the same memory however often
// its kernels run. The functions are thread-safe.
#ifndef LEAT_KERNELS_INDICES_INDEX_FAULTS_H_
#define LEAT_KERNELS_INDICES_INDEX_FAULTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/checked_indices.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns CheckedIndices for `indices`, a tensor of int32 or int64 in the
// memory of a GPU. The kernel of `context` passes them to the work that it
// queues. An index has `depth` numbers, which index the first dimensions of
// `limits`. `rule` and `dims`, the dimensions of the indices, are for the error
// message (index_errors.h). Returns UNIMPLEMENTED if `depth` is more than
// eight, and RESOURCE_EXHAUSTED if there is no pinned memory.
absl::StatusOr<leat::cuda::CheckedIndices> CheckIndices(
    const KernelContext& context, const Tensor& indices, IndexRule rule,
    absl::Span<const int64_t> dims, int64_t depth,
    absl::Span<const int64_t> limits);

// Holds the first index of a step that was out of range on a GPU.
struct FoundIndexFault {
  const NodeDef* node = nullptr;  // null if there was none
  absl::Status error = {};
};
// Returns the first index of the step that was out of range. REQUIRES: all work
// of the step has run on `gpu`, and the nodes of the step still exist.
FoundIndexFault FindIndexFault(const ResourceStore& step_resources,
                               const Device& gpu);

// Returns true if finished work of the step on `gpu` has found an index out of
// range. Other work of the step may still be running.
bool HasIndexFault(const ResourceStore& step_resources, const Device& gpu);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_INDICES_INDEX_FAULTS_H_
