// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lowers While. Each variable that the body changes becomes the chain Enter ->
// Merge -> Switch -> body -> NextIteration. Each other variable becomes an
// Enter with `is_constant`.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/lowering/lowering.h"

namespace leat {
namespace {

// Returns true if the body returns argument `i` unchanged as result `i`.
bool IsInvariant(const FunctionBody& body, int32_t i) {
  BodyTensor tensor = body.returns[i];
  // A loop in the body is a cycle. The bound on the steps ends the search in
  // such a cycle.
  for (size_t steps = 0; steps <= body.nodes.size(); ++steps) {
    if (tensor.node == BodyTensor::kArguments) return tensor.index == i;
    const BodyNode& node = body.nodes[tensor.node];
    if (node.def.op->name != "Identity" || !node.controls.empty() ||
        !node.arg_controls.empty()) {
      return false;
    }
    tensor = node.inputs[0];
  }
  return false;
}

// Lowers one While.
class WhileLowering {
 public:
  WhileLowering(const Node& node, Lowering& lowering)
      : node_(node), lowering_(lowering), graph_(lowering.graph()) {}

  absl::StatusOr<Lowered> Run() {
    LEAT_RETURN_IF_ERROR(FindFunctions());
    LEAT_ASSIGN_OR_RETURN(gate_, lowering_.AddGate(node_));
    LEAT_RETURN_IF_ERROR(AddVariables());
    LEAT_RETURN_IF_ERROR(AddEnters());
    LEAT_RETURN_IF_ERROR(AddCondition());
    LEAT_RETURN_IF_ERROR(AddBody());
    return AddExits();
  }

 private:
  struct Variable {
    Endpoint initial = {};
    bool is_invariant = false;
    NodeId enter = kNoNode;
    NodeId merge = kNoNode;   // kNoNode for an invariant
    NodeId chosen = kNoNode;  // the Switch; kNoNode for an invariant
  };

  std::string Name(absl::string_view part) const {
    return absl::StrCat(node_.name(), "/", part);
  }
  std::string Name(absl::string_view part, size_t i) const {
    return absl::StrCat(node_.name(), "/", part, "_", i);
  }

  absl::Status FindFunctions() {
    const std::vector<DType>& types = node_.def->input_types;
    LEAT_ASSIGN_OR_RETURN(const FunctionRef cond,
                          node_.attrs().Get<FunctionRef>("cond"));
    LEAT_ASSIGN_OR_RETURN(const FunctionRef body,
                          node_.attrs().Get<FunctionRef>("body"));
    LEAT_ASSIGN_OR_RETURN(cond_,
                          lowering_.Body(node_, cond, types, {DType::kBool}));
    LEAT_ASSIGN_OR_RETURN(body_, lowering_.Body(node_, body, types, types));
    LEAT_ASSIGN_OR_RETURN(parallel_iterations_, node_.attrs().GetOr<int64_t>(
                                                    "parallel_iterations", 10));
    frame_ = lowering_.UniqueFrame(node_.name());
    return absl::OkStatus();
  }

  // Collects the variables. A loop needs a variable that is not an invariant.
  // If all variables are invariants, the first one is treated as if the body
  // changed it. If there are no variables, AddVariables adds one.
  absl::Status AddVariables() {
    bool any = false;
    for (int i = 0; i < node_.num_inputs(); ++i) {
      Variable variable;
      variable.initial = node_.inputs[i];
      variable.is_invariant = IsInvariant(*body_, i);
      any |= !variable.is_invariant;
      variables_.push_back(variable);
    }
    if (any) return absl::OkStatus();
    if (!variables_.empty()) {
      variables_[0].is_invariant = false;
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(const NodeId constant,
                          lowering_.Add("Const", Name("iterates"),
                                        {{"dtype", DType::kBool},
                                         {"value", Tensor::Scalar<bool>(true)}},
                                        {}, gate_, node_.def->device));
    Variable variable;
    variable.initial = {constant, 0};
    variables_.push_back(variable);
    return absl::OkStatus();
  }

  absl::Status AddEnters() {
    for (size_t i = 0; i < variables_.size(); ++i) {
      Variable& variable = variables_[i];
      LEAT_ASSIGN_OR_RETURN(
          variable.enter,
          lowering_.Add("Enter", Name("enter", i),
                        {{"T", lowering_.TypeOf(variable.initial)},
                         {"frame_name", frame_},
                         {"is_constant", variable.is_invariant},
                         {"parallel_iterations", parallel_iterations_}},
                        {variable.initial}, gate_,
                        std::string(lowering_.DeviceOf(variable.initial))));
      if (variable.is_invariant) continue;
      // The second input of the Merge is only a stand-in. AddNextIterations
      // replaces it by the NextIteration.
      const Endpoint enter = {variable.enter, 0};
      LEAT_ASSIGN_OR_RETURN(variable.merge,
                            lowering_.AddMerge(Name("merge", i), {enter, enter},
                                               node_.def->device));
      if (first_ == nullptr) first_ = &variable;
    }
    return absl::OkStatus();
  }

  // Returns the number of arguments of the functions. The variable that
  // AddVariables may have added is not among them.
  size_t num_args() const { return static_cast<size_t>(node_.num_inputs()); }

  absl::Status AddCondition() {
    std::vector<Endpoint> args;
    const bool reads_state = std::any_of(
        cond_->nodes.begin(), cond_->nodes.end(),
        [](const BodyNode& node) { return node.def.op->is_stateful; });
    for (size_t i = 0; i < num_args(); ++i) {
      const Variable& variable = variables_[i];
      args.push_back(
          {variable.is_invariant ? variable.enter : variable.merge, 0});
      if (!variable.is_invariant || !reads_state) continue;
      // In a loop over several devices, an invariant may reach the next
      // iteration before the current one has changed the state that the
      // condition reads. The control edge prevents this.
      LEAT_ASSIGN_OR_RETURN(
          args.back().node,
          lowering_.AddIdentity(Name("cond_invariant", i), args.back(),
                                {first_->merge}));
    }
    LEAT_ASSIGN_OR_RETURN(
        const Inlined cond,
        lowering_.Inline(*cond_, Name("cond"), node_.def->device, args,
                         {first_->merge}));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId loop_cond,
        lowering_.Add("LoopCond", Name("loop_cond"), {}, {cond.returns[0]},
                      cond.control_outputs, node_.def->device));
    for (size_t i = 0; i < variables_.size(); ++i) {
      Variable& variable = variables_[i];
      if (variable.is_invariant) continue;
      LEAT_ASSIGN_OR_RETURN(
          variable.chosen,
          lowering_.Add("Switch", Name("switch", i),
                        {{"T", lowering_.TypeOf({variable.merge, 0})}},
                        {Endpoint{variable.merge, 0}, Endpoint{loop_cond, 0}},
                        {}, node_.def->device));
    }
    return absl::OkStatus();
  }

  absl::Status AddBody() {
    LEAT_ASSIGN_OR_RETURN(
        const NodeId pivot,
        lowering_.AddIdentity(Name("body_pivot"), Endpoint{first_->chosen, 1}));
    std::vector<Endpoint> args;
    for (size_t i = 0; i < num_args(); ++i) {
      const Variable& variable = variables_[i];
      if (!variable.is_invariant) {
        args.push_back({variable.chosen, 1});
        continue;
      }
      // In the last iteration, the body is dead but an invariant is alive. The
      // control edge makes the argument of the body dead too.
      LEAT_ASSIGN_OR_RETURN(
          const NodeId arg,
          lowering_.AddIdentity(Name("invariant", i),
                                Endpoint{variable.enter, 0}, {pivot}));
      args.push_back({arg, 0});
    }
    LEAT_ASSIGN_OR_RETURN(const Inlined body,
                          lowering_.Inline(*body_, Name("body"),
                                           node_.def->device, args, {pivot}));
    return AddNextIterations(body, pivot);
  }

  // Adds the NextIterations. They wait for the side effects of the body, so
  // that these happen in the order of the iterations.
  absl::Status AddNextIterations(const Inlined& body, NodeId pivot) {
    std::vector<NodeId> done = body.control_outputs;
    if (done.size() > 1) {
      LEAT_ASSIGN_OR_RETURN(const NodeId all,
                            lowering_.Add("NoOp", Name("body_executed"), {}, {},
                                          done, node_.def->device));
      done = {all};
    }
    for (size_t i = 0; i < variables_.size(); ++i) {
      const Variable& variable = variables_[i];
      if (variable.is_invariant) continue;
      const Endpoint value =
          i < num_args() ? body.returns[i] : Endpoint{pivot, 0};
      LEAT_ASSIGN_OR_RETURN(
          const NodeId next,
          lowering_.Add("NextIteration", Name("next_iteration", i),
                        {{"T", lowering_.TypeOf(value)}}, {value}, done,
                        node_.def->device));
      graph_.mutable_node(variable.merge).inputs[1] = {next, 0};
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Lowered> AddExits() {
    Lowered lowered;
    lowered.outputs.resize(num_args());
    for (size_t i = 0; i < variables_.size(); ++i) {
      const Variable& variable = variables_[i];
      if (variable.is_invariant) continue;
      LEAT_ASSIGN_OR_RETURN(
          const NodeId exit,
          lowering_.Add("Exit", Name("exit", i),
                        {{"T", lowering_.TypeOf({variable.chosen, 0})}},
                        {Endpoint{variable.chosen, 0}}, {}, node_.def->device));
      lowered.executed.push_back(exit);
      if (i < num_args()) lowered.outputs[i] = {exit, 0};
    }
    for (size_t i = 0; i < num_args(); ++i) {
      if (!variables_[i].is_invariant) continue;
      LEAT_ASSIGN_OR_RETURN(
          const NodeId output,
          lowering_.AddIdentity(Name("output", i), variables_[i].initial,
                                {lowered.executed[0]}));
      lowered.outputs[i] = {output, 0};
    }
    return lowered;
  }

  const Node& node_;
  Lowering& lowering_;
  Graph& graph_;
  const FunctionBody* cond_ = nullptr;
  const FunctionBody* body_ = nullptr;
  int64_t parallel_iterations_ = 10;
  std::string frame_;
  std::vector<NodeId> gate_;  // the nodes that the loop waits for
  std::vector<Variable> variables_;
  const Variable* first_ = nullptr;  // the first that is not an invariant
};

}  // namespace

absl::StatusOr<Lowered> LowerWhile(const Node& node, Lowering& lowering) {
  return WhileLowering(node, lowering).Run();
}

}  // namespace leat
