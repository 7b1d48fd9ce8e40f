// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/function_gradient.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/autodiff/differentiate.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/builder_state.h"
#include "leat/graph/functions/function_graph.h"

namespace leat {
namespace {

// Builds the gradient of one function in a GraphBuilder.
class GradientOfFunction {
 public:
  GradientOfFunction(const Function& function, const OpRegistry& ops,
                     const FunctionLibrary& library)
      : function_(function), ops_(ops), library_(library), builder_(ops) {}

  absl::StatusOr<Function> Run(const FunctionGraph& forward,
                               const std::string& name) {
    LEAT_RETURN_IF_ERROR(AddArguments(forward));
    LEAT_RETURN_IF_ERROR(CopyBody(forward));
    LEAT_RETURN_IF_ERROR(AddGradients(forward));
    RemoveUnneeded();
    Function signature;
    signature.signature.is_stateful = function_.signature.is_stateful;
    return WriteFunction(
        {.graph = graph(), .arguments = arguments_, .returns = returns_},
        signature, name);
  }

 private:
  BuilderAccess::State& state() { return BuilderAccess::Of(builder_); }
  Graph& graph() { return state().graph; }
  Output OutputOf(Endpoint endpoint) {
    return Operation(&builder_, endpoint.node).output(endpoint.index);
  }
  Endpoint Copied(Endpoint endpoint) const {
    return {copies_[endpoint.node], endpoint.index};
  }

  absl::StatusOr<NodeId> AddNode(NodeDef def,
                                 absl::Span<const Endpoint> inputs) {
    def.name = state().UniqueFromRoot(def.name);
    return state().AddNode(std::move(def), inputs, /*with_controls=*/false);
  }

  // Adds an _Arg for each argument and for the gradient of each result.
  absl::Status AddArguments(const FunctionGraph& forward) {
    copies_.assign(forward.graph.num_ids(), kNoNode);
    for (const NodeId id : forward.arguments) {
      const Node& node = forward.graph.node(id);
      LEAT_ASSIGN_OR_RETURN(copies_[id],
                            AddArgument(node.name(), node.output_type(0)));
    }
    for (size_t i = 0; i < forward.returns.size(); ++i) {
      const Endpoint result = forward.returns[i];
      const DType dtype =
          forward.graph.node(result.node).output_type(result.index);
      LEAT_RETURN_IF_ERROR(
          AddArgument(absl::StrCat("grad_", i), BaseOf(dtype)).status());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<NodeId> AddArgument(const std::string& name, DType dtype) {
    NodeDef def{.name = name};
    LEAT_ASSIGN_OR_RETURN(def.op, ops_.Lookup("_Arg"));
    def.attrs.Set("T", dtype);
    def.attrs.Set("index", static_cast<int64_t>(arguments_.size()));
    LEAT_ASSIGN_OR_RETURN(const NodeId id, AddNode(std::move(def), {}));
    arguments_.push_back(id);
    return id;
  }

  absl::Status CopyBody(const FunctionGraph& forward) {
    LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> order,
                          TopologicalOrder(forward.graph));
    for (const NodeId id : order) {
      if (copies_[id] == kNoNode) {
        LEAT_RETURN_IF_ERROR(CopyNode(forward.graph.node(id), copies_[id]));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CopyNode(const Node& node, NodeId& copy) {
    std::vector<Endpoint> inputs;
    for (const Endpoint input : node.inputs) {
      if (copies_[input.node] == kNoNode) {
        return absl::InvalidArgumentError(
            absl::StrCat("the gradient of function '", function_.signature.name,
                         "' cannot be made, because node '", node.name(), "' (",
                         node.op(), ") closes a loop"));
      }
      inputs.push_back(Copied(input));
    }
    LEAT_ASSIGN_OR_RETURN(NodeDef def, WithCallByAttr(*node.def));
    LEAT_ASSIGN_OR_RETURN(copy, AddNode(std::move(def), inputs));
    for (const NodeId control : node.controls) {
      graph().AddControl(copies_[control], copy);
    }
    return absl::OkStatus();
  }

  // If the op of `node` is a function, returns a PartitionedCall of the
  // function, because only ops have gradients. Otherwise returns `node`.
  absl::StatusOr<NodeDef> WithCallByAttr(const NodeDef& node) const {
    const Function* const called = library_.Find(node.op->name);
    if (called == nullptr) return node;
    NodeDef def{.name = node.name, .device = node.device};
    LEAT_ASSIGN_OR_RETURN(def.op, ops_.Lookup(called->signature.is_stateful
                                                  ? "StatefulPartitionedCall"
                                                  : "PartitionedCall"));
    FunctionRef function{.name = node.op->name};
    if (!node.attrs.empty()) {
      function.attrs = std::make_shared<const AttrMap>(node.attrs);
    }
    def.attrs.Set("Tin", node.input_types);
    def.attrs.Set("Tout", node.output_types);
    def.attrs.Set("f", std::move(function));
    return def;
  }

  // Adds the gradients, and makes them the results.
  absl::Status AddGradients(const FunctionGraph& forward) {
    std::vector<Output> ys, grad_ys, xs;
    const size_t num_args = forward.arguments.size();
    for (size_t i = 0; i < forward.returns.size(); ++i) {
      const Output y = OutputOf(Copied(forward.returns[i]));
      if (!CarriesGradient(y.dtype())) continue;
      ys.push_back(y);
      grad_ys.push_back(OutputOf({arguments_[num_args + i], 0}));
    }
    for (size_t i = 0; i < num_args; ++i) {
      const Output x = OutputOf({arguments_[i], 0});
      if (CarriesGradient(x.dtype())) xs.push_back(x);
    }
    const std::vector<Gradient> gradients =
        Differentiate(builder_, ys, grad_ys, xs, SourceLocation::Current());
    size_t next = 0;
    for (size_t i = 0; i < num_args; ++i) {
      const Output x = OutputOf({arguments_[i], 0});
      Output result =
          CarriesGradient(x.dtype()) ? gradients[next++].AsDense() : Output();
      if (!result.IsValid()) {
        result = AddOp({.op = "ZerosLike", .inputs = {x}}).output(0);
      }
      returns_.push_back(result.endpoint());
    }
    return builder_.status();
  }

  void RemoveUnneeded() {
    std::vector<NodeId> roots = arguments_;
    for (const Endpoint result : returns_) roots.push_back(result.node);
    const std::vector<bool> needed = NeededBy(graph(), roots);
    for (NodeId id = graph().num_ids() - 1; id >= 0; --id) {
      if (graph().Contains(id) && !needed[id]) graph().Remove(id);
    }
  }

  const Function& function_;
  const OpRegistry& ops_;
  const FunctionLibrary& library_;
  GraphBuilder builder_;
  std::vector<NodeId> copies_;  // by the id of a node of the function
  std::vector<NodeId> arguments_;
  std::vector<Endpoint> returns_;
};

}  // namespace

absl::StatusOr<Function> FunctionGradient(const Function& function,
                                          const AttrMap& attrs,
                                          const OpRegistry& ops,
                                          const FunctionLibrary& library,
                                          int64_t max_tensors,
                                          const std::string& name) {
  LEAT_ASSIGN_OR_RETURN(
      const FunctionGraph forward,
      ReadFunction(function, attrs, ops, library, max_tensors));
  return GradientOfFunction(function, ops, library).Run(forward, name);
}

}  // namespace leat
