// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NodeMemory says in which memory the tensors of a node lie. For a node on a
// GPU, it says which tensors are in host memory. For a node on a CPU, it says
// which outputs are in pinned memory because only GPUs read them.
#ifndef LEAT_GRAPH_ANALYSIS_NODE_MEMORY_H_
#define LEAT_GRAPH_ANALYSIS_NODE_MEMORY_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/devices/device_name.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/graph.h"
#include "leat/graph/kernel_signature.h"

namespace leat {

// Says for each tensor of a node whether it is in host memory. If it is not, it
// is in the memory of the GPU. NodeMemory is a plain value.
struct NodeMemory {
  std::vector<bool> is_input_on_host = {};   // by input
  std::vector<bool> is_output_on_host = {};  // by output
  // Says for each output whether it is to be allocated in pinned host memory.
  // The vector is empty for a node on a GPU.
  std::vector<bool> is_output_pinned = {};
  // Is true if a node on a GPU runs the kernel for CPUs. All its tensors are
  // then in host memory.
  bool runs_on_host = false;
};

// The name of a bool attr of a node on a GPU. The attr is true if the node runs
// the kernel for CPUs, which KernelSignature::may_run_on_host permits.
inline constexpr char kRunsOnHost[] = "_runs_on_host";

// Returns where the tensors of `node` lie if the node runs on a GPU with the
// kernel that `signature` describes. Strings and resource handles are always in
// host memory. A variant object is in host memory, too, but the result
// describes the tensors in the variant: they are copied when the variant leaves
// the GPU. Fails as ArgOffsets does. REQUIRES: the types of the node are set.
absl::StatusOr<NodeMemory> MemoryOf(const NodeDef& node,
                                    const KernelSignature& signature);

// Returns where the tensors of node `id` lie if the node runs on a CPU of
// `task`. All of them are in host memory. An output that is only sent to GPUs
// of `task` is in pinned memory, from which a GPU can copy directly. `graph` is
// the part of a step for that CPU, and `consumers` is the index of `graph`.
NodeMemory MemoryOnCpu(const Graph& graph, NodeId id,
                       const Consumers& consumers, const DeviceName& task);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_NODE_MEMORY_H_
