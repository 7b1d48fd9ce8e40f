// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/function_export.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder_state.h"
#include "leat/graph/functions/function_graph.h"

namespace leat {
namespace {

// These are stateful ops that only read. A node with such an op is not needed
// if nothing uses its outputs.
constexpr absl::string_view kReads[] = {"ReadVariableOp", "ResourceGather",
                                        "VarHandleOp", "VariableShape"};

bool HasSideEffect(const Node& node) {
  return node.def->op->is_stateful && node.op() != "_Arg" &&
         std::count(std::begin(kReads), std::end(kReads), node.op()) == 0;
}

// Turns one body into a function.
class Exporter {
 public:
  Exporter(const BuilderAccess::State& state, absl::Span<const Output> returns)
      : graph_(state.graph), body_(*state.body), returns_(returns) {}

  absl::StatusOr<std::shared_ptr<const Function>> Run() {
    function_->signature.name = body_.function;
    MarkNeeded();
    AddArguments();
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!needed_[id] || IsArgument(id)) continue;
      LEAT_RETURN_IF_ERROR(AddNode(graph_.node(id)));
    }
    LEAT_RETURN_IF_ERROR(AddReturns());
    return std::shared_ptr<const Function>(std::move(function_));
  }

 private:
  // Marks the nodes that the results and the nodes with side effects depend on.
  void MarkNeeded() {
    needed_.assign(graph_.num_ids(), false);
    std::vector<NodeId> pending;
    for (const Output& output : returns_) {
      pending.push_back(output.operation().id());
    }
    for (const NodeId id : graph_.NodeIds()) {
      if (!HasSideEffect(graph_.node(id))) continue;
      effects_.push_back(id);
      pending.push_back(id);
    }
    while (!pending.empty()) {
      const NodeId id = pending.back();
      pending.pop_back();
      if (needed_[id]) continue;
      needed_[id] = true;
      const Node& node = graph_.node(id);
      for (const Endpoint input : node.inputs) pending.push_back(input.node);
      pending.insert(pending.end(), node.controls.begin(), node.controls.end());
    }
  }

  void AddArguments() {
    for (size_t i = 0; i < body_.arguments.size(); ++i) {
      const Output& inner = body_.arguments[i].inner;
      function_->signature.inputs.push_back(
          {.name = inner.operation().name(), .type = inner.dtype()});
      const PartialShape shape = inner.shape();
      if (!shape.rank_known()) continue;
      function_->arg_attrs[static_cast<int>(i)].Set(
          "_output_shapes", std::vector<PartialShape>{shape});
    }
  }

  bool IsArgument(NodeId id) const { return body_.FindArgument(id) >= 0; }

  // Returns the name of a tensor inside the function: "argument" or
  // "node:output:0".
  absl::StatusOr<std::string> Name(Endpoint endpoint) const {
    const Node& node = graph_.node(endpoint.node);
    if (IsArgument(endpoint.node)) return node.name();
    return OutputText(node, endpoint.index);
  }

  absl::Status AddNode(const Node& node) {
    FunctionNode result = {.name = node.name(),
                           .op = node.op(),
                           .device = node.def->device,
                           .attrs = node.attrs()};
    for (const Endpoint input : node.inputs) {
      LEAT_ASSIGN_OR_RETURN(std::string name, Name(input));
      result.inputs.push_back(std::move(name));
    }
    for (const NodeId control : node.controls) {
      result.inputs.push_back(absl::StrCat("^", graph_.node(control).name()));
    }
    function_->nodes.push_back(std::move(result));
    return absl::OkStatus();
  }

  absl::Status AddReturns() {
    for (size_t i = 0; i < returns_.size(); ++i) {
      const std::string name = i == 0 ? "output" : absl::StrCat("output_", i);
      function_->signature.outputs.push_back(
          {.name = name, .type = returns_[i].dtype()});
      LEAT_ASSIGN_OR_RETURN(std::string tensor, Name(returns_[i].endpoint()));
      function_->returns.emplace_back(name, std::move(tensor));
    }
    function_->signature.is_stateful = !effects_.empty();
    for (const NodeId id : effects_) {
      const std::string& name = graph_.node(id).name();
      function_->control_outputs.push_back(name);
      function_->control_returns.emplace_back(name, name);
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  const Body& body_;
  const absl::Span<const Output> returns_;
  std::shared_ptr<Function> function_ = std::make_shared<Function>();
  std::vector<bool> needed_;
  std::vector<NodeId> effects_;
};

}  // namespace

absl::Status ExportFunctions(const GraphBuilder& builder,
                             FunctionLibrary& functions) {
  std::vector<const GraphBuilder*> pending = {&builder};
  const auto add = [&](const GraphBuilder& body,
                       bool is_loop_body) -> absl::Status {
    const BuilderAccess::State& state = BuilderAccess::Of(body);
    std::vector<Output> returns = state.body->returns;
    if (is_loop_body) {
      for (const BodyArgument& argument : state.body->arguments) {
        returns.push_back(argument.next);
      }
    }
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<const Function> function,
                          Exporter(state, returns).Run());
    pending.push_back(&body);
    return functions.Add(std::move(function));
  };
  while (!pending.empty()) {
    const BuilderAccess::State& caller = BuilderAccess::Of(*pending.back());
    pending.pop_back();
    for (const GraphBuilder* body : caller.functions) {
      LEAT_RETURN_IF_ERROR(add(*body, /*is_loop_body=*/false));
    }
    for (const auto& [id, node] : caller.control_flow) {
      for (size_t i = 0; i < node.bodies.size(); ++i) {
        LEAT_RETURN_IF_ERROR(add(*node.bodies[i], node.is_loop && i == 1));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
