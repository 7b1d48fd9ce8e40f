// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which programs with loops have an order, and what the order is. That
// their results are those of other programs is what LoopsOverDevicesTest tests:
// over several devices, loops have no order.
#include "leat/runtime/executor/ordered_runner.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/executor/session_kernels.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::ordered_runner_test {
namespace {

using ::testing::ElementsAre;

std::shared_ptr<const Program> Compiled(const Graph& graph) {
  static DeviceSet& devices =
      *DeviceSet::Create({.num_cpus = 1, .num_threads = 1}).value().release();
  SessionKernels kernels(BuiltinKernels());
  return Program::Compile(graph, *devices.devices()[0], kernels).value();
}

// Returns the names of the instructions in the order of a frame. A loop is
// called by the name of its frame.
std::vector<std::string> OrderOf(const Program& program, int frame) {
  std::vector<std::string> names;
  for (const int32_t item : program.frames()[frame].order) {
    names.push_back(item >= 0 ? program.instruction(item).def->name
                              : program.frames()[-item].name);
  }
  return names;
}

// Gives the value to every iteration, or only to the first one.
std::string Enter(const std::string& name, const std::string& input,
                  bool is_constant = true) {
  return NodeText(
      name, "Enter", {input},
      Float() + Attr("frame_name", "s: \"loop\"") +
          Attr("is_constant", is_constant ? "b: true" : "b: false"));
}

std::string Constant(const std::string& name) {
  return NodeText(name, "VariableV2", {},
                  Attr("dtype", "type: DT_FLOAT") + Attr("shape", "shape { }"));
}

TEST(OrderedRunnerTest, ALoopFollowsItsEntersAndPrecedesWhatReadsItsExits) {
  const auto program = Compiled(ImportText(
      Constant("x") + Enter("in", "x") +
          NodeText("out", "Exit", {"in"}, Float()) +
          NodeText("after", "Neg", {"out"}, Float()) +
          NodeText("late", "Neg", {"x"}, Float()) + Enter("also_in", "late"),
      BuiltinOps()));
  ASSERT_TRUE(program->has_order());
  EXPECT_THAT(OrderOf(*program, 0),
              ElementsAre("x", "late", "also_in", "in", "loop", "after"));
  EXPECT_THAT(OrderOf(*program, 1), ElementsAre("out"));
}

// The loop cannot wait for an Enter that waits for the loop.
TEST(OrderedRunnerTest, ALoopThatFeedsItselfHasNoOrder) {
  const auto program = Compiled(ImportText(
      Constant("x") + Enter("in", "x") +
          NodeText("out", "Exit", {"in"}, Float()) + Enter("again", "out"),
      BuiltinOps()));
  EXPECT_FALSE(program->has_order());
}

// The node runs in the first iteration only, because no other gets the value.
TEST(OrderedRunnerTest, ALoopWithoutAMergeHasNoOrder) {
  const std::string entered =
      Constant("x") + Enter("in", "x", /*is_constant=*/false);
  for (const std::string& reader : {NodeText("y", "Neg", {"in"}, Float()),
                                    NodeText("y", "NoOp", {"^in"})}) {
    EXPECT_FALSE(
        Compiled(ImportText(entered + reader, BuiltinOps()))->has_order());
  }
}

TEST(OrderedRunnerTest, ALoopWithAProductHasNoOrder) {
  const std::string product = NodeText("y", "MatMul", {"in", "in"}, Float());
  const std::string loop = Constant("x") + Enter("in", "x");
  EXPECT_TRUE(Compiled(ImportText(loop, BuiltinOps()))->has_order());
  EXPECT_FALSE(Compiled(ImportText(loop + product, BuiltinOps()))->has_order());
}

}  // namespace
}  // namespace leat::ordered_runner_test
