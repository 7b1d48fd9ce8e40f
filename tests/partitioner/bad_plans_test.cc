// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests graphs and signatures that import accepts, but that planning must
// refuse or survive. Each error says what is wrong and where.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/tests/graph/graph_testing.h"

namespace leat::bad_plans_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<DeviceInfo> TwoCpus() {
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < 2; ++i) {
    devices.push_back(
        {.name = absl::StrCat("/job:localhost/replica:0/task:0/device:CPU:", i),
         .type = "CPU",
         .incarnation = 1});
  }
  return devices;
}

absl::StatusOr<Graph> Prepare(const Graph& graph, PrepareOptions options = {}) {
  options.policies = &BuiltinPolicies();
  return PrepareGraph(graph, TwoCpus(), options);
}

// Runs both stages of planning. Returns the first error as text, with its
// status code, or "OK".
std::string PlanError(const Graph& graph, StepSignature signature) {
  const absl::StatusOr<Graph> prepared = Prepare(graph);
  if (!prepared.ok()) return prepared.status().ToString();
  return PlanStep(*prepared, std::move(signature), TwoCpus())
      .status()
      .ToString();
}

Graph Import(const std::string& text, const ImportLimits& limits = {}) {
  absl::StatusOr<Graph> graph =
      ImportGraphDef(ParseGraph(text), BuiltinOps(), limits);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : Graph(BuiltinOps());
}

// Returns the loop "while (i < n) i = -i" on two devices.
Graph Loop() {
  GraphBuilder b;
  const Output n =
      op::Enter(b.Placeholder<float>("n"), "loop", {.is_constant = true});
  const Output enter = op::Enter(b.Placeholder<float>("x"), "loop");
  const auto merge = op::Merge({enter, enter});
  const auto choice =
      op::Switch(merge.output, op::LoopCond(op::Less(merge.output, n)));
  Output next;
  {
    auto device = b.OnDevice("/cpu:1");
    next = op::Neg(choice.output_true);
  }
  const Output back = op::NextIteration(next);
  op::Exit(choice.output_false);
  Graph graph = b.Build().value();
  graph.mutable_node(merge.output.operation().id()).inputs[1] = back.endpoint();
  return graph;
}

TEST(BadPlansTest, ATensorInsideOfALoopIsNeitherFedNorFetched) {
  const Graph graph = Loop();
  EXPECT_EQ(PlanError(graph, {.feeds = {"n", "x"}, .fetches = {"Exit"}}), "OK");
  for (const char* fed : {"Neg", "Switch:1", "Merge:0", "Enter", "LoopCond"}) {
    EXPECT_THAT(PlanError(graph, {.feeds = {"n", fed}, .fetches = {"Exit"}}),
                AllOf(HasSubstr("INVALID_ARGUMENT"),
                      HasSubstr(absl::StrCat("Tensor ", fed,
                                             " is inside of loop 'loop' and "
                                             "cannot be fed: node '"))));
  }
  for (const char* fetched : {"Neg", "Enter_1:0", "NextIteration"}) {
    EXPECT_THAT(PlanError(graph, {.feeds = {"n"}, .fetches = {fetched}}),
                AllOf(HasSubstr("INVALID_ARGUMENT"),
                      HasSubstr(absl::StrCat("Tensor ", fetched,
                                             " is inside of loop 'loop' and "
                                             "cannot be fetched"))));
  }
}

// The feed replaces a part of the loop. The remaining nodes do not form a loop.
TEST(BadPlansTest, FeedsMayCutAPieceOutOfALoop) {
  EXPECT_EQ(PlanError(Loop(), {.feeds = {"Switch:1"}, .fetches = {"Neg"}}),
            "OK");
}

TEST(BadPlansTest, EntersWithoutExitsArePlanned) {
  GraphBuilder b;
  const Output enter = op::Enter(b.Placeholder<float>("x"), "loop");
  op::NextIteration(op::Neg(enter));
  EXPECT_EQ(PlanError(b.Build().value(), {.targets = {"NextIteration"}}), "OK");
}

TEST(BadPlansTest, ColocationChainsMayBe10000Long) {
  const auto node = [](int i, int with, const std::string& device) {
    return absl::StrCat(
        "node { name: \"n", i, "\" op: \"NoOp\" device: \"", device, "\" ",
        Attr("_class", absl::StrCat("list { s: \"loc:@n", with, "\" }")),
        "}\n");
  };
  const int size = 10'000;
  std::string text;
  for (int i = 0; i + 1 < size; ++i) text += node(i, i + 1, "");
  // The last node is colocated with itself, with the first node (a cycle), or
  // with a node that does not exist.
  for (const int last : {size - 1, 0, size}) {
    const auto prepared =
        Prepare(Import(text + node(size - 1, last, "/cpu:1")));
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    EXPECT_EQ(prepared->AssignedDevice(prepared->Find("n0")),
              TwoCpus()[1].name);
  }
  // The nodes at the ends of the chain request different devices.
  EXPECT_THAT(
      Prepare(
          Import(text + node(size - 1, 0, "/cpu:1") + node(size, 0, "/cpu:0")))
          .status()
          .ToString(),
      AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("operation n10000")));
}

TEST(BadPlansTest, RefusesClassesThatAreNoLists) {
  GraphBuilder b;
  b.Placeholder<float>("x");
  Graph graph = b.Build().value();
  auto def = std::make_shared<NodeDef>(*graph.node(graph.Find("x")).def);
  def->attrs.Set("_class", int64_t{3});
  graph.Replace(graph.Find("x"), std::move(def));
  EXPECT_THAT(Prepare(graph).status().ToString(),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("node 'x'"),
                    HasSubstr("'_class'")));
}

// Import checks only the form of a requested device. Planning checks whether a
// device matches it.
TEST(BadPlansTest, DeviceStringsMayBeLong) {
  std::string job(10'000, 'j');
  std::string repeated;
  for (int i = 0; i < 10'000; ++i) repeated += "/device:CPU:0";
  for (const std::string& device : {"/job:" + job, repeated + "/device:CPU:7",
                                    job, "/job:" + std::string(10'000, '/')}) {
    const absl::StatusOr<Graph> graph = ImportGraphDef(
        ParseGraph(absl::StrCat("node { name: \"far\" op: \"NoOp\" device: \"",
                                device, "\" }")),
        BuiltinOps());
    const absl::Status status =
        graph.ok() ? Prepare(*graph).status() : graph.status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("far"));
  }
}

std::string Call(const std::string& name, const std::string& function) {
  return absl::StrCat("name: \"", name, "\" op: \"PartitionedCall\" ",
                      Attr("Tin", "list { }"), Attr("Tout", "list { }"),
                      Attr("f", "func { name: \"" + function + "\" }"));
}

TEST(BadPlansTest, FunctionsNestNoDeeperThanTheLimit) {
  std::string text = "node { " + Call("call", "f0") + "}\n";
  for (int i = 0; i < 10'000; ++i) {
    text += absl::StrCat("library { function { signature { name: \"f", i,
                         "\" } node_def { ",
                         i + 1 < 10'000 ? Call("c", absl::StrCat("f", i + 1))
                                        : "name: \"n\" op: \"NoOp\"",
                         " } } }\n");
  }
  // This limit is so high that import accepts the functions.
  const Graph graph = Import(text, {.max_nesting = 10'001});
  EXPECT_THAT(
      Prepare(graph).status().ToString(),
      AllOf(HasSubstr("node 'call/c/c/c"), HasSubstr("nest deeper than 100")));
  PrepareOptions lower;
  lower.lower_limits.max_nesting = 3;
  EXPECT_THAT(Prepare(graph, lower).status().ToString(),
              HasSubstr("nest deeper than 3, the limit (max_nesting)"));
}

// The calls of a recursive function stay in the graph, so planning ends.
TEST(BadPlansTest, ARecursiveFunctionIsNotInlined) {
  const Graph graph =
      Import("node { " + Call("call", "f") +
             "} library { function { signature { name: \"f\" } node_def { "
             "name: \"again\" op: \"f\" } } }");
  const absl::StatusOr<Graph> prepared = Prepare(graph);
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_NE(prepared->Find("call/f"), kNoNode);
}

TEST(BadPlansTest, APrepareOptionBoundsWhatIsInlined) {
  const Graph graph =
      Import("node { " + Call("call", "f") +
             "} library { function { signature { name: \"f\" } node_def { "
             "name: \"n\" op: \"NoOp\" } } }");
  PrepareOptions options;
  options.lower_limits.max_nodes = 1;
  EXPECT_THAT(Prepare(graph, options).status().ToString(),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("'call'"),
                    HasSubstr("over 1 nodes")));
  options.lower_limits.max_nodes = 2;
  EXPECT_TRUE(Prepare(graph, options).ok());
}

}  // namespace
}  // namespace leat::bad_plans_test
