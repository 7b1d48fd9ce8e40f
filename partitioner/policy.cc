// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/policy.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/check.h"

namespace leat {

void PolicyRegistry::Add(absl::string_view name, PlacementPolicy policy) {
  LEAT_CHECK(policies_.emplace(name, policy).second);
}

absl::StatusOr<PlacementPolicy> PolicyRegistry::Find(
    absl::string_view name) const {
  const auto found = policies_.find(std::string(name));
  if (found != policies_.end()) return found->second;
  return absl::NotFoundError(absl::StrCat("there is no placement policy '",
                                          name, "'; the policies are ",
                                          absl::StrJoin(Names(), ", ")));
}

std::vector<std::string> PolicyRegistry::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, policy] : policies_) names.push_back(name);
  return names;
}

const PolicyRegistry& BuiltinPolicies() {
  static const PolicyRegistry& registry = *[] {
    auto* made = new PolicyRegistry;  // NOLINT: lives as long as the process
    policies::RegisterAll(*made);
    return made;
  }();
  return registry;
}

}  // namespace leat
