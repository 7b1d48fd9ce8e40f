// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The pass "identity_removal" removes Identity nodes and connects their
// consumers to their inputs. An Identity stays if it has a purpose. After a
// Switch, it is the node from which control edges of the branch come. Before a
// Merge or a NextIteration, it is the end of the branch or the iteration. After
// a reference, it decides when the variable is read. On another device than its
// input, it is a copy.
#include <algorithm>
#include <vector>

#include "leat/graph/analysis/control_flow_ops.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/pass_context.h"

namespace leat::passes::identity_removal {
namespace {

class Remover {
 public:
  explicit Remover(PassContext& context)
      : context_(context),
        graph_(context.graph()),
        is_waited_for_(graph_.num_ids()),
        ends_branch_(graph_.num_ids()),
        is_removed_(graph_.num_ids()) {
    for (const char* op : {"Identity", "StopGradient", "PreventGradient"}) {
      identities_.push_back(graph_.ops().Find(op));
    }
    identity_n_ = graph_.ops().Find("IdentityN");
  }

  bool Run() {
    LookAtConsumers();
    for (const NodeId id : context_.order()) {
      if (!graph_.Contains(id)) continue;
      Rewire(id);
      is_removed_[id] = IsRemovable(id);
    }
    bool changed = false;
    for (const NodeId id : context_.order()) {
      if (!is_removed_[id]) continue;
      context_.Remove(id);
      changed = true;
    }
    return changed;
  }

 private:
  // Finds the nodes at which control edges begin, and the nodes before a Merge
  // or NextIteration.
  void LookAtConsumers() {
    for (const NodeId id : context_.order()) {
      if (!graph_.Contains(id)) continue;
      const Node& node = graph_.node(id);
      for (const NodeId control : node.controls) is_waited_for_[control] = true;
      if (!context_.IsControlFlow(id)) continue;
      if (!IsMerge(node) && !IsNextIteration(node)) continue;
      for (const Endpoint& input : node.inputs) ends_branch_[input.node] = true;
    }
  }

  // If an input of the node comes from a removed node, replaces it by the input
  // of the removed node. The removed node itself was rewired before, because
  // the order is topological.
  void Rewire(NodeId id) {
    const Node& node = graph_.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Endpoint input = node.inputs[i];
      if (!is_removed_[input.node]) continue;
      context_.SetInput(id, i, graph_.node(input.node).inputs[input.index]);
    }
    const auto is_removed = [&](NodeId control) {
      return is_removed_[control];
    };
    if (std::none_of(node.controls.begin(), node.controls.end(), is_removed)) {
      return;
    }
    PassContext::Controls controls = node.controls;
    for (NodeId& control : controls) {
      if (is_removed_[control]) control = graph_.node(control).inputs[0].node;
    }
    context_.SetControls(id, std::move(controls));
  }

  // Returns true if the node is an Identity, IdentityN, StopGradient or
  // PreventGradient and may be removed.
  bool IsRemovable(NodeId id) {
    const Node& node = graph_.node(id);
    const OpDef* op = node.def->op;
    const bool is_identity = std::find(identities_.begin(), identities_.end(),
                                       op) != identities_.end();
    if (!is_identity && op != identity_n_) return false;
    if (!context_.IsPure(id) || context_.IsKept(id) || ends_branch_[id] ||
        !node.controls.empty() || context_.ReadsReference(id)) {
      return false;
    }
    for (const Endpoint& input : node.inputs) {
      if (!CanStandFor(input.node, id)) return false;
    }
    // All outputs of an IdentityN wait for all its inputs. So it is removed
    // only if a client cannot tell when it runs.
    return is_identity || (!is_waited_for_[id] && node.num_inputs() > 0 &&
                           context_.IsUnconditional(id));
  }

  // Returns true if the consumers of node `id` may take their inputs directly
  // from `producer`. `producer` is the producer of an input of `id`.
  bool CanStandFor(NodeId producer, NodeId id) const {
    const Node& from = graph_.node(producer);
    if (from.device != graph_.node(id).device) return false;
    if (!context_.IsControlFlow(producer)) return true;
    // A control edge from a Switch would not tell which output of the Switch is
    // dead, so the Identity after a Switch stays.
    return !is_waited_for_[id] && (IsMerge(from) || IsExit(from));
  }

  PassContext& context_;
  const Graph& graph_;
  std::vector<const OpDef*> identities_;
  const OpDef* identity_n_ = nullptr;
  // All three vectors are indexed by NodeId.
  std::vector<bool> is_waited_for_;  // a control edge begins at the node
  std::vector<bool> ends_branch_;    // a Merge or NextIteration uses the node
  std::vector<bool> is_removed_;
};

bool Run(PassContext& context) { return Remover(context).Run(); }

}  // namespace

void Register(PassRegistry& registry) {
  registry.Add(
      {.name = "identity_removal", .phase = Phase::kSimplify, .run = &Run});
}

}  // namespace leat::passes::identity_removal
