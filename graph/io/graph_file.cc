// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/graph_file.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/message_file.h"
#include "leat/protos/meta_graph.pb.h"

namespace leat {
namespace {

// Returns false if `graph` seems to be a MetaGraphDef that was parsed as a
// GraphDef. In such a graph, field 1 of the MetaGraphDef looks like a node with
// a name like "v1". The op of this node is the serialized list of ops.
bool LooksLikeGraph(const pb::GraphDef& graph) {
  return std::all_of(
      graph.node().begin(), graph.node().end(), [](const pb::NodeDef& node) {
        return !node.op().empty() &&
               std::all_of(node.op().begin(), node.op().end(), [](char c) {
                 return static_cast<unsigned char>(c) > ' ';
               });
      });
}

absl::Status ParseTextFile(const std::string& path, const std::string& content,
                           pb::MetaGraphDef& meta) {
  const std::optional<TextError> graph_error =
      ParseText(content, *meta.mutable_graph_def());
  if (!graph_error.has_value()) return absl::OkStatus();
  meta.Clear();
  const std::optional<TextError> meta_error = ParseText(content, meta);
  if (!meta_error.has_value()) return absl::OkStatus();
  // Reports the error of the message type for which parsing got further.
  const bool is_meta = meta_error->line > graph_error->line;
  return FileError(
      path, absl::StrCat("cannot be parsed: ",
                         is_meta ? meta_error->message : graph_error->message));
}

absl::Status ParseBinaryFile(const std::string& path,
                             const std::string& content,
                             pb::MetaGraphDef& meta) {
  if (ParseBinary(content, *meta.mutable_graph_def()) &&
      LooksLikeGraph(meta.graph_def())) {
    return absl::OkStatus();
  }
  meta.Clear();
  if (ParseBinary(content, meta) && meta.has_graph_def()) {
    return absl::OkStatus();
  }
  return FileError(path,
                   "is neither a GraphDef nor a MetaGraphDef; a "
                   "SavedModel is given by its folder");
}

}  // namespace

absl::StatusOr<Graph> LoadGraph(const std::string& path, const OpRegistry& ops,
                                const ImportLimits& limits) {
  pb::MetaGraphDef meta;
  LEAT_RETURN_IF_ERROR(LoadMetaGraph(path, meta));
  absl::StatusOr<Graph> graph = ImportGraphDef(meta.graph_def(), ops, limits);
  if (graph.ok()) return graph;
  return absl::Status(
      graph.status().code(),
      absl::StrCat("file '", path, "': ", graph.status().message()));
}

absl::Status SaveGraph(const Graph& graph, const std::string& path,
                       const ExportOptions& options) {
  pb::GraphDef graph_def;
  LEAT_RETURN_IF_ERROR(ExportGraphDef(graph, graph_def, options));
  return WriteMessage(graph_def, path);
}

absl::Status LoadMetaGraph(const std::string& path, pb::MetaGraphDef& meta) {
  meta.Clear();
  LEAT_ASSIGN_OR_RETURN(const std::string content, ReadMessageFile(path));
  return IsText(content) ? ParseTextFile(path, content, meta)
                         : ParseBinaryFile(path, content, meta);
}

absl::Status SaveMetaGraph(const pb::MetaGraphDef& meta,
                           const std::string& path) {
  return WriteMessage(meta, path);
}

}  // namespace leat
