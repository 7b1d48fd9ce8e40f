// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/graph_key.h"

#include <set>

#include "absl/strings/match.h"
#include "leat/core/hash64.h"

namespace leat {
namespace {

// Is the hash of no collectives, in TensorFlow.
constexpr uint64_t kSeed = 0x8774aa605c729c72ULL;

}  // namespace

bool IsCollective(const NodeDef& node) {
  return absl::StartsWith(node.op->name, "Collective") &&
         node.op->name != "CollectiveAssignGroupV2";
}

int64_t CollectiveGraphKey(const std::vector<Partition>& partitions) {
  std::set<int32_t> keys;
  bool has_second_version = false;
  for (const Partition& partition : partitions) {
    for (const NodeId id : partition.graph.NodeIds()) {
      const NodeDef& node = *partition.graph.node(id).def;
      if (!IsCollective(node)) continue;
      const absl::StatusOr<int64_t> key =
          node.attrs.Get<int64_t>("instance_key");
      if (key.ok()) {
        keys.insert(static_cast<int32_t>(*key));
      } else {
        has_second_version = true;
      }
    }
  }
  if (keys.empty() && !has_second_version) return 0;
  uint64_t hash = kSeed;
  for (const int32_t key : keys) {
    hash = Hash64Combine(static_cast<uint64_t>(int64_t{key}), hash);
  }
  return static_cast<int64_t>(hash);
}

}  // namespace leat
