// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/graph_bytes.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/protos/graph.pb.h"

namespace leat::graph_bytes_test {
namespace {

using ::testing::HasSubstr;

pb::GraphDef WithNode(const std::string& name) {
  pb::GraphDef graph;
  graph.add_node()->set_name(name);
  return graph;
}

// Returns a graph with one function of about `bytes` bytes.
pb::GraphDef WithFunction(const std::string& name, size_t bytes) {
  pb::GraphDef graph;
  pb::FunctionDef& function = *graph.mutable_library()->add_function();
  function.mutable_signature()->set_name(name);
  function.add_node_def()->set_op(std::string(bytes, 'x'));
  return graph;
}

void ExpectRefused(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--max-graph-bytes"));
}

TEST(GraphBytesTest, CountsAllThatIsAdded) {
  const pb::GraphDef node = WithNode("x");
  const auto bytes = static_cast<int64_t>(node.ByteSizeLong());
  GraphBytes graph(2 * bytes);
  EXPECT_TRUE(graph.Add(node).ok());
  GraphBytes extended = graph;
  EXPECT_TRUE(extended.Add(node).ok());
  ExpectRefused(extended.Add(node));
  EXPECT_TRUE(graph.Add(node).ok());  // counted apart from `extended`
}

TEST(GraphBytesTest, CountsFunctionsThatComeAgainOnce) {
  const pb::GraphDef functions = WithFunction("f", 1000);
  GraphBytes graph(3000);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(graph.Add(functions).ok()) << i;
  EXPECT_TRUE(graph.Add(WithFunction("g", 1000)).ok());
  ExpectRefused(graph.Add(WithFunction("h", 1000)));
}

TEST(GraphBytesTest, OneAdditionIsNeverLargerThanTheLimit) {
  GraphBytes graph(3000);
  ASSERT_TRUE(graph.Add(WithFunction("f", 10)).ok());
  ExpectRefused(graph.Add(WithFunction("f", 4000)));
}

TEST(GraphBytesTest, CountsWhatComesWithFunctionsThatAreKnown) {
  pb::GraphDef addition = WithFunction("f", 1000);
  GraphBytes graph(3000);
  ASSERT_TRUE(graph.Add(addition).ok());
  addition.MergeFrom(WithNode(std::string(900, 'x')));
  EXPECT_TRUE(graph.Add(addition).ok());
  ExpectRefused(graph.Add(WithNode(std::string(1200, 'x'))));
}

}  // namespace
}  // namespace leat::graph_bytes_test
