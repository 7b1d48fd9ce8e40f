// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/graph_addition.h"

namespace leat {

GraphAddition::GraphAddition(const Graph& graph)
    : first(graph.num_ids()),
      producer(graph.producer),
      min_consumer(graph.min_consumer),
      tensor_bytes(graph.tensor_bytes) {}

void GraphAddition::Undo(Graph& graph) const {
  graph.Truncate(first);
  for (const std::string& name : functions) graph.functions().Remove(name);
  for (const std::string& name : gradients) {
    graph.functions().RemoveGradient(name);
  }
  graph.producer = producer;
  graph.min_consumer = min_consumer;
  graph.tensor_bytes = tensor_bytes;
}

absl::Status GraphAddition::AddGradient(const std::string& function,
                                        const std::string& gradient,
                                        Graph& graph) {
  const bool is_new = graph.functions().Gradient(function).empty();
  absl::Status status = graph.functions().SetGradient(function, gradient);
  if (status.ok() && is_new) gradients.push_back(function);
  return status;
}

}  // namespace leat
