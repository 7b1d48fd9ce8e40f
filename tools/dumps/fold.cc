// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/fold.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace leat {
namespace {

// If at least this many siblings differ only in a number, they become one line.
constexpr size_t kMinSeries = 4;

// Describes a line that stands for a scope, a series or a single name. A scope
// may still be unfolded. Its label is the first `prefix` characters of each
// member's name.
struct Item {
  std::string label = {};
  std::vector<int> members = {};
  size_t prefix = 0;
  bool is_scope = false;
  bool is_folded = false;
};

// Returns "layer_*" for "layer_12". Returns the text itself if it does not end
// in a number.
std::string Stem(absl::string_view text) {
  size_t end = text.size();
  while (end > 0 && absl::ascii_isdigit(text[end - 1])) --end;
  if (end == text.size() || end == 0) return std::string(text);
  return absl::StrCat(text.substr(0, end), "*");
}

class Folder {
 public:
  Folder(absl::Span<const std::string> names, const FoldOptions& options)
      : names_(names), options_(options) {}

  std::vector<FoldedLine> Fold() {
    Item root{.is_scope = true, .is_folded = true};
    for (size_t i = 0; i < names_.size(); ++i) {
      root.members.push_back(static_cast<int>(i));
    }
    if (!IsExpanded("") && !names_.empty()) {
      Unfold(std::move(root));
    } else {
      AddAll(root.members);
    }
    CutRest();
    std::sort(done_.begin(), done_.end(), [](const auto& a, const auto& b) {
      return a.members[0] < b.members[0];
    });
    done_.insert(done_.end(), rest_.begin(), rest_.end());
    return std::move(done_);
  }

 private:
  // Returns true if `expand` asks for the scope in full.
  bool IsExpanded(absl::string_view scope) const {
    return std::any_of(options_.expand.begin(), options_.expand.end(),
                       [&](absl::string_view wanted) {
                         wanted = absl::StripSuffix(wanted, "/");
                         return wanted.empty() ||
                                scope == absl::StrCat(wanted, "/");
                       });
  }

  // Returns true if `expand` asks for `scope` or for a scope inside of it.
  bool LeadsToExpanded(absl::string_view scope) const {
    return std::any_of(options_.expand.begin(), options_.expand.end(),
                       [&](absl::string_view wanted) {
                         return absl::StartsWith(
                             absl::StrCat(absl::StripSuffix(wanted, "/"), "/"),
                             scope);
                       });
  }

  // Adds one line per name.
  void AddAll(const std::vector<int>& members) {
    for (const int i : members) {
      done_.push_back({.label = names_[i], .members = {i}});
    }
  }

  // Returns the direct members of a scope: names and scopes.
  std::vector<Item> Children(const Item& scope) const {
    std::vector<Item> children;
    absl::flat_hash_map<absl::string_view, size_t> index;
    for (const int i : scope.members) {
      const absl::string_view name = names_[i];
      const size_t slash = name.find('/', scope.prefix);
      if (slash == name.npos) {
        children.push_back({.label = std::string(name), .members = {i}});
        continue;
      }
      const absl::string_view label = name.substr(0, slash + 1);
      const auto [entry, added] = index.try_emplace(label, children.size());
      if (added) {
        children.push_back({.label = std::string(label),
                            .prefix = slash + 1,
                            .is_scope = true,
                            .is_folded = true});
      }
      children[entry->second].members.push_back(i);
    }
    return children;
  }

  // Returns the children with each series folded into one item, at the place of
  // its first member. A scope that `expand` asks for, or that contains such a
  // scope, is in no series.
  std::vector<Item> FoldSeries(std::vector<Item> children) const {
    absl::flat_hash_map<std::string, std::vector<size_t>> series;
    std::vector<std::string> labels;
    for (size_t i = 0; i < children.size(); ++i) {
      const bool pinned =
          children[i].is_scope && LeadsToExpanded(children[i].label);
      labels.push_back(pinned ? "" : SeriesOf(children[i]));
      if (!pinned) series[labels[i]].push_back(i);
    }
    std::vector<Item> result;
    for (size_t i = 0; i < children.size(); ++i) {
      const std::vector<size_t>& alike = series[labels[i]];
      if (alike.size() < kMinSeries) {
        result.push_back(std::move(children[i]));
        continue;
      }
      if (alike[0] != i) continue;
      Item item{.label = labels[i], .is_folded = true};
      for (const size_t k : alike) {
        item.members.insert(item.members.end(), children[k].members.begin(),
                            children[k].members.end());
      }
      std::sort(item.members.begin(), item.members.end());
      result.push_back(std::move(item));
    }
    return result;
  }

  // Returns the label of the series that an item would be in.
  static std::string SeriesOf(const Item& item) {
    absl::string_view label = item.label;
    const bool is_scope = absl::ConsumeSuffix(&label, "/");
    return absl::StrCat(Stem(label), is_scope ? "/" : "");
  }

  // Replaces scopes by their children, the largest scope first, as long as
  // there are not too many lines.
  void Unfold(Item root) {
    const auto smaller = [](const Item& a, const Item& b) {
      return a.members.size() < b.members.size();
    };
    std::priority_queue<Item, std::vector<Item>, decltype(smaller)> scopes(
        smaller);
    scopes.push(std::move(root));
    int lines = 1;
    while (!scopes.empty()) {
      Item scope = scopes.top();
      scopes.pop();
      if (!scope.label.empty() && IsExpanded(scope.label)) {
        AddAll(scope.members);
        --lines;
        continue;
      }
      std::vector<Item> children = Children(scope);
      const auto fits = [&] {
        return lines - 1 + static_cast<int>(children.size()) <=
               options_.max_lines;
      };
      if (!fits()) children = FoldSeries(std::move(children));
      const bool must = scope.label.empty() || LeadsToExpanded(scope.label);
      if (!must && !fits()) {
        rest_candidates_.push_back(std::move(scope));
        continue;
      }
      lines += static_cast<int>(children.size()) - 1;
      for (Item& child : children) {
        if (child.is_scope) {
          scopes.push(std::move(child));
        } else {
          rest_candidates_.push_back(std::move(child));
        }
      }
    }
  }

  // Joins the lines that exceed the limit into one last line.
  void CutRest() {
    std::sort(rest_candidates_.begin(), rest_candidates_.end(),
              [](const Item& a, const Item& b) {
                return a.members[0] < b.members[0];
              });
    const auto room = static_cast<size_t>(std::max(options_.max_lines, 2));
    FoldedLine rest{.label = "...", .is_folded = true};
    for (size_t i = 0; i < rest_candidates_.size(); ++i) {
      Item& item = rest_candidates_[i];
      if (rest_candidates_.size() > room && i + 1 >= room) {
        rest.members.insert(rest.members.end(), item.members.begin(),
                            item.members.end());
        continue;
      }
      done_.push_back({.label = std::move(item.label),
                       .members = std::move(item.members),
                       .is_folded = item.is_folded});
    }
    if (!rest.members.empty()) {
      std::sort(rest.members.begin(), rest.members.end());
      rest_.push_back(std::move(rest));
    }
  }

  const absl::Span<const std::string> names_;
  const FoldOptions& options_;
  std::vector<Item> rest_candidates_;  // lines that count against max_lines
  std::vector<FoldedLine> done_;
  std::vector<FoldedLine> rest_;  // at most one
};

}  // namespace

std::vector<FoldedLine> FoldNames(absl::Span<const std::string> names,
                                  const FoldOptions& options) {
  if (names.size() <= static_cast<size_t>(std::max(options.max_lines, 0))) {
    FoldOptions all;
    all.expand = {"/"};
    return Folder(names, all).Fold();
  }
  return Folder(names, options).Fold();
}

bool HasScope(absl::Span<const std::string> names, absl::string_view scope) {
  scope = absl::StripSuffix(scope, "/");
  if (scope.empty()) return true;
  const std::string prefix = absl::StrCat(scope, "/");
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return absl::StartsWith(name, prefix);
  });
}

}  // namespace leat
