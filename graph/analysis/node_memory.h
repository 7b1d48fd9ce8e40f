// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NodeMemory says in which memory the tensors of a node lie: which tensors of a
// node on a GPU are in memory of the host, and which outputs of a node on a CPU
// are in pinned memory, because only GPUs read them.
#ifndef LEAT_GRAPH_ANALYSIS_NODE_MEMORY_H_
#define LEAT_GRAPH_ANALYSIS_NODE_MEMORY_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/devices/device_name.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/graph.h"
#include "leat/graph/kernel_signature.h"

namespace leat {

// Is a plain value. A tensor that is not in memory of the host is in the memory
// of the GPU.
struct NodeMemory {
  std::vector<bool> is_input_on_host = {};   // by input
  std::vector<bool> is_output_on_host = {};  // by output
  // By output, and empty on a GPU: is true if the output is to be allocated in
  // pinned memory of the host.
  std::vector<bool> is_output_pinned = {};
  // Is true if the kernel for CPUs runs. All tensors are in memory of the host.
  bool runs_on_host = false;
};

// Returns where the tensors of `node` lie if the node runs on a GPU with the
// kernel that `signature` describes. Strings and resource handles are always in
// memory of the host. So are variants themselves, but a variant counts as being
// where the tensors are that it holds, so that copies of these are made where
// it leaves the GPU. Fails as ArgOffsets does. REQUIRES: the types of the node
// are set.
absl::StatusOr<NodeMemory> MemoryOf(const NodeDef& node,
                                    const KernelSignature& signature);

// Returns where the tensors of a node lie that runs on a CPU of `task`: all in
// memory of the host. An output that is only sent to GPUs of the task is in
// pinned memory, from which a GPU copies without a detour. `consumers` must be
// those of `graph`, which is the part of a step for that CPU.
NodeMemory MemoryOnCpu(const Graph& graph, NodeId id,
                       const Consumers& consumers, const DeviceName& task);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_NODE_MEMORY_H_
