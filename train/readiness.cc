// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/readiness.h"

#include <map>
#include <string>
#include <vector>

#include "leat/graph/ops.h"

namespace leat {
namespace {

// Adds nodes on the variable's device that tell whether the variable is
// uninitialized.
Output IsMissing(GraphBuilder& b, const Variable& variable,
                 SourceLocation location) {
  const Scope beside = b.ColocateWith(variable.handle().operation(), location);
  const Output there =
      variable.is_resource()
          ? op::VarIsInitializedOp(variable.handle(), location)
          : op::IsVariableInitialized(variable.handle(), location);
  return op::LogicalNot(there, location);
}

}  // namespace

Output UninitializedVariables(GraphBuilder& b,
                              absl::Span<const Variable> variables,
                              SourceLocation location) {
  if (variables.empty()) variables = b.variables();
  // Makes one vector per device, so that a fetch costs one message per task,
  // not one per variable.
  std::map<std::string, std::vector<Variable>> by_device;
  for (const Variable& variable : variables) {
    if (!b.status().ok() || !variable.handle().IsValid()) return Output();
    by_device[b.graph().node(variable.handle().operation().id()).def->device]
        .push_back(variable);
  }
  const Scope site = b.CallSite(location);
  const Scope free = b.NoControlDependencies(location);
  const Scope names = b.NameScope("uninitialized_variables", location);
  std::vector<std::string> all;
  std::vector<Output> parts;
  for (const auto& [device, group] : by_device) {
    std::vector<Output> flags;
    for (const Variable& variable : group) {
      all.push_back(variable.name());
      flags.push_back(IsMissing(b, variable, location));
    }
    if (!b.status().ok()) return Output();
    const Scope beside =
        b.ColocateWith(group.front().handle().operation(), location);
    parts.push_back(op::Pack(flags, {}, location));
  }
  const Output all_names =
      b.Const(Tensor::FromSpan<std::string>(
                  Shape{static_cast<int64_t>(all.size())}, all),
              "names", location);
  if (parts.empty()) return all_names;
  const Output missing =
      parts.size() == 1 ? parts[0] : op::ConcatV2(parts, 0, location);
  const Output rows = op::Reshape(op::Where(missing, location), {-1}, location);
  return op::GatherV2(all_names, rows, 0, {}, location);
}

size_t NumVariablesOf(const Graph& graph, absl::string_view tensor) {
  const NodeId begin = graph.Find(tensor.substr(0, tensor.find(':')));
  if (begin == kNoNode) return 0;
  size_t count = 0;
  std::vector<bool> seen(static_cast<size_t>(graph.num_ids()));
  std::vector<NodeId> rest = {begin};
  while (!rest.empty()) {
    const NodeId id = rest.back();
    rest.pop_back();
    if (seen[static_cast<size_t>(id)]) continue;
    seen[static_cast<size_t>(id)] = true;
    const Node& node = graph.node(id);
    if (node.op() == "VarIsInitializedOp" ||
        node.op() == "IsVariableInitialized") {
      ++count;
      continue;
    }
    for (const Endpoint& input : node.inputs) rest.push_back(input.node);
  }
  return count;
}

}  // namespace leat
