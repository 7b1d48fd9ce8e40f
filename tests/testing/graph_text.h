// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Graphs from protobuf's text form, for tests:
//
//   ImportText(FloatPlaceholder("x") + NodeText("y", "Neg", {"x"}, Float()),
//              BuiltinOps())
#ifndef LEAT_TESTS_TESTING_GRAPH_TEXT_H_
#define LEAT_TESTS_TESTING_GRAPH_TEXT_H_

#include <google/protobuf/text_format.h>

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"

namespace leat {

// Several `library { ... }` add up.
inline pb::GraphDef ParseGraph(const std::string& text) {
  pb::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &graph))
      << text;
  return graph;
}

// `name: op(inputs)` with attr T float; `attrs` in text form.
inline std::string NodeText(const std::string& name, const std::string& op,
                            const std::vector<std::string>& inputs = {},
                            const std::string& attrs = {}) {
  std::string text =
      "node { name: \"" + name + "\" op: \"" + op + "\" " + attrs;
  for (const std::string& input : inputs) text += " input: \"" + input + "\"";
  return text + " }\n";
}

inline std::string Attr(const std::string& name, const std::string& value) {
  return "attr { key: \"" + name + "\" value { " + value + " } } ";
}

inline const std::string& Float() {
  static const auto& text = *new std::string(Attr("T", "type: DT_FLOAT"));
  return text;
}

inline std::string FloatPlaceholder(const std::string& name) {
  return NodeText(name, "Placeholder", {}, Attr("dtype", "type: DT_FLOAT"));
}

// The graph that the text describes. Fails the test that calls it, and gives an
// empty graph, where import refuses it.
inline Graph ImportText(const std::string& text, const OpRegistry& ops) {
  absl::StatusOr<Graph> graph = ImportGraphDef(ParseGraph(text), ops);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : Graph(ops);
}

}  // namespace leat

#endif  // LEAT_TESTS_TESTING_GRAPH_TEXT_H_
