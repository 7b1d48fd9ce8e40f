// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes graphs from protobuf's text form, for tests:
//
//   ImportText(FloatPlaceholder("x") + NodeText("y", "Neg", {"x"}, Float()),
//              BuiltinOps())
//
// The texts that these functions return can be concatenated to the text of one
// GraphDef. All functions are thread-safe.
#ifndef LEAT_TESTS_TESTING_GRAPH_TEXT_H_
#define LEAT_TESTS_TESTING_GRAPH_TEXT_H_

#include <google/protobuf/text_format.h>

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"

namespace leat {

// Parses the text of a GraphDef. Fails the test if the text cannot be parsed.
// Merges several `library { ... }` of the text into one.
inline pb::GraphDef ParseGraph(const std::string& text) {
  pb::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &graph))
      << text;
  return graph;
}

// Returns the text of a node. `attrs` is a concatenation of texts that Attr has
// returned.
inline std::string NodeText(const std::string& name, const std::string& op,
                            const std::vector<std::string>& inputs = {},
                            const std::string& attrs = {}) {
  std::string text =
      "node { name: \"" + name + "\" op: \"" + op + "\" " + attrs;
  for (const std::string& input : inputs) text += " input: \"" + input + "\"";
  return text + " }\n";
}

// Returns the text of an attr. `value` is an AttrValue in text form, such as
// "type: DT_FLOAT".
inline std::string Attr(const std::string& name, const std::string& value) {
  return "attr { key: \"" + name + "\" value { " + value + " } } ";
}

// Returns the attr T = float.
inline const std::string& Float() {
  static const auto& text = *new std::string(Attr("T", "type: DT_FLOAT"));
  return text;
}

// Returns the text of a float placeholder without inputs.
inline std::string FloatPlaceholder(const std::string& name) {
  return NodeText(name, "Placeholder", {}, Attr("dtype", "type: DT_FLOAT"));
}

// Returns the graph that the text describes. If the graph cannot be imported,
// the test fails and the returned graph is empty.
inline Graph ImportText(const std::string& text, const OpRegistry& ops) {
  absl::StatusOr<Graph> graph = ImportGraphDef(ParseGraph(text), ops);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : Graph(ops);
}

}  // namespace leat

#endif  // LEAT_TESTS_TESTING_GRAPH_TEXT_H_
