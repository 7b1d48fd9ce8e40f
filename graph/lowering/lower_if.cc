// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lowers If to a Switch for each input, the nodes of the two branches, and a
// Merge for each output. LowerBranches does this for any number of branches.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/lowering/lowering.h"

namespace leat {
namespace {

// Lowers an If or Case. Call Add for each branch, and Merge at the end.
class BranchLowering {
 public:
  BranchLowering(const Node& node, absl::Span<const Endpoint> inputs,
                 Lowering& lowering)
      : node_(node), inputs_(inputs), lowering_(lowering) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (i > 0) types_.push_back(node.def->input_types[i]);
    }
  }

  absl::Status Add(const Branch& branch) {
    LEAT_ASSIGN_OR_RETURN(const FunctionBody* body,
                          lowering_.Body(node_, branch.function, types_,
                                         node_.def->output_types));
    const std::string prefix = absl::StrCat(node_.name(), "/", branch.name);
    const int32_t side = branch.runs_if ? 1 : 0;
    LEAT_ASSIGN_OR_RETURN(const NodeId pivot_switch,
                          SwitchOf(branch.pred, branch.pred, "pred"));
    LEAT_ASSIGN_OR_RETURN(const NodeId pivot,
                          lowering_.AddIdentity(absl::StrCat(prefix, "/pivot"),
                                                Endpoint{pivot_switch, side}));
    std::vector<Endpoint> args;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(
          const NodeId chosen,
          SwitchOf(inputs_[i], branch.pred, absl::StrCat("input_", i)));
      args.push_back({chosen, side});
    }
    LEAT_ASSIGN_OR_RETURN(
        Inlined inlined,
        lowering_.Inline(*body, prefix, node_.def->device, args, {pivot}));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId executed,
        lowering_.AddIdentity(absl::StrCat(prefix, "/executed"),
                              Endpoint{pivot, 0}, inlined.control_outputs));
    executed_.push_back({executed, 0});
    results_.push_back(std::move(inlined.returns));
    return absl::OkStatus();
  }

  absl::StatusOr<Lowered> Merge() {
    Lowered lowered;
    std::vector<Endpoint> values(results_.size());
    for (int i = 0; i < node_.num_outputs(); ++i) {
      for (size_t k = 0; k < results_.size(); ++k) values[k] = results_[k][i];
      LEAT_ASSIGN_OR_RETURN(
          const NodeId merge,
          lowering_.AddMerge(absl::StrCat(node_.name(), "/output_", i), values,
                             node_.def->device));
      lowered.outputs.push_back({merge, 0});
    }
    LEAT_ASSIGN_OR_RETURN(
        const NodeId executed,
        lowering_.AddMerge(absl::StrCat(node_.name(), "/branch_executed"),
                           executed_, node_.def->device));
    lowered.executed = {executed};
    return lowered;
  }

 private:
  // Returns the Switch of `data` by `pred`. Branches with the same predicate
  // share their Switches.
  absl::StatusOr<NodeId> SwitchOf(Endpoint data, Endpoint pred,
                                  const std::string& what) {
    const auto [it, inserted] =
        switches_.try_emplace(std::make_pair(what, pred), kNoNode);
    if (inserted) {
      LEAT_ASSIGN_OR_RETURN(
          it->second,
          lowering_.AddSwitch(absl::StrCat(node_.name(), "/switch_", what),
                              data, pred));
    }
    return it->second;
  }

  const Node& node_;
  const absl::Span<const Endpoint> inputs_;
  Lowering& lowering_;
  std::vector<DType> types_;
  absl::flat_hash_map<std::pair<std::string, Endpoint>, NodeId> switches_;
  std::vector<Endpoint> executed_;
  std::vector<std::vector<Endpoint>> results_;  // by branch
};

}  // namespace

absl::StatusOr<Lowered> LowerBranches(const Node& node,
                                      absl::Span<const Endpoint> inputs,
                                      absl::Span<const Branch> branches,
                                      Lowering& lowering) {
  BranchLowering lowered(node, inputs, lowering);
  for (const Branch& branch : branches) {
    LEAT_RETURN_IF_ERROR(lowered.Add(branch));
  }
  return lowered.Merge();
}

absl::StatusOr<Lowered> LowerIf(const Node& node, Lowering& lowering) {
  LEAT_ASSIGN_OR_RETURN(FunctionRef then_branch,
                        node.attrs().Get<FunctionRef>("then_branch"));
  LEAT_ASSIGN_OR_RETURN(FunctionRef else_branch,
                        node.attrs().Get<FunctionRef>("else_branch"));
  // The predicate gets the control inputs of the If. This is enough, because
  // all other added nodes depend on the predicate.
  const DType type = lowering.TypeOf(node.inputs[0]);
  const std::string name = absl::StrCat(node.name(), "/pred");
  NodeId pred = kNoNode;
  if (type == DType::kBool) {
    LEAT_ASSIGN_OR_RETURN(
        pred, lowering.AddIdentity(name, node.inputs[0], node.controls));
  } else {
    LEAT_ASSIGN_OR_RETURN(
        pred, lowering.Add("ToBool", name, {{"T", type}}, {node.inputs[0]},
                           node.controls, node.def->device));
  }
  const Endpoint chosen = {pred, 0};
  const std::vector<Branch> branches = {
      Branch{std::move(else_branch), "else", chosen, false},
      Branch{std::move(then_branch), "then", chosen, true}};
  return LowerBranches(node, absl::MakeConstSpan(node.inputs).subspan(1),
                       branches, lowering);
}

}  // namespace leat
