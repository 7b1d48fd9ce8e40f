// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/control_flow_ops.h"

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace leat {
namespace {

bool IsOp(const Node& node, absl::string_view name) {
  absl::string_view op = node.op();
  absl::ConsumePrefix(&op, "Ref");
  return op == name;
}

}  // namespace

bool IsEnter(const Node& node) { return IsOp(node, "Enter"); }
bool IsExit(const Node& node) { return IsOp(node, "Exit"); }
bool IsMerge(const Node& node) { return IsOp(node, "Merge"); }
bool IsSwitch(const Node& node) { return IsOp(node, "Switch"); }
bool IsNextIteration(const Node& node) { return IsOp(node, "NextIteration"); }

}  // namespace leat
