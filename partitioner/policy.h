// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A placement policy chooses a device, out of those that are allowed, for every
// group of nodes that must stay together. A policy is a plain function in a
// file of its own in partitioner/policies/. docs/adding_plans.md shows how to
// add one.
#ifndef LEAT_PARTITIONER_POLICY_H_
#define LEAT_PARTITIONER_POLICY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/graph/graph.h"

namespace leat {

// Is the name of the policy that a session uses if it names no policy.
inline constexpr char kDefaultPolicy[] = "greedy";

// Describes a group of nodes that must share a device. Devices are indices into
// PlacementProblem::devices.
struct PlacementGroup {
  int candidates = 0;      // index into PlacementProblem::candidates
  int placed = -1;         // device chosen by an earlier placement; -1: none
  NodeId first = kNoNode;  // one of its nodes
  int num_nodes = 0;
  bool is_constrained = false;  // true if one of its nodes requests a device
};

// Describes a graph to be placed and the constraints on its groups.
struct PlacementProblem {
  const Graph* graph = nullptr;          // borrowed
  std::vector<DeviceInfo> devices = {};  // all devices
  // Holds the distinct sets of allowed devices. None of them is empty. Each set
  // begins with the best devices. Devices are compared by kernel priority, then
  // by device type, then by whether they are in the master's task, and then by
  // their position in `devices`.
  std::vector<std::vector<int>> candidates = {};
  std::vector<PlacementGroup> groups = {};
  std::vector<int> group_of = {};  // by NodeId; -1 where there is no node
  // Says how many nodes of the session have been placed before and are not in
  // `graph`. For an extension, `graph` has only the new nodes and a stand-in
  // for each older node that the new nodes use. A stand-in has no inputs, and
  // its group has been placed already.
  int num_placed = 0;
};

// Returns a device for every group, in the order of `problem.groups`. The
// device is the group's `placed` if that is set, and otherwise one of the
// group's candidates.
using PlacementPolicy =
    absl::StatusOr<std::vector<int>> (*)(const PlacementProblem& problem);

// A PolicyRegistry is a registry of policies by name. It is filled before
// threads share it. After that, const access is thread-safe.
class PolicyRegistry {
 public:
  // Adds a policy. REQUIRES: `name` is not taken.
  void Add(absl::string_view name, PlacementPolicy policy);
  // Returns the policy of that name. If there is none, returns NOT_FOUND with
  // the names of all policies.
  absl::StatusOr<PlacementPolicy> Find(absl::string_view name) const;
  // Returns the names of all policies in alphabetical order.
  std::vector<std::string> Names() const;

 private:
  std::map<std::string, PlacementPolicy> policies_;
};

namespace policies {
// Registers every policy of partitioner/policies/*.cc. CMake generates this
// function.
void RegisterAll(PolicyRegistry& registry);
}  // namespace policies

// Returns the policies of this library. The registry is made at the first call
// and never destroyed.
const PolicyRegistry& BuiltinPolicies();

}  // namespace leat

#endif  // LEAT_PARTITIONER_POLICY_H_
