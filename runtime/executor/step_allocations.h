// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepAllocations counts the memory that each node of a step has allocated and
// that is still in use. If the step then runs out of memory, its error lists
// the nodes that hold the most (RunOptions.report_tensor_allocations_upon_oom).
#ifndef LEAT_RUNTIME_EXECUTOR_STEP_ALLOCATIONS_H_
#define LEAT_RUNTIME_EXECUTOR_STEP_ALLOCATIONS_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "leat/core/devices/device.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"

namespace leat {

// Holds the allocations of one step. Is thread-safe. It must outlive the step's
// kernels, but not the tensors that they made. Takes a lock for each run of a
// kernel.
class StepAllocations {
 public:
  StepAllocations();
  ~StepAllocations();
  StepAllocations(const StepAllocations&) = delete;
  StepAllocations& operator=(const StepAllocations&) = delete;

  // Returns the services that a kernel of `node` must use instead of
  // `services`. Their device charges the memory that the kernel allocates to
  // the node. The result lives as long as this object.
  const StepServices& ServicesFor(const NodeDef& node,
                                  const StepServices& services);

  // Returns a report in TensorFlow's form. It names the device, and lists the
  // nodes that have live tensors there, one per line, the largest first. The
  // list ends after 100 nodes, 4 KiB of text, or 99 % of the bytes. A last line
  // says how many nodes and bytes were left out.
  std::string Report(Device& device) const;

 private:
  struct NodeMemory;

  mutable Mutex mutex_;
  absl::flat_hash_map<const NodeDef*, std::unique_ptr<NodeMemory>> nodes_
      ABSL_GUARDED_BY(mutex_);
};

// Returns true if `status` says that a kernel could not get the memory that it
// needed.
bool IsOutOfMemory(const absl::Status& status);

// Adds the memory report of `device` to `status`. If `allocations` is null,
// adds a sentence that says how to get such a report. For a GPU, also says what
// uses the memory of the GPU. Keeps the payloads of `status`. REQUIRES:
// IsOutOfMemory(status).
absl::Status WithAllocations(const absl::Status& status,
                             const StepAllocations* allocations,
                             Device& device);

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_STEP_ALLOCATIONS_H_
