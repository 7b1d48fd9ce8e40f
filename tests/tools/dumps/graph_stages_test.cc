// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/graph_stages.h"

#include <google/protobuf/text_format.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/tools/cluster_flags.h"
#include "leat/tools/dumps/dump.h"
#include "leat/tools/dumps/dump_dot.h"
#include "leat/tools/dumps/dump_json.h"
#include "leat/tools/dumps/dump_text.h"

namespace leat::graph_stages_test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

// Is a graph that every stage changes. The graph has a call to lower, nodes
// without a device, a node that the step does not need, and a multiplication by
// 1. It is partitioned, because its nodes are on two devices.
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

  // Returns a text "name: op" for every node.
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

// Every dump contains the name of its stage, so the dumps are given the same
// stage before they are compared.
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

// Is a graph with a variable on a parameter server. Two workers read the
// variable. The node that computes the mean of their results requests no
// device.
constexpr char kTowers[] = R"(
  node { name: "w" op: "VarHandleOp" device: "/job:ps/task:1"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } } } } }
  node { name: "read" op: "ReadVariableOp" input: "w"
         attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "a" op: "Neg" input: "read" device: "/job:worker/task:0/cpu:1"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "b" op: "Square" input: "read" device: "/job:worker/task:3"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "c" op: "Mul" input: "a" input: "b"
         device: "/job:worker/task:0/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "free" op: "Neg" input: "c"
         attr { key: "T" value { type: DT_FLOAT } } }
)";
constexpr char kCluster[] = R"({"ps": ["p:1", "p:2"], "chief": ["c:1"],
                                "worker": {"0": "w:1", "3": "w:2"}})";

std::string Cpu(const std::string& task, int id) {
  return absl::StrCat("/job:", task, "/device:CPU:", id);
}

class ClusterStageTest : public StageTest {
 protected:
  void SetUp() override {
    pb::GraphDef def;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kTowers, &def));
    auto graph = ImportGraphDef(def, BuiltinOps());
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = std::make_unique<Graph>(*std::move(graph));
    options_.signature = MakeSignature(*graph_, {}, {"free"});
    input_.cluster = kCluster;
  }

  void Describe() {
    auto infos = DevicesOfCluster(input_, "cpu:2");
    ASSERT_TRUE(infos.ok()) << infos.status();
    options_.devices = *std::move(infos);
  }

  // Returns a text "tensor from -> to" for every transfer.
  static std::vector<std::string> Ways(const Dump& dump) {
    std::vector<std::string> ways;
    for (const DumpedTransfer& transfer : dump.transfers) {
      ways.push_back(absl::StrCat(transfer.tensor, " ", transfer.from, " -> ",
                                  transfer.to));
      EXPECT_FALSE(transfer.recv_node.empty()) << ways.back();
    }
    return ways;
  }

  ResolverInput input_;
};

const char kPs[] = "ps/replica:0/task:1";
const char kChief[] = "chief/replica:0/task:0";
const char kWorker0[] = "worker/replica:0/task:0";
const char kWorker3[] = "worker/replica:0/task:3";

TEST_F(ClusterStageTest, PartitionsForAClusterNobodyHas) {
  Describe();
  ASSERT_EQ(options_.devices.size(), 10u);
  EXPECT_THAT(
      Devices(At(Stage::kPlaced)),
      UnorderedElementsAre(Cpu(kPs, 0), Cpu(kWorker0, 0), Cpu(kWorker0, 1),
                           Cpu(kWorker3, 0), Cpu(kChief, 0)));
  const Dump dump = At(Stage::kPartitioned);
  std::vector<std::string> parts;
  for (const DumpedPart& part : dump.parts) parts.push_back(part.name);
  EXPECT_THAT(parts, UnorderedElementsAreArray(Devices(dump)));
  EXPECT_THAT(
      Ways(dump),
      UnorderedElementsAre(
          absl::StrCat("read:0 ", Cpu(kPs, 0), " -> ", Cpu(kWorker0, 1)),
          absl::StrCat("read:0 ", Cpu(kPs, 0), " -> ", Cpu(kWorker3, 0)),
          absl::StrCat("a:0 ", Cpu(kWorker0, 1), " -> ", Cpu(kWorker0, 0)),
          absl::StrCat("b:0 ", Cpu(kWorker3, 0), " -> ", Cpu(kWorker0, 0)),
          absl::StrCat("c:0 ", Cpu(kWorker0, 0), " -> ", Cpu(kChief, 0))));
}

// The master cuts the graph between tasks (suffix _S); each task cuts its part
// between its own devices (suffix _G).
TEST_F(ClusterStageTest, NamesTransfersAsTheMasterAndTheTasksDo) {
  Describe();
  const std::vector<std::string> nodes = Nodes(At(Stage::kPartitioned));
  EXPECT_THAT(nodes, Contains(HasSubstr("b/send_S")));
  EXPECT_THAT(nodes, Contains(HasSubstr("a/send_G")));
  EXPECT_THAT(nodes, Not(Contains(HasSubstr("b/send_G"))));
}

TEST_F(ClusterStageTest, TheMastersTaskTakesWhatAsksForNothing) {
  input_.job = "worker";
  input_.task = 3;
  Describe();
  EXPECT_EQ(options_.devices[0].name, Cpu(kWorker3, 0));
  EXPECT_EQ(options_.devices[0].incarnation, 1u);
  EXPECT_THAT(Devices(At(Stage::kPlaced)), Not(Contains(Cpu(kChief, 0))));
}

TEST_F(ClusterStageTest, TheDefaultMasterIsAChiefOrAWorker) {
  const auto master = [](absl::string_view json) {
    return DefaultMaster(*ClusterSpec::FromJson(json)).ToString();
  };
  EXPECT_EQ(master(kCluster), "/job:chief/replica:0/task:0");
  EXPECT_EQ(master(R"({"ps": ["p:1"], "worker": {"2": "w:1"}})"),
            "/job:worker/replica:0/task:2");
  EXPECT_EQ(master(R"({"ps": ["p:1"], "a": {"5": "w:1"}})"),
            "/job:a/replica:0/task:5");
}

TEST_F(ClusterStageTest, RefusesWhatDescribesNoCluster) {
  const auto error = [&](absl::string_view devices = "cpu") {
    const auto infos = DevicesOfCluster(input_, devices);
    EXPECT_EQ(infos.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(infos.status().message());
  };
  EXPECT_THAT(error("tpu"), HasSubstr("'tpu'"));
  input_.job = "worker";
  EXPECT_EQ(error(), "--job is given without --task");
  input_.task = 1;
  EXPECT_EQ(error(),
            "--cluster: task 1 is not in job 'worker', which has the tasks "
            "0, 3");
  input_.job = "evaluator";
  EXPECT_THAT(error(), HasSubstr("outside of the cluster"));
  input_.cluster = "";
  EXPECT_THAT(error(), HasSubstr("--cluster, which is not given"));
  std::string hosts = "w:1";
  for (int i = 2; i <= 101; ++i) absl::StrAppend(&hosts, ",w:", i);
  input_ = {.worker_hosts = hosts};
  EXPECT_THAT(
      error("cpu:1000"),
      HasSubstr("101 tasks of 1000 devices each have more than 100000"));
}

}  // namespace
}  // namespace leat::graph_stages_test
