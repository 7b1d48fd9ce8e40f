// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PassesTest is the fixture of the tests of graph/passes/. A test builds a
// graph in `given` and the graph that passes should make of it in `expected`:
//
//   for (GraphBuilder* b : {&given, &expected}) {
//     const Output x = Feed(*b, "x");
//     const Output y = Add(*b, "Neg", "y", {x});
//     Add(*b, "Abs", "z", {b == &given ? Add(*b, "Neg", "copy", {x}) : y});
//   }
//   keep = {"z"};
//   EXPECT_EQ(Difference("cse"), "");
#ifndef LEAT_TESTS_GRAPH_OPTIMIZER_PASSES_TESTING_H_
#define LEAT_TESTS_GRAPH_OPTIMIZER_PASSES_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/optimizer/constant_evaluator.h"
#include "leat/graph/optimizer/pass.h"
#include "leat/graph/optimizer/run_passes.h"

namespace leat::testing {

// All nodes are placed on the devices CPU:0 and CPU:1 of this task.
inline constexpr char kTask[] = "/job:localhost/replica:0/task:0";

// Computes Fill from `inputs`, a count and a float. Returns RESOURCE_EXHAUSTED
// if the result takes more than `max_bytes`.
inline absl::StatusOr<std::vector<Tensor>> Filled(
    absl::Span<const Tensor> inputs, int64_t max_bytes) {
  const int32_t count = inputs[0].data<int32_t>()[0];
  if (count * 4 > max_bytes) return absl::ResourceExhaustedError("size");
  return std::vector<Tensor>{
      Tensor::Filled(Shape{count}, inputs[1].scalar<float>())};
}

// Evaluates AddV2 of float scalars and Fill without kernels, and returns
// UNIMPLEMENTED for other ops. A FewOpsEvaluator is thread-compatible. `names`
// lists, in order, all nodes that the evaluator was asked to evaluate,
// including those that it could not evaluate.
class FewOpsEvaluator final : public ConstantEvaluator {
 public:
  absl::StatusOr<std::vector<Tensor>> Evaluate(const NodeDef& node,
                                               absl::Span<const Tensor> inputs,
                                               int64_t max_bytes) override {
    names.push_back(node.name);
    if (node.op->name == "AddV2") {
      return std::vector<Tensor>{Tensor::Scalar(inputs[0].scalar<float>() +
                                                inputs[1].scalar<float>())};
    }
    if (node.op->name == "Fill") return Filled(inputs, max_bytes);
    return absl::UnimplementedError(node.op->name);
  }
  std::vector<std::string> names;
};

// Adds a node of type `op` to `b`, with control edges from the nodes of
// `after`, and returns its output 0. If the node is invalid, `b` keeps the
// error as its status.
inline Output Add(GraphBuilder& b, absl::string_view op,
                  const std::string& name, std::vector<OpInput> inputs,
                  AttrMap attrs = {}, const std::vector<Output>& after = {}) {
  std::vector<Operation> operations;
  for (const Output& output : after) operations.push_back(output.operation());
  auto scope = b.ControlDependencies(operations);
  return b
      .AddOp({.op = op,
              .inputs = std::move(inputs),
              .attrs = std::move(attrs),
              .name = name})
      .output(0);
}

// Adds a Placeholder, which no pass can fold.
inline Output Feed(GraphBuilder& b, const std::string& name,
                   DType type = DType::kFloat, const PartialShape& shape = {}) {
  return b.Placeholder(type, name, shape);
}

// Adds a Const node of `value`, with control edges from the nodes of `after`.
inline Output Const(GraphBuilder& b, const std::string& name, Tensor value,
                    const std::vector<Output>& after = {}) {
  AttrMap attrs;
  attrs.Set("dtype", value.dtype());
  attrs.Set("value", std::move(value));
  return Add(b, "Const", name, {}, std::move(attrs), after);
}

// This is the fixture of the tests of passes. It owns the two builders and the
// evaluator. It is not thread-safe.
class PassesTest : public ::testing::Test {
 protected:
  // Builds the graph. Assigns each node that requests CPU:1 to CPU:1, and all
  // other nodes to CPU:0. If the builder has an error, makes the test fail and
  // returns an empty graph.
  static Graph Placed(GraphBuilder& builder) {
    auto graph = builder.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return Graph(BuiltinOps());
    int devices[2];
    for (int i = 0; i < 2; ++i) {
      devices[i] = graph->InternDevice(absl::StrCat(kTask, "/device:CPU:", i));
    }
    for (const NodeId id : graph->NodeIds()) {
      Node& node = graph->mutable_node(id);
      const bool second =
          absl::EndsWith(absl::AsciiStrToLower(node.def->device), "cpu:1");
      node.device = devices[second ? 1 : 0];
    }
    return *std::move(graph);
  }

  // Returns the built-in passes of these names. If one is missing, makes the
  // test fail.
  static PassRegistry Passes(const std::vector<std::string>& names) {
    PassRegistry registry;
    for (const Pass& pass : BuiltinPasses().passes()) {
      for (const std::string& name : names) {
        if (pass.name == name) registry.Add(pass);
      }
    }
    EXPECT_EQ(registry.passes().size(), names.size());
    return registry;
  }

  // Runs `passes` on the graph in `given` and returns the result. `with`
  // evaluates constants.
  Graph Optimized(const PassRegistry& passes, ConstantEvaluator& with) {
    Graph graph = Placed(given);
    std::vector<DeviceInfo> devices;
    for (int i = 0; i < 2; ++i) {
      devices.push_back(
          {.name = absl::StrCat(kTask, "/device:CPU:", i), .type = "CPU"});
    }
    RunPassesOptions all = options;
    all.devices = devices;
    all.evaluator = &with;
    for (const std::string& name : keep) all.keep.push_back(graph.Find(name));
    const absl::Status status = RunPasses(graph, passes, all);
    EXPECT_TRUE(status.ok()) << status;
    return graph;
  }

  // Runs the built-in passes of these names on `given`. Returns how the result
  // differs from `expected`, or "" if both are equal.
  std::string Difference(const std::vector<std::string>& passes) {
    return leat::Difference(Optimized(Passes(passes), evaluator),
                            Placed(expected), {.annotations = false});
  }
  std::string Difference(const std::string& pass) {
    return Difference(std::vector<std::string>{pass});
  }

  // `given` builds the graph before the passes. `expected` builds the graph
  // that the passes should return.
  GraphBuilder given;
  GraphBuilder expected;
  // Holds the names of nodes that must not be removed.
  std::vector<std::string> keep;
  // Optimized() sets the fields `keep`, `devices` and `evaluator` of these
  // options.
  RunPassesOptions options;
  FewOpsEvaluator evaluator;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_GRAPH_OPTIMIZER_PASSES_TESTING_H_
