// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/graph_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/status_macros.h"
#include "leat/protos/meta_graph.pb.h"

namespace leat {
namespace {

namespace protobuf = google::protobuf;

// The maximum depth to which messages may nest. No graph nests this deep, and
// parsing to this depth does not overflow the stack.
constexpr int kMaxDepth = 100;

absl::Status FileError(const std::string& path, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("file '", path, "' ", message));
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  // A message can hold at most 2 GiB.
  LEAT_ASSIGN_OR_RETURN(std::string content,
                        ReadRegularFile(path, std::numeric_limits<int>::max()));
  if (content.empty()) return FileError(path, "is empty");
  return content;
}

// Returns true if `content` is text: it has no control characters except white
// space. A binary graph has other control characters, because the tags of the
// fields in its nodes are control characters.
bool IsText(absl::string_view content) {
  return std::all_of(content.begin(), content.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' ||
           c == '\t';
  });
}

// Keeps the first error of a parser, with its line and column.
class FirstError : public protobuf::io::ErrorCollector {
 public:
  void AddError(int line, protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!message_.empty()) return;
    line_ = line;
    message_ =
        absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  void AddWarning(int, protobuf::io::ColumnNumber,
                  const std::string&) override {}

  int line() const { return line_; }
  const std::string& message() const { return message_; }

 private:
  int line_ = 0;
  std::string message_;
};

bool ParseText(const std::string& content, protobuf::Message& message,
               FirstError& error) {
  protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxDepth);
  return parser.ParseFromString(content, &message);
}

bool ParseBinary(const std::string& content, protobuf::Message& message) {
  protobuf::io::ArrayInputStream stream(content.data(),
                                        static_cast<int>(content.size()));
  protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(kMaxDepth);
  return message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

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
  FirstError graph_error;
  if (ParseText(content, *meta.mutable_graph_def(), graph_error)) {
    return absl::OkStatus();
  }
  meta.Clear();
  FirstError meta_error;
  if (ParseText(content, meta, meta_error)) return absl::OkStatus();
  // Reports the error of the message type for which parsing got further.
  const bool is_meta = meta_error.line() > graph_error.line();
  return FileError(path, absl::StrCat("cannot be parsed: ",
                                      is_meta ? meta_error.message()
                                              : graph_error.message()));
}

absl::Status ParseBinaryFile(const std::string& path,
                             const std::string& content,
                             pb::MetaGraphDef& meta) {
  // Without `silencer`, protobuf would log to standard error if it cannot read
  // the file as one of the two message types.
  const protobuf::LogSilencer silencer;
  if (ParseBinary(content, *meta.mutable_graph_def()) &&
      LooksLikeGraph(meta.graph_def())) {
    return absl::OkStatus();
  }
  meta.Clear();
  if (ParseBinary(content, meta) && meta.has_graph_def()) {
    return absl::OkStatus();
  }
  return FileError(path, "is neither a GraphDef nor a MetaGraphDef");
}

absl::Status SaveMessage(const protobuf::Message& message,
                         const std::string& path) {
  std::string content;
  if (absl::EndsWith(path, ".pbtxt")) {
    if (!protobuf::TextFormat::PrintToString(message, &content)) {
      return FileError(path, "cannot be written as text");
    }
    return WriteFile(path, content);
  }
  const size_t bytes = message.ByteSizeLong();
  if (bytes > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return FileError(
        path, absl::StrCat("cannot be written: the graph has ", bytes,
                           " bytes, but a file of a graph holds at most ",
                           std::numeric_limits<int>::max()));
  }
  content.reserve(bytes);
  protobuf::io::StringOutputStream stream(&content);
  protobuf::io::CodedOutputStream coded(&stream);
  // Writes maps in the order of their keys, so that equal graphs make equal
  // files.
  coded.SetSerializationDeterministic(true);
  if (!message.SerializeToCodedStream(&coded)) {
    return FileError(path, "cannot be serialised");
  }
  coded.Trim();
  return WriteFile(path, content);
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
  return SaveMessage(graph_def, path);
}

absl::Status LoadMetaGraph(const std::string& path, pb::MetaGraphDef& meta) {
  meta.Clear();
  LEAT_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  return IsText(content) ? ParseTextFile(path, content, meta)
                         : ParseBinaryFile(path, content, meta);
}

absl::Status SaveMetaGraph(const pb::MetaGraphDef& meta,
                           const std::string& path) {
  return SaveMessage(meta, path);
}

}  // namespace leat
