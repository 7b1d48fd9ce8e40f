// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/clear_devices.h"

#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::clear_devices_test {
namespace {

TEST(ClearDevicesTest, ClearsNodesAndFunctionsThatAreCalledByName) {
  Graph graph = ImportText(R"(
    node { name: "x" op: "Placeholder" device: "/job:ps"
           attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Twice" input: "x" device: "/cpu:1" }
    library { function {
      signature { name: "Twice" input_arg { name: "a" type: DT_FLOAT }
                  output_arg { name: "b" type: DT_FLOAT } }
      node_def { name: "sum" op: "AddV2" input: "a" input: "a" device: "/cpu:2"
                 attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "b" value: "sum:z:0" } } }
  )",
                           BuiltinOps());
  const Graph before = graph;
  ClearDevices(graph);
  for (const NodeId id : graph.NodeIds()) {
    EXPECT_EQ(graph.node(id).def->device, "");
  }
  const Function* function = graph.functions().Find("Twice");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->nodes[0].device, "");
  EXPECT_EQ(graph.node(graph.Find("y")).def->op, &function->signature)
      << "y has the signature of a function that is gone";
  EXPECT_EQ(before.node(before.Find("y")).def->device, "/cpu:1");
}

}  // namespace
}  // namespace leat::clear_devices_test
