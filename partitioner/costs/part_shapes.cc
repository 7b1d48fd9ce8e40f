// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/part_shapes.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/rendezvous_attrs.h"

namespace leat {
namespace {

// Implements PartShapes.
class PartInference {
 public:
  PartInference(const Graph& whole, const GraphShapes& shapes)
      : whole_(whole), shapes_(shapes) {}

  // Infers the outputs in a part, as far as they follow from what is known.
  GraphShapes Infer(const Graph& part) {
    GraphShapes result(part.num_ids());
    const auto order = TopologicalOrder(part);
    for (const NodeId id : order.ok() ? *order : part.NodeIds()) {
      result[id] = OutputsOf(part, id, result);
      const Node& node = part.node(id);
      if (node.op() != "_Send") continue;
      const Endpoint& sent = node.inputs[0];
      const std::vector<InferredOutput>& known = result[sent.node];
      if (static_cast<size_t>(sent.index) < known.size()) {
        sent_[KeyOf(node)] = known[sent.index];
      }
    }
    return result;
  }

 private:
  static std::string KeyOf(const Node& node) {
    const auto key = RendezvousKeyOf(node.attrs());
    return key.ok() ? key->ToString() : "";
  }

  std::vector<InferredOutput> OutputsOf(const Graph& part, NodeId id,
                                        const GraphShapes& known) const {
    const Node& node = part.node(id);
    const NodeId in_whole = whole_.Find(node.name());
    if (in_whole != kNoNode && static_cast<size_t>(in_whole) < shapes_.size()) {
      return shapes_[in_whole];
    }
    if (node.op() == "_Recv") {
      const auto sent = sent_.find(KeyOf(node));
      if (sent != sent_.end()) return {sent->second};
    }
    std::vector<const InferredOutput*> inputs;
    for (const Endpoint& input : node.inputs) {
      const std::vector<InferredOutput>& outputs = known[input.node];
      inputs.push_back(static_cast<size_t>(input.index) < outputs.size()
                           ? &outputs[input.index]
                           : nullptr);
    }
    auto inferred = InferNode(*node.def->op, node.name(), node.attrs(),
                              std::move(inputs), node.num_outputs());
    if (inferred.ok()) return *std::move(inferred);
    return std::vector<InferredOutput>(node.num_outputs());
  }

  const Graph& whole_;
  const GraphShapes& shapes_;
  absl::flat_hash_map<std::string, InferredOutput> sent_;  // by rendezvous key
};

}  // namespace

std::vector<GraphShapes> PartShapes(const Graph& whole,
                                    const GraphShapes& shapes,
                                    absl::Span<const Partition> parts) {
  PartInference inference(whole, shapes);
  std::vector<GraphShapes> result;
  for (const Partition& part : parts) {
    result.push_back(inference.Infer(part.graph));
  }
  // Now it is known what all parts send.
  for (size_t i = 0; i < parts.size(); ++i) {
    result[i] = inference.Infer(parts[i].graph);
  }
  return result;
}

}  // namespace leat
