// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/functions/function_graph.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/functions/instantiate.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

absl::Status AddArguments(const FunctionBody& body, const OpRegistry& ops,
                          FunctionGraph& result) {
  for (size_t i = 0; i < body.arg_types.size(); ++i) {
    NodeDef def{.name = body.arg_names[i]};
    if (result.graph.Find(def.name) != kNoNode) {
      return absl::InvalidArgumentError(
          absl::StrCat("function '", body.name,
                       "': two of its arguments have "
                       "the name '",
                       def.name, "'"));
    }
    LEAT_ASSIGN_OR_RETURN(def.op, ops.Lookup("_Arg"));
    def.attrs.Set("T", body.arg_types[i]);
    def.attrs.Set("index", static_cast<int64_t>(i));
    def.output_types = {body.arg_types[i]};
    Node node;
    node.def = std::make_shared<const NodeDef>(std::move(def));
    result.arguments.push_back(result.graph.AddUnchecked(std::move(node)));
  }
  return absl::OkStatus();
}

// Returns true if the node `id` is an _Arg. The _Args have the lowest ids.
bool IsArgument(const FunctionGraph& body, NodeId id) {
  return static_cast<size_t>(id) < body.arguments.size();
}

// Returns the name of a tensor inside a function: "argument" or
// "node:output:0".
absl::StatusOr<std::string> TensorText(const FunctionGraph& body,
                                       Endpoint endpoint) {
  const Node& node = body.graph.node(endpoint.node);
  if (IsArgument(body, endpoint.node)) return node.name();
  return OutputText(node, endpoint.index);
}

absl::StatusOr<FunctionNode> WriteNode(const FunctionGraph& body,
                                       const Node& node) {
  FunctionNode result{.name = node.name(),
                      .op = node.op(),
                      .device = node.def->device,
                      .attrs = node.attrs()};
  for (const Endpoint input : node.inputs) {
    LEAT_ASSIGN_OR_RETURN(std::string text, TensorText(body, input));
    result.inputs.push_back(std::move(text));
  }
  for (const NodeId control : node.controls) {
    result.inputs.push_back(absl::StrCat("^", body.graph.node(control).name()));
  }
  return result;
}

}  // namespace

absl::StatusOr<std::string> OutputText(const Node& node, int index) {
  const std::vector<ArgDef>& outputs = node.def->op->outputs;
  LEAT_ASSIGN_OR_RETURN(const std::vector<int> offsets,
                        ArgOffsets(outputs, node.attrs()));
  const auto next = std::upper_bound(offsets.begin(), offsets.end(), index);
  const size_t output = static_cast<size_t>(next - offsets.begin()) - 1;
  return absl::StrCat(node.name(), ":", outputs[output].name, ":",
                      index - offsets[output]);
}

absl::StatusOr<FunctionGraph> ReadFunction(const Function& function,
                                           const AttrMap& attrs,
                                           const OpRegistry& ops,
                                           const FunctionLibrary& library,
                                           int64_t max_tensors) {
  LEAT_ASSIGN_OR_RETURN(FunctionBody body, Instantiate(function, attrs, ops,
                                                       library, max_tensors));
  FunctionGraph result{.graph = Graph(ops)};
  LEAT_RETURN_IF_ERROR(AddArguments(body, ops, result));
  const NodeId first = result.graph.num_ids();
  for (BodyNode& from : body.nodes) {
    if (result.graph.Find(from.def.name) != kNoNode) {
      return absl::InvalidArgumentError(
          absl::StrCat("function '", body.name, "': node '", from.def.name,
                       "' has the name of an argument or of another node"));
    }
    Node node;
    node.def = std::make_shared<const NodeDef>(std::move(from.def));
    result.graph.AddUnchecked(std::move(node));
  }
  const auto endpoint = [&](const BodyTensor& tensor) {
    return tensor.node == BodyTensor::kArguments
               ? Endpoint{result.arguments[tensor.index], 0}
               : Endpoint{first + tensor.node, tensor.index};
  };
  for (size_t i = 0; i < body.nodes.size(); ++i) {
    const NodeId id = first + static_cast<NodeId>(i);
    for (const BodyTensor& input : body.nodes[i].inputs) {
      result.graph.mutable_node(id).inputs.push_back(endpoint(input));
    }
    for (const int32_t control : body.nodes[i].controls) {
      result.graph.AddControl(first + control, id);
    }
    for (const int32_t argument : body.nodes[i].arg_controls) {
      result.graph.AddControl(result.arguments[argument], id);
    }
  }
  for (const BodyTensor& tensor : body.returns) {
    result.returns.push_back(endpoint(tensor));
  }
  return result;
}

absl::StatusOr<Function> WriteFunction(const FunctionGraph& body,
                                       const Function& original,
                                       std::string name) {
  const Graph& graph = body.graph;
  Function result;
  OpDef& signature = result.signature;
  signature.name = std::move(name);
  signature.is_stateful = original.signature.is_stateful;
  for (const NodeId id : body.arguments) {
    const Node& argument = graph.node(id);
    signature.inputs.push_back(
        {.name = argument.name(), .type = argument.output_type(0)});
  }
  const std::vector<ArgDef>& outputs = original.signature.outputs;
  for (size_t i = 0; i < body.returns.size(); ++i) {
    const Endpoint tensor = body.returns[i];
    // If a result is a list, its single tensors have no names in the original
    // signature. In this case, all results get numbered names.
    std::string output = outputs.size() == body.returns.size()
                             ? outputs[i].name
                             : absl::StrCat("output_", i);
    signature.outputs.push_back(
        {.name = output,
         .type = BaseOf(graph.node(tensor.node).output_type(tensor.index))});
    LEAT_ASSIGN_OR_RETURN(std::string text, TensorText(body, tensor));
    result.returns.emplace_back(std::move(output), std::move(text));
  }
  for (const NodeId id : graph.NodeIds()) {
    if (IsArgument(body, id)) continue;
    LEAT_ASSIGN_OR_RETURN(FunctionNode node, WriteNode(body, graph.node(id)));
    result.nodes.push_back(std::move(node));
  }
  result.control_returns = original.control_returns;
  result.control_outputs = original.control_outputs;
  result.attrs = original.attrs;
  if (original.signature.inputs.size() == body.arguments.size()) {
    result.arg_attrs = original.arg_attrs;
  }
  return result;
}

}  // namespace leat
