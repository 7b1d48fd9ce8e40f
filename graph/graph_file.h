// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Graphs in files: GraphDef and MetaGraphDef, binary (.pb) or text (.pbtxt).
#ifndef LEAT_GRAPH_GRAPH_FILE_H_
#define LEAT_GRAPH_GRAPH_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/graph/graph_def.h"

namespace leat::pb {
class MetaGraphDef;
}  // namespace leat::pb

namespace leat {

// A file of a GraphDef or MetaGraphDef, binary or text: its content decides,
// not its name. Fails as ReadRegularFile does (core/regular_file.h), above 2
// GiB too, with INVALID_ARGUMENT naming the file and, for text, line and
// column, or as ImportGraphDef does.
absl::StatusOr<Graph> LoadGraph(const std::string& path, const OpRegistry& ops,
                                const ImportLimits& limits = {});

// Writes a GraphDef: text when the path ends in ".pbtxt". Replaces the file
// only when all has been written. INVALID_ARGUMENT for a graph above 2 GiB,
// what no message can hold.
absl::Status SaveGraph(const Graph& graph, const std::string& path,
                       const ExportOptions& options = {});

// The same for the message as it is, signatures and collections included. A
// file of a GraphDef gives a MetaGraphDef that has only the graph.
absl::Status LoadMetaGraph(const std::string& path, pb::MetaGraphDef& meta);
absl::Status SaveMetaGraph(const pb::MetaGraphDef& meta,
                           const std::string& path);

}  // namespace leat

#endif  // LEAT_GRAPH_GRAPH_FILE_H_
