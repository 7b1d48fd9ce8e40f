// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/functions/recursive_functions.h"

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/graph/analysis/graph_validation.h"

namespace leat {
namespace {

// Lists, for each function, the functions at the other ends of its edges. An
// edge leads from a function to one that it calls, or the other way round.
using Edges = std::vector<std::vector<size_t>>;

// Returns the edges from each function to those that it calls.
Edges CallsIn(const FunctionLibrary& library) {
  absl::flat_hash_map<absl::string_view, size_t> positions;
  for (const auto& entry : library.functions()) {
    positions.emplace(entry.first, positions.size());
  }
  Edges calls(positions.size());
  for (const auto& [name, function] : library.functions()) {
    std::vector<size_t>& called = calls[positions[name]];
    const auto add = [&](absl::string_view callee) {
      const auto found = positions.find(callee);
      if (found != positions.end()) called.push_back(found->second);
    };
    for (const FunctionNode& node : function->nodes) {
      add(node.op);
      const bool calls_gradient = node.op == "SymbolicGradient";
      ForEachFunctionRef(
          /*op=*/nullptr, node.attrs,
          [&](const std::string&, const FunctionRef& ref) {
            add(calls_gradient ? library.Gradient(ref.name) : ref.name);
          });
    }
  }
  return calls;
}

Edges Reversed(const Edges& edges) {
  Edges reversed(edges.size());
  for (size_t from = 0; from < edges.size(); ++from) {
    for (const size_t to : edges[from]) reversed[to].push_back(from);
  }
  return reversed;
}

// Returns the functions from which no path along `edges` leads to a cycle
// (Kahn's algorithm). `reversed` are the same edges in the other direction.
std::vector<bool> WithoutCycleAhead(const Edges& edges, const Edges& reversed) {
  std::vector<size_t> left(edges.size());
  std::vector<size_t> free;
  for (size_t i = 0; i < edges.size(); ++i) {
    left[i] = edges[i].size();
    if (left[i] == 0) free.push_back(i);
  }
  std::vector<bool> result(edges.size());
  while (!free.empty()) {
    const size_t i = free.back();
    free.pop_back();
    result[i] = true;
    for (const size_t from : reversed[i]) {
      if (--left[from] == 0) free.push_back(from);
    }
  }
  return result;
}

}  // namespace

absl::flat_hash_set<std::string> RecursiveFunctions(
    const FunctionLibrary& library) {
  const Edges calls = CallsIn(library);
  const Edges callers = Reversed(calls);
  const std::vector<bool> calls_end = WithoutCycleAhead(calls, callers);
  const std::vector<bool> callers_end = WithoutCycleAhead(callers, calls);
  absl::flat_hash_set<std::string> recursive;
  size_t i = 0;
  for (const auto& entry : library.functions()) {
    if (!calls_end[i] && !callers_end[i]) recursive.insert(entry.first);
    ++i;
  }
  return recursive;
}

}  // namespace leat
