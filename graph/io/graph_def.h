// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Imports and exports TensorFlow's GraphDef.
//
//   LEAT_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(graph_def));
//   pb::GraphDef exported;
//   LEAT_RETURN_IF_ERROR(ExportGraphDef(graph, exported));
//
// Import checks an untrusted graph completely, except that it does not infer
// shapes. So the planner and the executor can rely on a graph that import has
// accepted. The functions of this header are thread-safe, but other threads
// must not use a graph while ExtendGraph changes it.
#ifndef LEAT_GRAPH_IO_GRAPH_DEF_H_
#define LEAT_GRAPH_IO_GRAPH_DEF_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"
#include "leat/graph/op_registry.h"

namespace leat::pb {
class GraphDef;
}  // namespace leat::pb

namespace leat {

// Is the version of TensorFlow's graph format that this library reads, which is
// the version of TensorFlow 2.15. Import refuses graphs that demand a newer
// reader (min_consumer).
inline constexpr int kGraphDefVersion = 1645;

// Limits a graph, including what ExtendGraph adds to it later. A flag of a
// server may lower a limit, so errors call a limit by the name of its flag, for
// example max_graph_nodes.
struct ImportLimits {
  int64_t max_nodes = 4'000'000;   // with all function calls inlined
  int64_t max_edges = 64'000'000;  // including control edges
  int64_t max_outputs = 64'000'000;
  int64_t max_functions = 100'000;
  int64_t max_attr_bytes = int64_t{2} << 30;        // of one tensor attr
  int64_t max_total_attr_bytes = int64_t{8} << 30;  // of all tensor attrs
  int max_nesting = 100;  // how deep function calls may nest
  // Is true if names may begin with '_', and nodes may have the ops that
  // planning adds, such as _Send. Both occur in the partitions that a master
  // sends.
  bool allow_internal_names = false;
};

// Makes a graph from a message. `ops` must outlive the graph. Fails with
// INVALID_ARGUMENT, naming the node or function and the value, for anything
// that is not a well-formed graph:
// - duplicate or malformed names;
// - missing or wrong attrs, and tensors that do not fit their attrs;
// - missing inputs, output indices out of range, and type mismatches;
// - cycles outside of loops, and unpaired Enter and Exit;
// - functions nested too deeply.
// Fails with NOT_FOUND for an op that neither `ops` nor its table has. Fails
// with RESOURCE_EXHAUSTED for a graph above a limit.
absl::StatusOr<Graph> ImportGraphDef(const pb::GraphDef& graph_def,
                                     const OpRegistry& ops = BuiltinOps(),
                                     const ImportLimits& limits = {});

// Adds the nodes and functions of `graph_def` to `graph`. New nodes may take
// inputs from nodes that `graph` already has. `graph_def` may repeat a function
// of `graph` if the two definitions are equal. Fails as ImportGraphDef does.
// After a failure, `graph` is unchanged.
absl::Status ExtendGraph(const pb::GraphDef& graph_def, Graph& graph,
                         const ImportLimits& limits = {});

struct ExportOptions {
  // Leaves out the nodes with lower ids.
  NodeId first = 0;
  // Writes the devices that nodes were placed on, not the requested ones.
  bool assigned_devices = false;
  // Leaves out attrs that have their default value.
  bool strip_default_attrs = false;
};

// Overwrites `graph_def` with `graph`. The nodes are in the order of their ids.
// Importing a message that was written with the default options gives back the
// graph, without its placement. Fails with INVALID_ARGUMENT, naming the node,
// if an attr is a tensor above 2 GiB, which no message can hold.
absl::Status ExportGraphDef(const Graph& graph, pb::GraphDef& graph_def,
                            const ExportOptions& options = {});

}  // namespace leat

#endif  // LEAT_GRAPH_IO_GRAPH_DEF_H_
