// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads and writes graphs in files: GraphDef and MetaGraphDef messages, as
// binary (.pb) or text (.pbtxt).
//
//   LEAT_ASSIGN_OR_RETURN(Graph graph, LoadGraph("model.pb"));
//   LEAT_RETURN_IF_ERROR(SaveGraph(graph, "model.pbtxt"));
//
// The functions of this header are thread-safe.
#ifndef LEAT_GRAPH_IO_GRAPH_FILE_H_
#define LEAT_GRAPH_IO_GRAPH_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/graph/io/graph_def.h"

namespace leat::pb {
class MetaGraphDef;
}  // namespace leat::pb

namespace leat {

// Reads a GraphDef or MetaGraphDef, binary or text. The content of the file
// decides how the file is read; the name of the file does not matter. `ops`
// must outlive the graph. Fails as ReadRegularFile (core/files/regular_file.h)
// does, with a size limit of 2 GiB. Fails with INVALID_ARGUMENT, naming the
// file, if the content is not one of these messages. If the file is text, the
// error has the line and column too. Also fails as ImportGraphDef does.
absl::StatusOr<Graph> LoadGraph(const std::string& path,
                                const OpRegistry& ops = BuiltinOps(),
                                const ImportLimits& limits = {});

// Writes a GraphDef, as text if the path ends in ".pbtxt" and otherwise as
// binary. An existing file at `path` is replaced only after all content has
// been written. Fails as ExportGraphDef does. Fails with INVALID_ARGUMENT if a
// binary file would be above 2 GiB, which is more than LoadGraph reads. If a
// system call fails, returns the error that SystemError
// (core/files/system_error.h) makes.
absl::Status SaveGraph(const Graph& graph, const std::string& path,
                       const ExportOptions& options = {});

// LoadMetaGraph reads and SaveMetaGraph writes a MetaGraphDef without importing
// its graph. So the MetaGraphDef keeps its signatures and collections. If the
// file holds a GraphDef, LoadMetaGraph sets only the graph in `meta`. Both
// functions fail as LoadGraph and SaveGraph do.
absl::Status LoadMetaGraph(const std::string& path, pb::MetaGraphDef& meta);
absl::Status SaveMetaGraph(const pb::MetaGraphDef& meta,
                           const std::string& path);

}  // namespace leat

#endif  // LEAT_GRAPH_IO_GRAPH_FILE_H_
