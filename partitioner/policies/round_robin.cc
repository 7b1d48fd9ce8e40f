// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The policy "round_robin" assigns the groups to their candidates in turn. It
// is the simplest policy that uses every device, and a baseline for others.
#include "leat/partitioner/policy.h"

namespace leat::policies::round_robin {
namespace {

absl::StatusOr<std::vector<int>> Place(const PlacementProblem& problem) {
  std::vector<int> chosen;
  chosen.reserve(problem.groups.size());
  // Begins at a place that depends on the number of nodes placed earlier, so
  // that extensions do not all begin with the first candidate.
  std::vector<size_t> next(problem.candidates.size(),
                           static_cast<size_t>(problem.num_placed));
  for (const PlacementGroup& group : problem.groups) {
    if (group.placed >= 0) {
      chosen.push_back(group.placed);
      continue;
    }
    const std::vector<int>& candidates = problem.candidates[group.candidates];
    chosen.push_back(candidates[next[group.candidates]++ % candidates.size()]);
  }
  return chosen;
}

}  // namespace

void Register(PolicyRegistry& registry) { registry.Add("round_robin", &Place); }

}  // namespace leat::policies::round_robin
