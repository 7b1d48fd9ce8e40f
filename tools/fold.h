// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Folding: shows a few lines in the place of thousands of names, by the name
// scopes ("a/b/c" is in "a/" and "a/b/") and by equal names but for a number.
#ifndef LEAT_TOOLS_FOLD_H_
#define LEAT_TOOLS_FOLD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace leat {

// A line stands for one name, or for all those of a scope ("dense/"), of a
// series ("layer_*", "layer_*/"), or for what is left over ("...").
struct FoldedLine {
  std::string label = {};
  std::vector<int> members = {};  // indices into the names, ascending
  bool is_folded = false;
};

struct FoldOptions {
  int max_lines = 60;
  // Scopes shown in full, whatever their size; "/" is all of them.
  std::vector<std::string> expand = {};
};

// Lines in the order of their first members. Those of expanded scopes do not
// count against max_lines, so the result is within it when `expand` is empty.
// Large scopes are unfolded first, as long as there is room.
std::vector<FoldedLine> FoldNames(absl::Span<const std::string> names,
                                  const FoldOptions& options = {});

// Some name is in the scope ("a", "a/" or, for all of them, "/").
bool HasScope(absl::Span<const std::string> names, absl::string_view scope);

}  // namespace leat

#endif  // LEAT_TOOLS_FOLD_H_
