// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A kernel on a GPU cannot return the error of an index that is out of range,
// because the index is read when the kernel has long returned. Instead the work
// writes the first such index of a step to pinned memory. The executor asks for
// it when all work of the step has run, and whether there is one when something
// has come to the host: a loop could wait for ever for an element that no index
// reads.
//
//   LEAT_ASSIGN_OR_RETURN(
//       const leat::cuda::CheckedIndices rows,
//       CheckIndices(context, context.input(1), IndexRule::kRow,
//                    indices.shape().dims(), /*depth=*/1, {params.dim(0)}));
//   return OnStream(context, [&](CUstream_st* stream) {
//     return leat::cuda::LaunchGather(stream, ..., {.indices = rows, ...});
//   });
//
// The memory is a resource of the step, so steps that run at the same time do
// not see each other's indices, and a step needs the same memory however often
// its kernels run. Thread-safe.
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

// Returns the int32 or int64 indices of a tensor in the memory of a GPU, for
// work that the kernel of `context` queues. An index has `depth` numbers, which
// index the first dimensions of `limits`. `rule` and `dims`, the dimensions of
// the indices, are for the error (index_errors.h). Returns UNIMPLEMENTED
// if `depth` is more than eight, and RESOURCE_EXHAUSTED if there is no pinned
// memory.
absl::StatusOr<leat::cuda::CheckedIndices> CheckIndices(
    const KernelContext& context, const Tensor& indices, IndexRule rule,
    absl::Span<const int64_t> dims, int64_t depth,
    absl::Span<const int64_t> limits);

// The first index of a step that was out of range on a GPU.
struct FoundIndexFault {
  const NodeDef* node = nullptr;  // null if there was none
  absl::Status error = {};
};
// REQUIRES: all work of the step has run on `gpu`, and the nodes of the step
// are still there.
FoundIndexFault FindIndexFault(const ResourceStore& step_resources,
                               const Device& gpu);

// Returns true if an index of the step was out of range in work on `gpu` that
// has run. Other work of the step may be running.
bool HasIndexFault(const ResourceStore& step_resources, const Device& gpu);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_INDICES_INDEX_FAULTS_H_
