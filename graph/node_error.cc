// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/node_error.h"

#include "absl/strings/str_cat.h"

namespace leat {

absl::Status NodeError(const NodeDef& node, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(
      "node '", node.name, "'",
      node.op != nullptr ? absl::StrCat(" (", node.op->name, ")") : "", ": ",
      problem));
}

}  // namespace leat
