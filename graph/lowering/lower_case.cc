// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lowers Case: each branch gets a predicate, and exactly one of the predicates
// is true. The last branch also runs for every index out of range.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/lowering/lowering.h"

namespace leat {
namespace {

// Adds the predicates of the branches.
class CasePredicates {
 public:
  CasePredicates(const Node& node, NodeId index, Lowering& lowering)
      : node_(node), index_(index), lowering_(lowering) {}

  // Adds the predicate `index == value`.
  absl::StatusOr<Endpoint> Is(int32_t value) {
    return Compare("Equal", absl::StrCat("is_", value), value);
  }

  // Adds the predicate `index < 0 || index >= value`.
  absl::StatusOr<Endpoint> IsOutside(int32_t value) {
    LEAT_ASSIGN_OR_RETURN(const Endpoint below,
                          Compare("Less", "is_negative", 0));
    LEAT_ASSIGN_OR_RETURN(
        const Endpoint above,
        Compare("GreaterEqual", absl::StrCat("is_from_", value), value));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId outside,
        lowering_.Add("LogicalOr", absl::StrCat(node_.name(), "/is_last"), {},
                      {below, above}, {}, node_.def->device));
    return Endpoint{outside, 0};
  }

 private:
  absl::StatusOr<Endpoint> Compare(absl::string_view op,
                                   const std::string& name, int32_t value) {
    const std::string prefix = absl::StrCat(node_.name(), "/", name);
    // The control edge puts the constant in the frame of the index.
    LEAT_ASSIGN_OR_RETURN(
        const NodeId constant,
        lowering_.Add("Const", absl::StrCat(prefix, "/value"),
                      {{"dtype", DType::kInt32},
                       {"value", Tensor::Scalar<int32_t>(value)}},
                      {}, {index_}, node_.def->device));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId result,
        lowering_.Add(op, prefix, {{"T", DType::kInt32}},
                      {Endpoint{index_, 0}, Endpoint{constant, 0}}, {},
                      node_.def->device));
    return Endpoint{result, 0};
  }

  const Node& node_;
  const NodeId index_;
  Lowering& lowering_;
};

}  // namespace

absl::StatusOr<Lowered> LowerCase(const Node& node, Lowering& lowering) {
  LEAT_ASSIGN_OR_RETURN(std::vector<FunctionRef> functions,
                        node.attrs().Get<std::vector<FunctionRef>>("branches"));
  LEAT_ASSIGN_OR_RETURN(
      const NodeId index,
      lowering.AddIdentity(absl::StrCat(node.name(), "/branch_index"),
                           node.inputs[0], node.controls));
  CasePredicates predicates(node, index, lowering);
  const int32_t last = static_cast<int32_t>(functions.size()) - 1;
  std::vector<Branch> branches;
  for (int32_t i = 0; i <= last; ++i) {
    Branch branch;
    branch.function = std::move(functions[i]);
    branch.name = absl::StrCat("branch_", i);
    LEAT_ASSIGN_OR_RETURN(
        branch.pred, i < last ? predicates.Is(i) : predicates.IsOutside(last));
    branches.push_back(std::move(branch));
  }
  return LowerBranches(node, absl::MakeConstSpan(node.inputs).subspan(1),
                       branches, lowering);
}

}  // namespace leat
