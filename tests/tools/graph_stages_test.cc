// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/graph_stages.h"

#include <google/protobuf/text_format.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/tools/dump.h"
#include "leat/tools/dump_dot.h"
#include "leat/tools/dump_json.h"
#include "leat/tools/dump_text.h"

namespace leat {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// A graph that every stage changes: a call to lower, devices to find, a node
// that the step does not need, a product by 1, and two devices to cut between.
constexpr char kGraph[] = R"(
  node { name: "x" op: "Placeholder"
         attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "call" op: "PartitionedCall" input: "x" device: "/cpu:0"
         attr { key: "Tin" value { list { type: DT_FLOAT } } }
         attr { key: "Tout" value { list { type: DT_FLOAT } } }
         attr { key: "f" value { func { name: "square" } } } }
  node { name: "one" op: "Const" device: "/cpu:1"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT
           tensor_shape { } float_val: 1 } } } }
  node { name: "same" op: "Mul" input: "call" input: "one" device: "/cpu:1"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "y" op: "Neg" input: "same" device: "/cpu:1"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "unused" op: "Neg" input: "x"
         attr { key: "T" value { type: DT_FLOAT } } }
  library { function {
    signature { name: "square"
                input_arg { name: "a" type: DT_FLOAT }
                output_arg { name: "b" type: DT_FLOAT } }
    node_def { name: "s" op: "Square" input: "a"
               attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "b" value: "s:y:0" } } }
)";

class StageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    pb::GraphDef def;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kGraph, &def));
    auto graph = ImportGraphDef(def, BuiltinOps());
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = std::make_unique<Graph>(*std::move(graph));
    auto devices = DeviceSet::Create({.num_cpus = 2, .num_threads = 1});
    ASSERT_TRUE(devices.ok()) << devices.status();
    options_.devices = (*devices)->Infos();
    options_.signature = MakeSignature(*graph_, {"x"}, {"y"});
  }

  Dump At(Stage stage) {
    options_.stage = stage;
    auto staged = GraphAtStage(*graph_, options_);
    EXPECT_TRUE(staged.ok()) << staged.status();
    if (!staged.ok()) return {};
    return MakeDump(*graph_, *staged, options_, "m");
  }

  // "name: op" of every node.
  static std::vector<std::string> Nodes(const Dump& dump) {
    std::vector<std::string> nodes;
    for (const DumpedPart& part : dump.parts) {
      for (const DumpedNode& node : part.nodes) {
        nodes.push_back(absl::StrCat(node.name, ": ", node.op));
      }
    }
    return nodes;
  }
  static std::vector<std::string> Devices(const Dump& dump) {
    std::vector<std::string> devices;
    for (const auto& [device, totals] : dump.devices) devices.push_back(device);
    return devices;
  }

  std::unique_ptr<Graph> graph_;
  StageOptions options_;
};

TEST_F(StageTest, ImportedIsTheClientsGraph) {
  const Dump dump = At(Stage::kImported);
  EXPECT_THAT(
      Nodes(dump),
      UnorderedElementsAre("x: Placeholder", "call: PartitionedCall",
                           "one: Const", "same: Mul", "y: Neg", "unused: Neg"));
  EXPECT_THAT(Devices(dump), UnorderedElementsAre("", "/cpu:0", "/cpu:1"));
}

TEST_F(StageTest, LoweredHasTheBodiesOfCalls) {
  const Dump dump = At(Stage::kLowered);
  EXPECT_THAT(Nodes(dump), Contains("call/s: Square"));
  EXPECT_THAT(Nodes(dump), Not(Contains(HasSubstr("PartitionedCall"))));
  EXPECT_THAT(Devices(dump), Contains(""));
}

TEST_F(StageTest, PlacedHasFullDevices) {
  const Dump lowered = At(Stage::kLowered);
  const Dump dump = At(Stage::kPlaced);
  EXPECT_THAT(Nodes(dump),
              ::testing::UnorderedElementsAreArray(Nodes(lowered)));
  EXPECT_THAT(Devices(dump), Each(HasSubstr("/job:localhost/")));
}

TEST_F(StageTest, PrunedHasWhatTheStepNeeds) {
  const std::vector<std::string> nodes = Nodes(At(Stage::kPruned));
  EXPECT_THAT(nodes, Contains("_arg_x_0: _Arg"));
  EXPECT_THAT(nodes, Contains("same: Mul"));
  EXPECT_THAT(nodes, Not(Contains("unused: Neg")));
  EXPECT_THAT(nodes, Not(Contains("x: Placeholder")));
}

TEST_F(StageTest, OptimizedHasWhatThePassesLeave) {
  const Dump dump = At(Stage::kOptimized);
  EXPECT_THAT(Nodes(dump), Contains("call/s: Square"));
  EXPECT_THAT(Nodes(dump), Not(Contains("one: Const")));
  EXPECT_THAT(Nodes(dump), Not(Contains("same: Mul")));
  EXPECT_THAT(Nodes(dump), Not(Contains(EndsWith("_Send"))));
  EXPECT_EQ(dump.parts.size(), 1u);
  options_.optimizer.level = OptimizeLevel::kOff;
  EXPECT_THAT(Nodes(At(Stage::kOptimized)),
              ::testing::UnorderedElementsAreArray(Nodes(At(Stage::kPruned))));
}

TEST_F(StageTest, PartitionedIsTheOptimizedGraphInParts) {
  const std::vector<std::string> optimized = Nodes(At(Stage::kOptimized));
  const Dump dump = At(Stage::kPartitioned);
  EXPECT_EQ(dump.parts.size(), 2u);
  EXPECT_THAT(Nodes(dump), Contains(EndsWith(": _Send")));
  EXPECT_THAT(Nodes(dump), Contains(EndsWith(": _Recv")));
  for (const std::string& node : optimized) {
    EXPECT_THAT(Nodes(dump), Contains(node));
  }
  EXPECT_EQ(Nodes(dump).size(), optimized.size() + 2);
}

// The stage's name, which every dump has, is not what differs.
TEST_F(StageTest, EveryStageReadsDifferently) {
  std::set<std::string> texts, jsons, dots;
  for (const std::string& name : StageNames()) {
    Dump dump = At(*ParseStage(name));
    const bool has_parts = dump.stage == Stage::kPartitioned;
    dump.signature = {};
    dump.stage = has_parts ? Stage::kPartitioned : Stage::kImported;
    texts.insert(DumpToText(dump));
    jsons.insert(DumpToJson(dump));
    dots.insert(DumpToDot(dump));
  }
  EXPECT_EQ(StageNames().size(), 6u);
  EXPECT_EQ(texts.size(), 6u);
  EXPECT_EQ(jsons.size(), 6u);
  EXPECT_EQ(dots.size(), 6u);
}

}  // namespace
}  // namespace leat
