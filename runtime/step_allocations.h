// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepAllocations counts the memory that each node of a step has allocated and
// that is still in use. If the step then runs out of memory, its error lists
// the nodes that hold the most (RunOptions.report_tensor_allocations_upon_oom).
#ifndef LEAT_RUNTIME_STEP_ALLOCATIONS_H_
#define LEAT_RUNTIME_STEP_ALLOCATIONS_H_

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

  // Returns what a kernel of `node` gets instead of `services`. Its device
  // charges to the node what the kernel allocates. The result lives as long as
  // this object.
  const StepServices& ServicesFor(const NodeDef& node,
                                  const StepServices& services);

  // Returns text in TensorFlow's form, which names the device and then, one per
  // line and the largest first, the nodes whose tensors are alive there. The
  // list ends after 100 nodes, 4 KiB of text, or 99 % of the bytes, and says
  // what it leaves out.
  std::string Report(Device& device) const;

 private:
  struct NodeMemory;

  mutable Mutex mutex_;
  absl::flat_hash_map<const NodeDef*, std::unique_ptr<NodeMemory>> nodes_
      ABSL_GUARDED_BY(mutex_);
};

// Returns true if `status` is the error of a kernel for which there was no
// memory.
bool IsOutOfMemory(const absl::Status& status);

// Adds to an error for which IsOutOfMemory is true what the step knows about
// the memory of `device`, or how to ask for it if `allocations` is null. Of a
// GPU, also adds what takes its memory. Keeps the payloads.
absl::Status WithAllocations(const absl::Status& status,
                             const StepAllocations* allocations,
                             Device& device);

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_ALLOCATIONS_H_
