// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests nodes that only route values, with references and with many threads.
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::routing_test {
namespace {

std::string ShapeOf(const std::string& shape) {
  return Attr("dtype", "type: DT_FLOAT") +
         Attr("shape", "shape { " + shape + " }");
}

std::shared_ptr<Session> NewSession(const std::string& text, int num_threads) {
  LocalSessionOptions options;
  options.optimizer.level = OptimizeLevel::kOff;
  options.devices.num_threads = num_threads;
  auto session = NewTestSession(ImportText(text, BuiltinOps()), options);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

// As in TensorFlow, a loop that is not entered reads no variable.
TEST(RoutingTest, ADeadEnterDoesNotReadItsVariable) {
  const std::string boolean = Attr("dtype", "type: DT_BOOL");
  auto session = NewSession(
      NodeText("v", "VariableV2", {}, ShapeOf("")) +
          NodeText("x", "Placeholder", {}, ShapeOf("")) +
          NodeText("p", "Placeholder", {}, boolean) +
          NodeText("s", "Switch", {"x", "p"}, Float()) +
          NodeText("dead", "Identity", {"s:1"}, Float()) +
          NodeText("live", "Identity", {"s"}, Float()) +
          NodeText("e", "Enter", {"v", "^dead"},
                   Float() + Attr("frame_name", "s: \"f\"")) +
          NodeText("q", "Exit", {"e"}, Float()) +
          NodeText("i", "Identity", {"q"}, Float()) +
          NodeText("m", "Merge", {"i", "live"}, Float() + Attr("N", "i: 2")),
      2);
  const auto out = session->Run(
      {.feeds = {{"x", Tensor::Scalar(5.0f)}, {"p", Tensor::Scalar(false)}},
       .fetches = {"m"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 5);
}

// The Merge has many inputs. The first one is a variable without a value, so
// the Merge fails while other threads write its other inputs.
TEST(RoutingTest, AMergeFailsWhileItsOtherInputsArrive) {
  const std::string matrix = ShapeOf("dim { size: 64 } dim { size: 64 }");
  std::string text = NodeText("x", "Placeholder", {}, matrix) +
                     NodeText("m0", "MatMul", {"x", "x"}, Float()) +
                     NodeText("v", "VariableV2", {"^m0"}, matrix);
  std::vector<std::string> inputs = {"v"}, all = {"^merge"};
  for (int i = 1; i < 20; ++i) {
    const std::string name = "m" + std::to_string(i);
    text += NodeText(name, "MatMul", {"x", "x"}, Float());
    inputs.insert(inputs.end(), {name, name});
    all.push_back("^" + name);
  }
  text += NodeText("merge", "Merge", inputs, Float() + Attr("N", "i: 39")) +
          NodeText("all", "NoOp", all);
  auto session = NewSession(text, 4);
  for (int i = 0; i < NumTries(100); ++i) {
    const auto out =
        session->Run({.feeds = {{"x", Tensor::Filled<float>(Shape{64, 64}, 1)}},
                      .targets = {"all"}});
    // The step succeeds if another input of the Merge arrived before the
    // variable.
    if (out.ok()) continue;
    EXPECT_EQ(out.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(out.status().message().find("node merge"), std::string::npos)
        << out.status();
  }
}

}  // namespace
}  // namespace leat::routing_test
