// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lowers calls: PartitionedCall, StatefulPartitionedCall, SymbolicGradient,
// RemoteCall, and nodes whose op is the name of a function.
#include <variant>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
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

// Lowers a call of `function` with the inputs of `node` from `first_input` on.
// `device` is the device of the function's nodes that request no other one.
absl::StatusOr<Lowered> LowerCallOn(const std::string& device,
                                    const FunctionRef& function,
                                    int first_input, const Node& node,
                                    Lowering& lowering) {
  LEAT_ASSIGN_OR_RETURN(
      const FunctionBody* body,
      lowering.Body(node, function,
                    absl::MakeConstSpan(node.def->input_types)
                        .subspan(static_cast<size_t>(first_input)),
                    node.def->output_types));
  const std::string& name = node.name();
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> gate, lowering.AddGate(node));
  std::vector<Endpoint> args;
  std::vector<NodeId> inputs = gate;
  for (int i = first_input; i < node.num_inputs(); ++i) {
    const std::string& arg_name = body->arg_names[i - first_input];
    LEAT_ASSIGN_OR_RETURN(
        const NodeId arg,
        lowering.AddIdentity(absl::StrCat(name, "/", arg_name), node.inputs[i],
                             gate));
    args.push_back({arg, 0});
    inputs.push_back(arg);
  }
  LEAT_ASSIGN_OR_RETURN(Inlined inlined,
                        lowering.Inline(*body, name, device, args, gate));
  Lowered lowered;
  lowered.outputs = inlined.returns;
  LEAT_RETURN_IF_ERROR(AddExecuted(node, inlined, inputs, lowering, lowered));
  return lowered;
}

// Returns the target of a RemoteCall if it is a constant, and null otherwise.
const std::string* ConstantTarget(const Node& node, const Graph& graph) {
  const Node& target = graph.node(node.inputs[0].node);
  if (target.op() != "Const") return nullptr;
  const AttrValue* const value = target.attrs().Find("value");
  const auto* const tensor = value ? std::get_if<Tensor>(value) : nullptr;
  if (tensor == nullptr || tensor->dtype() != DType::kString ||
      tensor->num_elements() != 1) {
    return nullptr;
  }
  return &tensor->data<std::string>()[0];
}

}  // namespace

absl::StatusOr<Lowered> LowerCall(const Node& node, const FunctionRef& function,
                                  Lowering& lowering) {
  return LowerCallOn(node.def->device, function, /*first_input=*/0, node,
                     lowering);
}

absl::StatusOr<Lowered> LowerGradient(const Node& node, Lowering& lowering) {
  LEAT_ASSIGN_OR_RETURN(const FunctionRef function,
                        node.attrs().Get<FunctionRef>("f"));
  LEAT_ASSIGN_OR_RETURN(const FunctionRef gradient,
                        lowering.Gradient(node, function));
  return LowerCall(node, gradient, lowering);
}

bool HasConstantTarget(const Node& node, const Graph& graph) {
  return ConstantTarget(node, graph) != nullptr;
}

absl::StatusOr<Lowered> LowerRemoteCall(const Node& node, Lowering& lowering) {
  LEAT_ASSIGN_OR_RETURN(const FunctionRef function,
                        node.attrs().Get<FunctionRef>("f"));
  const std::string target = *ConstantTarget(node, lowering.graph());
  const absl::StatusOr<DeviceName> inner = DeviceName::Parse(target);
  if (!inner.ok()) {
    return LoweringError(node, absl::StrCat("Could not parse ", target,
                                            " into a device specification."));
  }
  LEAT_ASSIGN_OR_RETURN(const DeviceName outer,
                        DeviceName::Parse(node.def->device));
  return LowerCallOn(OverrideDeviceName(outer, *inner).ToString(), function,
                     /*first_input=*/1, node, lowering);
}

}  // namespace leat
