// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/session.h"

#include "absl/strings/str_cat.h"
#include "leat/graph/builder/control_flow.h"

namespace leat {
namespace {

// Returns `name`. If `node` is in the body of a function, adds the function to
// the name. No node has the resulting name, because names of nodes do not
// contain spaces or parentheses.
std::string InGraph(std::string name, const Operation& node) {
  const std::string function = FunctionOf(node);
  if (function.empty()) return name;
  return absl::StrCat(name, " (of the body of ", function, ")");
}

}  // namespace

TensorName::TensorName(const Output& output)
    : text(InGraph(output.name(), output.operation())) {}

TensorName::TensorName(const Operation& node)
    : text(InGraph(node.name(), node)) {}

}  // namespace leat
