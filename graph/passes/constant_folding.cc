// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The pass "constant_folding" replaces nodes by constants if they have the same
// value in every step. These are nodes whose inputs are all constants, and
// Shape, Size and Rank of tensors whose shapes are known. The new constant gets
// the control edges of all nodes from which it was computed. So it is in the
// same frame as the old node, and it is dead exactly when the old node was. If
// a step uses only the shape of a tensor, the tensor is not computed any more,
// and an error in computing it does not happen either. The declared shape of a
// variable is trusted, as in TensorFlow.
#include <optional>
#include <utility>
#include <vector>

#include "leat/graph/op_registry.h"
#include "leat/graph/optimizer/pass_context.h"

namespace leat::passes::constant_folding {
namespace {

class Folder {
 public:
  explicit Folder(PassContext& context)
      : context_(context), graph_(context.graph()) {
    for (const char* op : {"Shape", "Size", "Rank"}) {
      shape_ops_.push_back(graph_.ops().Find(op));
    }
  }

  bool Run() {
    bool changed = false;
    for (const NodeId id : context_.order()) {
      if (!graph_.Contains(id) || !context_.IsPure(id)) continue;
      const Node& node = graph_.node(id);
      if (node.num_inputs() == 0 || node.num_outputs() != 1 ||
          !IsPlainBytes(node.output_type(0))) {
        continue;
      }
      changed = FoldShape(id) || FoldConstants(id) || changed;
    }
    return changed;
  }

 private:
  // Replaces the node by its value if all its inputs are constants.
  bool FoldConstants(NodeId id) {
    if (!context_.MayEvaluate(id)) return false;
    const Node& node = graph_.node(id);
    std::vector<Tensor> inputs;
    std::vector<NodeId> sources;
    for (const Endpoint& input : node.inputs) {
      const Tensor* value = context_.Constant(input.node);
      if (value == nullptr) return false;
      inputs.push_back(*value);
      sources.push_back(input.node);
    }
    auto controls = context_.UnitedControls(id, sources);
    if (!controls.has_value()) return false;
    std::optional<Tensor> value = context_.Evaluate(id, inputs);
    return value.has_value() &&
           context_.ReplaceByConstant(id, *std::move(value),
                                      *std::move(controls));
  }

  // Replaces Shape, Size or Rank by the value that inference knows. The input
  // of the node is not needed any more. The node must be unconditional, so that
  // a client cannot tell whether the input was computed.
  bool FoldShape(NodeId id) {
    const Node& node = graph_.node(id);
    bool is_shape = false;
    for (const OpDef* op : shape_ops_) is_shape |= node.def->op == op;
    if (!is_shape || !context_.IsUnconditional(id)) return false;
    const InferredOutput* known = context_.Inferred({id, 0});
    if (known == nullptr || known->value == nullptr) return false;
    if (known->value->dtype() != node.output_type(0)) return false;
    return context_.ReplaceByConstant(id, *known->value, {});
  }

  PassContext& context_;
  const Graph& graph_;
  std::vector<const OpDef*> shape_ops_;
};

bool Run(PassContext& context) { return Folder(context).Run(); }

}  // namespace

void Register(PassRegistry& registry) {
  registry.Add(
      {.name = "constant_folding", .phase = Phase::kSimplify, .run = &Run});
}

}  // namespace leat::passes::constant_folding
