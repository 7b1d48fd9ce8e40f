// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FoldNames shows thousands of names in a few lines. Names are folded if they
// are in the same name scope ("a/b/c" is in the scopes "a/" and "a/b/"), or if
// they differ only in a number at the end.
//
//   FoldNames({"x", "dense/kernel", "dense/bias", ...}, {.max_lines = 2})
//   -> "x" and "dense/", which stands for all names in that scope
#ifndef LEAT_TOOLS_DUMPS_FOLD_H_
#define LEAT_TOOLS_DUMPS_FOLD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace leat {

// Describes a line of the result. The line stands for one name, for all names
// of a scope ("dense/") or of a series ("layer_*", "layer_*/"), or for all
// names that have no other line ("...").
struct FoldedLine {
  std::string label = {};
  std::vector<int> members = {};  // indices of the names, ascending
  bool is_folded = false;         // stands for several names
};

// Says how to fold.
struct FoldOptions {
  int max_lines = 60;
  // Lists scopes to show in full, however large they are. "/" stands for all
  // scopes.
  std::vector<std::string> expand = {};
};

// Returns the lines, in the order of their first members. Large scopes are
// unfolded first. There are at most max(2, `max_lines`) lines, not counting the
// lines of expanded scopes.
std::vector<FoldedLine> FoldNames(absl::Span<const std::string> names,
                                  const FoldOptions& options = {});

// Returns true if some name is in the scope. "a" and "a/" are the same scope,
// and "/" contains all names.
bool HasScope(absl::Span<const std::string> names, absl::string_view scope);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_FOLD_H_
