// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/lowering/lower.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/lowering/lowering.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

// Lists the kinds of nodes that call functions. kCall is a PartitionedCall, and
// kFunction is a node whose op is the name of a function.
enum class Kind : uint8_t {
  kOther,
  kIf,
  kCase,
  kWhile,
  kCall,
  kGradient,
  kRemoteCall,
  kFunction,
};

// Lowers all nodes of a graph, in rounds.
class LowerAll {
 public:
  LowerAll(Graph& graph, const LowerLimits& limits)
      : graph_(graph), limits_(limits), lowering_(graph, limits) {
    AddOps({"If", "StatelessIf"}, Kind::kIf);
    AddOps({"Case", "StatelessCase"}, Kind::kCase);
    AddOps({"While", "StatelessWhile"}, Kind::kWhile);
    AddOps({"PartitionedCall", "StatefulPartitionedCall"}, Kind::kCall);
    AddOps({"SymbolicGradient"}, Kind::kGradient);
    AddOps({"RemoteCall"}, Kind::kRemoteCall);
    for (const auto& entry : graph.functions().functions()) {
      kinds_.emplace(&entry.second->signature, Kind::kFunction);
    }
  }

  // The first round lowers the nodes of the graph. Each further round lowers
  // the nodes that the round before has added.
  absl::Status Run() {
    NodeId begin = 0;
    for (int round = 0;; ++round) {
      const NodeId end = graph_.num_ids();
      std::vector<NodeId> callers;
      for (NodeId id = begin; id < end; ++id) {
        if (graph_.Contains(id) && KindOf(id) != Kind::kOther) {
          callers.push_back(id);
        }
      }
      if (callers.empty()) {
        return round == 0 ? absl::OkStatus() : ValidateControlFlow(graph_);
      }
      if (round > limits_.max_nesting) {
        return LoweringError(
            graph_.node(callers[0]),
            absl::StrCat("function calls nest deeper than ",
                         limits_.max_nesting, ", the limit (max_nesting)"));
      }
      replaced_.clear();
      // All gradients are made first, because each one changes the library, in
      // which lowering then looks for recursive functions.
      for (const NodeId id : callers) {
        if (KindOf(id) != Kind::kGradient) continue;
        LEAT_RETURN_IF_ERROR(MakeGradient(id));
      }
      for (const NodeId id : callers) LEAT_RETURN_IF_ERROR(LowerNode(id));
      Rewire();
      begin = end;
    }
  }

 private:
  // Describes what replaces a lowered node.
  struct Replacement {
    std::vector<Endpoint> outputs = {};
    // Control edges from the lowered node come from this node instead. If this
    // is kNoNode, they still come from the lowered node.
    NodeId executed = kNoNode;
  };

  void AddOps(std::initializer_list<absl::string_view> names, Kind kind) {
    for (const absl::string_view name : names) {
      const OpDef* op = graph_.ops().Find(name);
      if (op != nullptr) kinds_.emplace(op, kind);
    }
  }

  Kind KindOf(NodeId id) const {
    const Node& node = graph_.node(id);
    const auto it = kinds_.find(node.def->op);
    if (it == kinds_.end()) return Kind::kOther;
    const bool runs_later =
        (it->second == Kind::kCall && node.attrs().Has(kCallAtRunTime)) ||
        (it->second == Kind::kRemoteCall && !HasConstantTarget(node, graph_));
    return runs_later ? Kind::kOther : it->second;
  }

  absl::StatusOr<Lowered> Lower(const Node& node, Kind kind) {
    switch (kind) {
      case Kind::kIf:
        return LowerIf(node, lowering_);
      case Kind::kCase:
        return LowerCase(node, lowering_);
      case Kind::kWhile:
        return LowerWhile(node, lowering_);
      case Kind::kCall: {
        LEAT_ASSIGN_OR_RETURN(const FunctionRef function,
                              node.attrs().Get<FunctionRef>("f"));
        return LowerCall(node, function, lowering_);
      }
      case Kind::kGradient:
        return LowerGradient(node, lowering_);
      case Kind::kRemoteCall:
        return LowerRemoteCall(node, lowering_);
      case Kind::kFunction:
      case Kind::kOther:
        break;
    }
    FunctionRef function;
    function.name = node.op();
    if (!node.attrs().empty()) {
      function.attrs = std::make_shared<const AttrMap>(node.attrs());
    }
    return LowerCall(node, function, lowering_);
  }

  absl::Status MakeGradient(NodeId id) {
    const Node& node = graph_.node(id);
    LEAT_ASSIGN_OR_RETURN(const FunctionRef function,
                          node.attrs().Get<FunctionRef>("f"));
    return lowering_.Gradient(node, function).status();
  }

  absl::Status LowerNode(NodeId id) {
    const Node node = graph_.node(id);
    LEAT_ASSIGN_OR_RETURN(Lowered lowered, Lower(node, KindOf(id)));
    Replacement replacement;
    if (lowered.executed.size() == 1) {
      replacement.executed = lowered.executed[0];
    } else if (!lowered.executed.empty()) {
      LEAT_ASSIGN_OR_RETURN(
          replacement.executed,
          lowering_.Add("NoOp", absl::StrCat(node.name(), "/executed"), {}, {},
                        lowered.executed, node.def->device));
    }
    LEAT_RETURN_IF_ERROR(
        KeepName(id, node, lowered.outputs, replacement.executed));
    replacement.outputs = std::move(lowered.outputs);
    replaced_.emplace(id, std::move(replacement));
    return absl::OkStatus();
  }

  // Makes the node an IdentityN of `outputs`, or a NoOp if `outputs` is empty.
  absl::Status KeepName(NodeId id, const Node& node,
                        const std::vector<Endpoint>& outputs, NodeId executed) {
    auto def = std::make_shared<NodeDef>();
    def->name = node.name();
    def->device = node.def->device;
    LEAT_ASSIGN_OR_RETURN(
        def->op, graph_.ops().Lookup(outputs.empty() ? "NoOp" : "IdentityN"));
    if (!outputs.empty()) {
      for (const DType type : node.def->output_types) {
        def->output_types.push_back(BaseOf(type));
      }
      def->input_types = def->output_types;
      def->attrs.Set("T", def->output_types);
    }
    graph_.Replace(id, std::move(def));
    Node& kept = graph_.mutable_node(id);
    kept.inputs.assign(outputs.begin(), outputs.end());
    kept.controls.clear();
    if (executed != kNoNode) kept.controls.push_back(executed);
    return absl::OkStatus();
  }

  // Returns the output that replaces `endpoint`. The replacement may itself be
  // an output of another node that was lowered in this round. So Resolve may
  // follow several replacements. It follows a bounded number, because
  // replacements could refer to each other in a cycle.
  Endpoint Resolve(Endpoint endpoint) const {
    for (size_t steps = 0; steps <= replaced_.size(); ++steps) {
      const auto it = replaced_.find(endpoint.node);
      if (it == replaced_.end()) break;
      endpoint = it->second.outputs[endpoint.index];
    }
    return endpoint;
  }

  NodeId ResolveControl(NodeId id) const {
    const auto it = replaced_.find(id);
    if (it == replaced_.end() || it->second.executed == kNoNode) return id;
    return it->second.executed;
  }

  // Makes the consumers of the nodes that were lowered in this round use the
  // replacements of these nodes.
  void Rewire() {
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id)) continue;
      Node& node = graph_.mutable_node(id);
      for (Endpoint& input : node.inputs) input = Resolve(input);
      bool changed = false;
      for (const NodeId control : node.controls) {
        changed |= ResolveControl(control) != control;
      }
      if (!changed) continue;
      const std::vector<NodeId> controls(node.controls.begin(),
                                         node.controls.end());
      node.controls.clear();
      for (const NodeId control : controls) {
        graph_.AddControl(ResolveControl(control), id);
      }
    }
  }

  Graph& graph_;
  const LowerLimits limits_;
  Lowering lowering_;
  absl::flat_hash_map<const OpDef*, Kind> kinds_;
  absl::flat_hash_map<NodeId, Replacement> replaced_;
};

}  // namespace

absl::Status LowerFunctions(Graph& graph, const LowerLimits& limits) {
  return LowerAll(graph, limits).Run();
}

}  // namespace leat
