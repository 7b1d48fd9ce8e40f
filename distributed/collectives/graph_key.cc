// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/graph_key.h"

#include <set>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "leat/core/hash64.h"

namespace leat {
namespace {

// Is the hash of no collectives, in TensorFlow.
constexpr uint64_t kSeed = 0x8774aa605c729c72ULL;

bool IsCollective(absl::string_view op) {
  return absl::StartsWith(op, "Collective") && op != "CollectiveAssignGroupV2";
}

// Calls `visit` with the attrs of each collective in the graph and in its
// functions.
void ForEachCollective(const Graph& graph,
                       absl::FunctionRef<void(const AttrMap&)> visit) {
  for (const NodeId id : graph.NodeIds()) {
    const NodeDef& node = *graph.node(id).def;
    if (IsCollective(node.op->name)) visit(node.attrs);
  }
  for (const auto& [name, function] : graph.functions().functions()) {
    for (const FunctionNode& node : function->nodes) {
      if (IsCollective(node.op)) visit(node.attrs);
    }
  }
}

}  // namespace

bool HasCollectives(const Graph& graph) {
  bool has_any = false;
  ForEachCollective(graph, [&](const AttrMap&) { has_any = true; });
  return has_any;
}

int64_t CollectiveGraphKey(const std::vector<Partition>& partitions) {
  std::set<int32_t> keys;
  bool has_second_version = false;
  for (const Partition& partition : partitions) {
    ForEachCollective(partition.graph, [&](const AttrMap& attrs) {
      const absl::StatusOr<int64_t> key = attrs.Get<int64_t>("instance_key");
      if (key.ok()) {
        keys.insert(static_cast<int32_t>(*key));
      } else {
        has_second_version = true;
      }
    });
  }
  if (keys.empty() && !has_second_version) return 0;
  uint64_t hash = kSeed;
  for (const int32_t key : keys) {
    hash = Hash64Combine(static_cast<uint64_t>(int64_t{key}), hash);
  }
  return static_cast<int64_t>(hash);
}

}  // namespace leat
