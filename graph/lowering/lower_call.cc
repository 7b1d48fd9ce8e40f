// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lowers calls: PartitionedCall, StatefulPartitionedCall, and nodes whose op is
// the name of a function.
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/lowering/lowering.h"

namespace leat {
namespace {

// Sets lowered.executed to the control outputs of the body. If the body has
// none, sets it to the nodes that produce the results. If there are no results
// either, sets it to `inputs`, the nodes that the call itself waits for.
absl::Status AddExecuted(const Node& node, const Inlined& inlined,
                         absl::Span<const NodeId> inputs, Lowering& lowering,
                         Lowered& lowered) {
  lowered.executed = inlined.control_outputs;
  if (lowered.executed.empty()) {
    for (const Endpoint& output : inlined.returns) {
      NodeId source = output.node;
      // A control edge from a Switch is alive even if `output` is dead. So the
      // consumers wait for an Identity of `output`. The Identity is dead if
      // `output` is dead.
      if (IsSwitch(lowering.graph().node(source))) {
        LEAT_ASSIGN_OR_RETURN(
            source,
            lowering.AddIdentity(absl::StrCat(node.name(), "/result"), output));
      }
      lowered.executed.push_back(source);
    }
  }
  if (lowered.executed.empty()) {
    lowered.executed.assign(inputs.begin(), inputs.end());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Lowered> LowerCall(const Node& node, const FunctionRef& function,
                                  Lowering& lowering) {
  LEAT_ASSIGN_OR_RETURN(const FunctionBody* body,
                        lowering.Body(node, function, node.def->input_types,
                                      node.def->output_types));
  const std::string& name = node.name();
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> gate, lowering.AddGate(node));
  std::vector<Endpoint> args;
  std::vector<NodeId> inputs = gate;
  for (int i = 0; i < node.num_inputs(); ++i) {
    LEAT_ASSIGN_OR_RETURN(
        const NodeId arg,
        lowering.AddIdentity(absl::StrCat(name, "/", body->arg_names[i]),
                             node.inputs[i], gate));
    args.push_back({arg, 0});
    inputs.push_back(arg);
  }
  LEAT_ASSIGN_OR_RETURN(
      Inlined inlined,
      lowering.Inline(*body, name, node.def->device, args, gate));
  Lowered lowered;
  lowered.outputs = inlined.returns;
  LEAT_RETURN_IF_ERROR(AddExecuted(node, inlined, inputs, lowering, lowered));
  return lowered;
}

}  // namespace leat
