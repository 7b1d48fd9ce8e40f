// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/node_memory.h"

#include "absl/algorithm/container.h"
#include "leat/core/devices/device.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Returns one flag for each tensor of `args`: true if the tensor is in host
// memory. `named` holds the names of the arguments that are in host memory for
// all types.
absl::StatusOr<std::vector<bool>> AreOnHost(
    const std::vector<ArgDef>& args, const AttrMap& attrs,
    const std::vector<DType>& types, const std::vector<std::string>& named,
    const KernelSignature& signature, bool runs_on_host) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<int> offsets,
                        ArgOffsets(args, attrs));
  std::vector<bool> on_host(types.size(), runs_on_host);
  for (size_t arg = 0; arg < args.size(); ++arg) {
    const bool is_named = absl::c_linear_search(named, args[arg].name);
    for (int i = offsets[arg]; i < offsets[arg + 1]; ++i) {
      const DType type = BaseOf(types[i]);
      if (is_named || (!IsPlainBytes(type) && type != DType::kVariant) ||
          (signature.int32_on_host && type == DType::kInt32)) {
        on_host[i] = true;
      }
    }
  }
  return on_host;
}

// Returns true if `node` sends its input to a GPU of `task`.
bool SendsToGpu(const Node& node, const DeviceName& task) {
  if (node.op() != "_Send" && node.op() != "_HostSend") return false;
  const auto device = node.attrs().Get<std::string>("recv_device");
  const auto to = DeviceName::Parse(device.value_or(""));
  return to.ok() && to->type == kGpu && task.Matches(*to);
}

}  // namespace

absl::StatusOr<NodeMemory> MemoryOf(const NodeDef& node,
                                    const KernelSignature& signature) {
  NodeMemory memory{.runs_on_host = signature.runs_on_host};
  if (signature.may_run_on_host) {
    LEAT_ASSIGN_OR_RETURN(memory.runs_on_host,
                          node.attrs.GetOr(kRunsOnHost, false));
  }
  LEAT_ASSIGN_OR_RETURN(
      memory.is_input_on_host,
      AreOnHost(node.op->inputs, node.attrs, node.input_types,
                signature.host_inputs, signature, memory.runs_on_host));
  LEAT_ASSIGN_OR_RETURN(
      memory.is_output_on_host,
      AreOnHost(node.op->outputs, node.attrs, node.output_types,
                signature.host_outputs, signature, memory.runs_on_host));
  return memory;
}

NodeMemory MemoryOnCpu(const Graph& graph, NodeId id,
                       const Consumers& consumers, const DeviceName& task) {
  const NodeDef& def = *graph.node(id).def;
  std::vector<bool> is_sent(def.output_types.size(), false);
  std::vector<bool> is_read(def.output_types.size(), false);
  for (const Use& use : consumers.Of(id)) {
    if (use.input == TensorId::kControl) continue;
    (SendsToGpu(graph.node(use.node), task) ? is_sent : is_read)[use.output] =
        true;
  }
  NodeMemory memory{
      .is_input_on_host = std::vector<bool>(def.input_types.size(), true),
      .is_output_on_host = std::vector<bool>(def.output_types.size(), true)};
  for (size_t i = 0; i < is_sent.size(); ++i) {
    memory.is_output_pinned.push_back(is_sent[i] && !is_read[i] &&
                                      !IsRef(def.output_types[i]) &&
                                      IsPlainBytes(def.output_types[i]));
  }
  return memory;
}

}  // namespace leat
