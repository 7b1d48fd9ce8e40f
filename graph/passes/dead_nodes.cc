// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The pass "dead_nodes" removes nodes that contribute nothing to what a client
// can observe. Pruning has already removed such nodes, but other passes make
// more nodes superfluous.
#include <vector>

#include "leat/graph/analysis/consumers.h"
#include "leat/graph/optimizer/pass_context.h"

namespace leat::passes::dead_nodes {
namespace {

bool Run(PassContext& context) {
  std::vector<NodeId> roots;
  for (const NodeId id : context.order()) {
    if (!context.graph().Contains(id)) continue;
    if (context.IsKept(id) || !context.IsPure(id)) roots.push_back(id);
  }
  const std::vector<bool> needed = NeededBy(context.graph(), roots);
  bool changed = false;
  for (const NodeId id : context.order()) {
    if (needed[id] || !context.graph().Contains(id)) continue;
    context.Remove(id);
    changed = true;
  }
  return changed;
}

}  // namespace

void Register(PassRegistry& registry) {
  registry.Add({.name = "dead_nodes", .phase = Phase::kClean, .run = &Run});
}

}  // namespace leat::passes::dead_nodes
