// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PassesTest: a graph, what passes make of it, and what that should be. For the
// tests of graph/passes/.
#ifndef LEAT_TESTS_GRAPH_PASSES_TESTING_H_
#define LEAT_TESTS_GRAPH_PASSES_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/graph/builder.h"
#include "leat/graph/constant_evaluator.h"
#include "leat/graph/equal.h"
#include "leat/graph/pass.h"

namespace leat::testing {

inline constexpr char kTask[] = "/job:localhost/replica:0/task:0";

// What Fill makes of a count and a float, if there is room for it.
inline absl::StatusOr<std::vector<Tensor>> Filled(
    absl::Span<const Tensor> inputs, int64_t max_bytes) {
  const int32_t count = inputs[0].data<int32_t>()[0];
  if (count * 4 > max_bytes) return absl::ResourceExhaustedError("size");
  return std::vector<Tensor>{
      Tensor::Filled(Shape{count}, inputs[1].scalar<float>())};
}

// AddV2 of float scalars and Fill, without kernels.
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

inline Output Feed(GraphBuilder& b, const std::string& name,
                   DType type = DType::kFloat, const PartialShape& shape = {}) {
  return b.Placeholder(type, name, shape);
}

inline Output Const(GraphBuilder& b, const std::string& name, Tensor value,
                    const std::vector<Output>& after = {}) {
  AttrMap attrs;
  attrs.Set("dtype", value.dtype());
  attrs.Set("value", std::move(value));
  return Add(b, "Const", name, {}, std::move(attrs), after);
}

// What a pass makes of `given`; the tests say what it should be.
class PassesTest : public ::testing::Test {
 protected:
  // A node goes where it asks to; /cpu:0 if it does not.
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

  // The built-in passes of these names.
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

  // What the passes make of `given`.
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

  // How what the passes make of `given` differs from `expected`.
  std::string Difference(const std::vector<std::string>& passes) {
    return leat::Difference(Optimized(Passes(passes), evaluator),
                            Placed(expected), {.annotations = false});
  }
  std::string Difference(const std::string& pass) {
    return Difference(std::vector<std::string>{pass});
  }

  GraphBuilder given;
  GraphBuilder expected;
  std::vector<std::string> keep;
  RunPassesOptions options;
  FewOpsEvaluator evaluator;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_GRAPH_PASSES_TESTING_H_
