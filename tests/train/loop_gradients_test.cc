// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a graph with a loop, a branch in the loop, a loop in the branch, and
// the gradients. The graph must have the values that it had in TensorFlow
// (tests/interop/run_loop_gradients.py).
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::loop_gradients_test {
namespace {

using Outputs = std::vector<Output>;
using Variables = absl::Span<const Output>;

std::string Folder() {
  return absl::StrCat(testing::TestsDir(), "/graphs/loop_gradients/");
}

Output Matrix(GraphBuilder& b, const char* name, const Shape& shape) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(((i * 37 + name[0]) % 19) / 19.0 - 0.4);
  }
  return b.Const(Tensor::FromSpan<double>(shape, values), name);
}

absl::StatusOr<Graph> BuildGraph() {
  GraphBuilder b;
  const Output n = b.Placeholder<int32_t>("n", Shape{});
  const Output threshold = b.Placeholder<double>("threshold", Shape{});
  const Output x = Matrix(b, "x", Shape{2, 3});
  const Output h0 = Matrix(b, "h0", Shape{2, 2});
  // The bodies read this variable through a captured handle.
  const Variable w = b.Variable("w", Matrix(b, "w_initial", Shape{3, 2}));
  const Output u = Matrix(b, "u", Shape{2, 2});
  const Output bias = Matrix(b, "bias", Shape{2});
  const Output axes = b.Const(Tensor::Vector<int32_t>({0, 1}), "axes");
  const auto cell = [&](Output h) {
    // Each statement makes only one node. If the arguments of a call made
    // several nodes, another compiler could make these nodes in another order,
    // because C++ does not fix the order in which arguments are evaluated.
    const Output kernel = w.value();
    const Output input = op::MatMul(x, kernel);
    const Output recurrent = op::MatMul(h, u);
    const Output sum = input + recurrent;
    return op::Tanh(sum + bias);
  };
  const auto inner = [&](Output h, Output count) {
    return While(
        {b.Const<int32_t>(0), h},
        [&](Variables v) { return op::LessEqual(v[0], count); },
        [&](Variables v) {
          return Outputs{v[0] + 1, v[1] * op::Sin(cell(v[1]))};
        })[1];
  };
  const Output h = While(
      {b.Const<int32_t>(0), h0}, [&](Variables v) { return op::Less(v[0], n); },
      [&](Variables v) {
        const Output next = Cond(
            op::Less(op::Sum(v[1], axes), threshold),
            [&] { return Outputs{cell(v[1])}; },
            [&] { return Outputs{inner(v[1], v[0])}; })[0];
        return Outputs{v[0] + 1, next};
      })[1];
  const Output ys[] = {op::Sum(op::Square(h), axes)};
  const Output xs[] = {x, h0, w.handle(), u, bias};
  const std::vector<Gradient> gradients = Gradients(ys, xs);
  const char* const names[] = {"grad_x", "grad_h0", "grad_w", "grad_u",
                               "grad_bias"};
  const auto name = [&](Output value, const char* name) {
    AddOp({.op = "Identity", .inputs = {value}, .name = name});
  };
  name(ys[0], "loss");
  for (size_t i = 0; i < gradients.size(); ++i) {
    // An input that has no gradient gets no name.
    if (!gradients[i].IsNone()) name(gradients[i].AsDense(), names[i]);
  }
  return b.Build();
}

TEST(LoopGradientsTest, BuildsTheGraphThatTensorFlowRan) {
  absl::StatusOr<Graph> graph = BuildGraph();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::StatusOr<Graph> committed =
      LoadGraph(Folder() + "graph.pbtxt", BuiltinOps());
  ASSERT_TRUE(committed.ok()) << committed.status();
  const std::string difference = Difference(*graph, *committed);
  if (difference.empty()) return;
  const std::string written =
      absl::StrCat(::testing::TempDir(), "loop_gradients_", getpid(), ".pbtxt");
  ASSERT_EQ(SaveGraph(*graph, written), absl::OkStatus());
  FAIL() << difference << "\nIf this is meant, copy " << written << " to "
         << Folder()
         << "graph.pbtxt and run tests/interop/run_loop_gradients.py";
}

TEST(LoopGradientsTest, GivesTensorFlowsNumbers) {
  absl::StatusOr<Graph> graph = BuildGraph();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Run({.targets = {graph->init_op()}}).ok());
  std::ifstream file(Folder() + "expected.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    SCOPED_TRACE(line.substr(0, 40));
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    int32_t n = 0;
    double threshold = 0;
    ASSERT_TRUE(absl::SimpleAtoi(words.at(0), &n));
    ASSERT_TRUE(absl::SimpleAtod(words.at(1), &threshold));
    const auto result = (*session)->Run(
        {.feeds = {{"n", Tensor::Scalar<int32_t>(n)},
                   {"threshold", Tensor::Scalar<double>(threshold)}},
         .fetches = {words.at(2)}});
    ASSERT_TRUE(result.ok()) << result.status();
    const absl::Span<const double> values = (*result)[0].data<double>();
    ASSERT_EQ(values.size(), words.size() - 3);
    for (size_t i = 0; i < values.size(); ++i) {
      double want = 0;
      ASSERT_TRUE(absl::SimpleAtod(words[i + 3], &want));
      EXPECT_NEAR(values[i], want, 1e-11 * (1 + std::fabs(want)));
    }
    ++lines;
  }
  EXPECT_EQ(lines, 36);
}

}  // namespace
}  // namespace leat::loop_gradients_test
