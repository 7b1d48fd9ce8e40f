// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Placement policies: given what is allowed, choose a device for every group of
// nodes that must stay together. A policy is a plain function, one per file.
#ifndef LEAT_PARTITIONER_POLICY_H_
#define LEAT_PARTITIONER_POLICY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"

namespace leat {

inline constexpr char kDefaultPolicy[] = "greedy";

// Nodes that must share a device.
struct PlacementGroup {
  int candidates = 0;      // index into PlacementProblem::candidates
  int placed = -1;         // device chosen by an earlier placement; -1: none
  NodeId first = kNoNode;  // one of its nodes
  int num_nodes = 0;
  bool is_constrained = false;  // a node of it asked for something
};

struct PlacementProblem {
  const Graph* graph = nullptr;
  std::vector<DeviceInfo> devices = {};
  // Distinct sets of allowed devices, each sorted by preference: kernel
  // priority, device type, devices of the master's task, name. Never empty.
  std::vector<std::vector<int>> candidates = {};
  std::vector<PlacementGroup> groups = {};
  std::vector<int> group_of = {};  // by NodeId; -1 where there is no node
};

// A device, out of its candidates, for every group.
using PlacementPolicy =
    absl::StatusOr<std::vector<int>> (*)(const PlacementProblem& problem);

// Filled once, then const and thread-safe.
class PolicyRegistry {
 public:
  // REQUIRES: a new name.
  void Add(absl::string_view name, PlacementPolicy policy);
  // NOT_FOUND with the names there are.
  absl::StatusOr<PlacementPolicy> Find(absl::string_view name) const;
  std::vector<std::string> Names() const;

 private:
  std::map<std::string, PlacementPolicy> policies_;
};

namespace policies {
// Registers every policy of partitioner/policies/*.cc.
void RegisterAll(PolicyRegistry& registry);
}  // namespace policies

const PolicyRegistry& BuiltinPolicies();

}  // namespace leat

#endif  // LEAT_PARTITIONER_POLICY_H_
