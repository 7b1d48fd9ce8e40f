// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Import and export of TensorFlow's GraphDef. All validation of an untrusted
// graph happens in import (and in shape inference); what import accepts, the
// planner and the executor may rely on.
#ifndef LEAT_GRAPH_GRAPH_DEF_H_
#define LEAT_GRAPH_GRAPH_DEF_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"

namespace leat::pb {
class GraphDef;
}  // namespace leat::pb

namespace leat {

// The version of TensorFlow's graph format that this library reads (2.15's). A
// graph that demands a newer reader (min_consumer) is refused.
inline constexpr int kGraphDefVersion = 1645;

// Bounds on what a graph may ask of us: on all of it, with what an extension
// adds. A server lowers them by flags, by whose words refusals name them:
// max_graph_nodes.
struct ImportLimits {
  int64_t max_nodes = 4'000'000;  // with all function calls inlined
  int64_t max_edges = 64'000'000;
  int64_t max_outputs = 64'000'000;
  int64_t max_functions = 100'000;
  int64_t max_attr_bytes = int64_t{2} << 30;        // of one tensor attr
  int64_t max_total_attr_bytes = int64_t{8} << 30;  // of all of them
  int max_nesting = 100;  // of functions calling functions
  // Names and ops may begin with '_': the graph was partitioned by a master.
  bool allow_internal_names = false;
};

// INVALID_ARGUMENT naming the node (or function) and the value for anything
// that is not a well-formed graph: duplicate or malformed names, unknown ops,
// missing or wrong attrs, missing inputs, output indices out of range, type
// mismatches, cycles outside loops, unpaired Enter and Exit, recursive
// functions, over-deep nesting, tensors that do not fit their attrs.
// RESOURCE_EXHAUSTED for one above a limit.
absl::StatusOr<Graph> ImportGraphDef(const pb::GraphDef& graph_def,
                                     const OpRegistry& ops,
                                     const ImportLimits& limits = {});

// Adds the nodes and functions of `graph_def` to `graph`, inputs may name nodes
// there already; functions that are there may come again. Atomic: on failure
// `graph` is as it was. Fails as import does.
absl::Status ExtendGraph(const pb::GraphDef& graph_def, Graph& graph,
                         const ImportLimits& limits = {});

// ImportGraphDef(ExportGraphDef(g)) equals g. `assigned_devices` writes where
// nodes were placed instead of what was requested.
struct ExportOptions {
  bool assigned_devices = false;
  bool strip_default_attrs = false;
};

// Overwrites `graph_def`, nodes in order of their ids. INVALID_ARGUMENT naming
// the node for an attr that no message can hold: a tensor above 2 GiB.
absl::Status ExportGraphDef(const Graph& graph, pb::GraphDef& graph_def,
                            const ExportOptions& options = {});

}  // namespace leat

#endif  // LEAT_GRAPH_GRAPH_DEF_H_
