// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FewOps is a small op registry. Imported and ImportError import a GraphDef in
// text form with the ops of FewOps. The tests of graph import share all three.
//
//   const Graph graph = Imported(FloatPlaceholder("x") +
//                                NodeText("y", "Neg", {"x"}, Float()));
//   EXPECT_THAT(ImportError(NodeText("a", "Nope")), HasSubstr("Nope"));
#ifndef LEAT_TESTS_GRAPH_GRAPH_TESTING_H_
#define LEAT_TESTS_GRAPH_GRAPH_TESTING_H_

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/testing/graph_text.h"

namespace leat {

// Returns a registry of a few ops that are named like TensorFlow's. Tests that
// use this registry do not depend on the ops of the library. The registry is
// made on first use and never destroyed, so graphs may refer to it.
inline const OpRegistry& FewOps() {
  static const OpRegistry& registry = *[] {
    auto* ops = new OpRegistry;
    ops->Add({.name = "Const",
              .outputs = {"output: dtype"},
              .attrs = {"value: tensor", "dtype: type"}});
    ops->Add(
        {.name = "Placeholder",
         .outputs = {"output: dtype"},
         .attrs = {"dtype: type", "shape: shape = { unknown_rank: true }"}});
    ops->Add({.name = "Variable",
              .outputs = {"ref: Ref(dtype)"},
              .attrs = {"dtype: type"}});
    ops->Add({.name = "Assign",
              .inputs = {"ref: Ref(T)", "value: T"},
              .outputs = {"output_ref: Ref(T)"},
              .attrs = {"T: type", "use_locking: bool = true"}});
    ops->Add({.name = "Add",
              .inputs = {"x: T", "y: T"},
              .outputs = {"z: T"},
              .attrs = {"T: {float, int32}"}});
    ops->Add({.name = "Neg",
              .inputs = {"x: T"},
              .outputs = {"y: T"},
              .attrs = {"T: type"}});
    ops->Add({.name = "AddN",
              .inputs = {"inputs: N * T"},
              .outputs = {"sum: T"},
              .attrs = {"N: int >= 1", "T: type"}});
    ops->Add({.name = "Split",
              .inputs = {"value: T"},
              .outputs = {"output: num_split * T"},
              .attrs = {"num_split: int >= 1", "T: type"}});
    ops->Add({.name = "NoOp"});
    ops->Add({.name = "Switch",
              .inputs = {"data: T", "pred: bool"},
              .outputs = {"output_false: T", "output_true: T"},
              .attrs = {"T: type"}});
    ops->Add({.name = "Merge",
              .inputs = {"inputs: N * T"},
              .outputs = {"output: T", "value_index: int32"},
              .attrs = {"T: type", "N: int >= 1"}});
    ops->Add(
        {.name = "Enter",
         .inputs = {"data: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "frame_name: string", "is_constant: bool = false",
                   "parallel_iterations: int = 10"}});
    for (const char* name : {"Exit", "NextIteration"}) {
      ops->Add({.name = name,
                .inputs = {"data: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"}});
    }
    ops->Add({.name = "LoopCond",
              .inputs = {"input: bool"},
              .outputs = {"output: bool"}});
    ops->Add({.name = "PartitionedCall",
              .inputs = {"args: Tin"},
              .outputs = {"output: Tout"},
              .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0",
                        "f: func", "config: string = ''"}});
    return ops;
  }();
  return registry;
}

// Imports a GraphDef in text form and returns the graph. If the import fails,
// makes the test fail and returns an empty graph.
inline Graph Imported(const std::string& text) {
  return ImportText(text, FewOps());
}

// Imports a GraphDef in text form. Returns the error with its status code as
// text, or "OK".
inline std::string ImportError(const std::string& text,
                               const ImportLimits& limits = {}) {
  const absl::StatusOr<Graph> graph =
      ImportGraphDef(ParseGraph(text), FewOps(), limits);
  return graph.ok() ? "OK" : std::string(graph.status().ToString());
}

}  // namespace leat

#endif  // LEAT_TESTS_GRAPH_GRAPH_TESTING_H_
