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

#include "absl/strings/str_cat.h"
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

// ---- Functions ----

// Returns a function of `num_args` floats. `body` holds its node_defs and rets.
inline std::string FunctionText(const std::string& name, int num_args,
                                const std::string& result_type,
                                const std::string& body) {
  std::string text = "library { function { signature { name: \"" + name + "\"";
  for (int i = 0; i < num_args; ++i) {
    text += absl::StrCat(" input_arg { name: \"a", i, "\" type: DT_FLOAT }");
  }
  if (!result_type.empty()) {
    text += " output_arg { name: \"r\" type: " + result_type + " }";
  }
  return text + " } " + body + " } }\n";
}

// Returns the ret of a function with one result, "r".
inline std::string Return(const std::string& tensor) {
  return "ret { key: \"r\" value: \"" + tensor + "\" } ";
}

// Returns the text of a node of a function.
inline std::string InnerNode(const std::string& name, const std::string& op,
                             const std::vector<std::string>& inputs,
                             const std::string& attrs = {}) {
  std::string text = "node_def { name: \"" + name + "\" op: \"" + op + "\" ";
  for (const std::string& input : inputs) text += "input: \"" + input + "\" ";
  return text + attrs + "} ";
}

// Returns the text of an attr that names a function.
inline std::string Func(const std::string& name, const std::string& function) {
  return Attr(name, "func { name: \"" + function + "\" }");
}

// Returns the text of an attr that lists `count` times the type float.
inline std::string Floats(const std::string& name, int count) {
  std::string types;
  for (int i = 0; i < count; ++i) types += "type: DT_FLOAT ";
  return Attr(name, "list { " + types + "}");
}

}  // namespace leat

#endif  // LEAT_TESTS_TESTING_GRAPH_TEXT_H_
