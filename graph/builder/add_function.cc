// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/add_function.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {

using State = BuilderAccess::State;

absl::StatusOr<AddedFunction> AddFunction(
    GraphBuilder& builder, absl::string_view name,
    absl::Span<const FunctionTensor> arguments, BodyFunction body,
    SourceLocation location) {
  LEAT_RETURN_IF_ERROR(builder.status());
  State& caller = BuilderAccess::Of(BuilderAccess::Current(builder));
  LEAT_RETURN_IF_ERROR(caller.CheckNesting());
  GraphBuilder& inside = BuilderAccess::NewBody(builder, std::string(name));
  State& state = BuilderAccess::Of(inside);
  std::vector<Output> inner;
  for (const FunctionTensor& argument : arguments) {
    LEAT_ASSIGN_OR_RETURN(
        inner.emplace_back(),
        state.AddArgument("x", argument.dtype, {.shape = argument.shape}));
  }
  {
    const BodyScope scope(inside, location);
    state.body->returns = body(inner);
  }
  LEAT_RETURN_IF_ERROR(builder.status());
  LEAT_RETURN_IF_ERROR(state.ResolveReturns());
  if (!state.body->controls.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", state.body->function,
                     "' has a control dependency on an operation outside of "
                     "it; use an output of that operation instead"));
  }
  caller.functions.push_back(&inside);
  AddedFunction added{.function = {.name = state.body->function}};
  for (const BodyArgument& argument : state.body->arguments) {
    if (argument.is_captured) added.captured.push_back(argument.outer);
  }
  for (const Output& result : state.body->returns) {
    added.results.push_back({.dtype = result.dtype(), .shape = result.shape()});
  }
  return added;
}

}  // namespace leat
