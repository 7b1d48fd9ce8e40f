// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Implements GraphBuilder::Build.
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/builder_state.h"
#include "leat/graph/builder/function_export.h"

namespace leat {

absl::StatusOr<Graph> GraphBuilder::Build() {
  if (!status().ok()) return status();
  const State& here = state_->body ? *state_ : *Current().state_;
  if (here.body != nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("Build() was called inside the body of '",
                     here.body->function, "'; call it outside of all bodies"));
  }
  Graph result = state_->graph;
  LEAT_RETURN_IF_ERROR(ExportFunctions(*this, result.functions()));
  std::vector<NodeId> initializers;
  for (const leat::Variable& variable : state_->variables) {
    initializers.push_back(variable.initializer().id());
  }
  const std::string name = result.UniqueName("init");
  LEAT_ASSIGN_OR_RETURN(const OpDef* no_op, result.ops().Lookup("NoOp"));
  LEAT_RETURN_IF_ERROR(
      result.Add(NodeDef{.name = name, .op = no_op}, {}, initializers)
          .status());
  result.set_init_op(name);
  return result;
}

}  // namespace leat
