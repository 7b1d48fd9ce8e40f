// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/device_copies.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/analysis/node_memory.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/internal_node.h"

namespace leat {
namespace {

// Implements InsertDeviceCopies.
class CopyInserter {
 public:
  CopyInserter(const DeviceType& device_type, Graph& graph)
      : device_type_(device_type), graph_(graph) {}

  absl::Status Insert() {
    // Inputs come first, because they decide whether a node runs on the host.
    LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> ids,
                          TopologicalOrder(graph_));
    memories_.resize(graph_.num_ids());
    for (const NodeId id : ids) LEAT_RETURN_IF_ERROR(FindMemory(id));
    for (const NodeId id : ids) LEAT_RETURN_IF_ERROR(CopyInputs(id));
    return absl::OkStatus();
  }

 private:
  absl::Status FindMemory(NodeId id) {
    Node& node = graph_.mutable_node(id);
    const KernelSignature* const signature =
        graph_.ops().FindSignature(node.op(), device_type_, node.attrs());
    if (signature == nullptr) return absl::OkStatus();
    if (signature->may_run_on_host && AreInputsOnHost(node)) {
      NodeDef def = *node.def;
      def.attrs.Set(kRunsOnHost, true);
      node.def = std::make_shared<const NodeDef>(std::move(def));
    }
    LEAT_ASSIGN_OR_RETURN(memories_[id], MemoryOf(*node.def, *signature));
    return absl::OkStatus();
  }

  bool AreInputsOnHost(const Node& node) const {
    return absl::c_all_of(node.inputs, [&](const Endpoint& input) {
      const std::vector<bool>& from = memories_[input.node].is_output_on_host;
      return !from.empty() && from[input.index];
    });
  }

  // Puts copies on the edges to `id` that need one.
  absl::Status CopyInputs(NodeId id) {
    for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
      const Node& node = graph_.node(id);
      const Endpoint source = node.inputs[i];
      const std::vector<bool>& from = memories_[source.node].is_output_on_host;
      const std::vector<bool>& to = memories_[id].is_input_on_host;
      if (from.empty() || to.empty() || from[source.index] == to[i] ||
          IsRef(node.def->input_types[i])) {
        continue;
      }
      LEAT_ASSIGN_OR_RETURN(const NodeId copy, CopyFor(source, id, to[i]));
      graph_.mutable_node(id).inputs[i] = {copy, 0};
    }
    return absl::OkStatus();
  }

  // Returns the copy of the tensor that `consumer` takes. Adds the copy if
  // there is none.
  absl::StatusOr<NodeId> CopyFor(const Endpoint& source, NodeId consumer,
                                 bool to_host) {
    const DType dtype = graph_.node(source.node).output_type(source.index);
    if (IsRef(dtype)) return CopyOfReference(source, consumer, to_host);
    NodeId& copy = copies_.try_emplace(source, kNoNode).first->second;
    if (copy == kNoNode) {
      LEAT_ASSIGN_OR_RETURN(copy, AddCopy(source, to_host));
    }
    return copy;
  }

  // Adds a copy of the value of a variable for `consumer`. The variable must be
  // read after everything else that the consumer waits for. A Merge is an
  // exception, because it does not wait for its other inputs.
  absl::StatusOr<NodeId> CopyOfReference(const Endpoint& source,
                                         NodeId consumer, bool to_host) {
    LEAT_ASSIGN_OR_RETURN(const NodeId copy, AddCopy(source, to_host));
    const Node node = graph_.node(consumer);
    if (IsMerge(node)) return copy;
    for (const Endpoint& input : node.inputs) {
      if (input.node != source.node) graph_.AddControl(input.node, copy);
    }
    for (const NodeId control : node.controls) graph_.AddControl(control, copy);
    return copy;
  }

  absl::StatusOr<NodeId> AddCopy(const Endpoint& source, bool to_host) {
    const Node& producer = graph_.node(source.node);
    NodeDef def{.name = graph_.UniqueName(absl::StrCat(
                    producer.name(), to_host ? "/_to_host" : "/_to_device"))};
    def.attrs.Set("T", BaseOf(producer.output_type(source.index)));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId copy,
        AddInternalNode(to_host ? "_CopyToHost" : "_CopyToDevice",
                        std::move(def), producer.device, graph_));
    graph_.mutable_node(copy).inputs.push_back(source);
    return copy;
  }

  const DeviceType& device_type_;
  Graph& graph_;
  // Says where the tensors of each node are. Is empty for a node without a
  // kernel.
  std::vector<NodeMemory> memories_;
  absl::flat_hash_map<Endpoint, NodeId> copies_;
};

}  // namespace

absl::Status InsertDeviceCopies(const DeviceType& device_type, Graph& graph) {
  if (device_type != kGpu) return absl::OkStatus();
  return CopyInserter(device_type, graph).Insert();
}

}  // namespace leat
