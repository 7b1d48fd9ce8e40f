// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tools/dumps/dump_dot.h"
#include "leat/tools/dumps/dump_json.h"
#include "leat/tools/dumps/dump_text.h"
#include "leat/tools/dumps/graph_stages.h"
#include "nlohmann/json.hpp"

namespace leat::dump_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// x, w, the product and `unused` are on the first device. The rest of the
// network is on the second device. The fetch does not need `unused`.
constexpr char kGraph[] = R"(
  node { name: "x" op: "Placeholder" device: "/cpu:0"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
  node { name: "w" op: "Const" device: "/cpu:0"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT
           tensor_shape { dim { size: 3 } dim { size: 4 } } float_val: 1 } } } }
  node { name: "net/product" op: "MatMul" input: "x" input: "w" device: "/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "net/relu" op: "Relu" input: "net/product" device: "/cpu:1"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "late" op: "Neg" input: "net/relu" input: "^x" device: "/cpu:1"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "unused" op: "Neg" input: "x" device: "/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
)";

class DumpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    graph_ = std::make_unique<Graph>(ImportText(kGraph, BuiltinOps()));
    auto devices = DeviceSet::Create({.num_cpus = 2, .num_threads = 1});
    ASSERT_TRUE(devices.ok()) << devices.status();
    options_.devices = (*devices)->Infos();
    options_.signature = MakeSignature(*graph_, {"x"}, {"late"});
  }

  Dump At(Stage stage) {
    options_.stage = stage;
    auto staged = GraphAtStage(*graph_, options_);
    EXPECT_TRUE(staged.ok()) << staged.status();
    if (!staged.ok()) return {};
    return MakeDump(*graph_, *staged, options_, "m.pbtxt");
  }

  std::unique_ptr<Graph> graph_;
  StageOptions options_;
};

std::set<std::string> Names(const DumpedPart& part) {
  std::set<std::string> names;
  for (const DumpedNode& node : part.nodes) names.insert(node.name);
  return names;
}

TEST_F(DumpTest, ImportedNodesHaveTheDevicesTheyAskedFor) {
  const Dump dump = At(Stage::kImported);
  ASSERT_EQ(dump.parts.size(), 1u);
  EXPECT_EQ(dump.parts[0].totals.num_nodes, 6);
  for (const DumpedNode& node : dump.parts[0].nodes) {
    EXPECT_THAT(node.device, Not(HasSubstr("/job:"))) << node.name;
  }
  EXPECT_TRUE(dump.signature.feeds.empty());
}

TEST_F(DumpTest, PlacedNodesHaveFullDevices) {
  const Dump dump = At(Stage::kPlaced);
  ASSERT_EQ(dump.parts.size(), 1u);
  EXPECT_EQ(dump.parts[0].totals.num_nodes, 6);
  ASSERT_EQ(dump.devices.size(), 2u);
  EXPECT_THAT(dump.devices[0].first, HasSubstr("/job:localhost"));
  EXPECT_EQ(dump.devices[0].second.num_nodes, 4);
  EXPECT_EQ(dump.devices[1].second.num_nodes, 2);
}

TEST_F(DumpTest, PrunedGraphHasWhatTheStepNeeds) {
  const Dump dump = At(Stage::kPruned);
  ASSERT_EQ(dump.parts.size(), 1u);
  EXPECT_THAT(Names(dump.parts[0]),
              UnorderedElementsAre("_arg_x_0", "w", "net/product", "net/relu",
                                   "late", "_retval_late_0_0"));
  EXPECT_TRUE(dump.transfers.empty());
}

TEST_F(DumpTest, PartitionsAreJoinedByTransfers) {
  const Dump dump = At(Stage::kPartitioned);
  ASSERT_EQ(dump.parts.size(), 2u);
  ASSERT_EQ(dump.transfers.size(), 2u);
  int num_controls = 0;
  for (const DumpedTransfer& transfer : dump.transfers) {
    EXPECT_THAT(transfer.from, HasSubstr("CPU:0"));
    EXPECT_THAT(transfer.to, HasSubstr("CPU:1"));
    EXPECT_TRUE(Names(dump.parts[0]).count(transfer.send_node));
    EXPECT_TRUE(Names(dump.parts[1]).count(transfer.recv_node));
    if (transfer.is_control) {
      ++num_controls;
      EXPECT_EQ(transfer.tensor, "_arg_x_0");
      EXPECT_EQ(transfer.value.Bytes(), 0);
      continue;
    }
    EXPECT_EQ(transfer.tensor, "net/product:0");
    EXPECT_EQ(transfer.value.dtype, DType::kFloat);
    EXPECT_EQ(transfer.value.shape, PartialShape({2, 4}));
    EXPECT_EQ(transfer.value.Bytes(), 32);
  }
  EXPECT_EQ(num_controls, 1);
}

TEST_F(DumpTest, EveryStageReadsDifferently) {
  std::set<std::string> texts, jsons, dots;
  for (const std::string& name : StageNames()) {
    const Dump dump = At(*ParseStage(name));
    texts.insert(DumpToText(dump));
    jsons.insert(DumpToJson(dump));
    dots.insert(DumpToDot(dump));
  }
  EXPECT_EQ(texts.size(), StageNames().size());
  EXPECT_EQ(jsons.size(), StageNames().size());
  EXPECT_EQ(dots.size(), StageNames().size());
}

TEST_F(DumpTest, CountsTheBytesOfOutputs) {
  const Dump dump = At(Stage::kPlaced);
  // x and `unused` have 24 bytes each, w has 48 bytes, and the product, relu
  // and `late` have 32 bytes each.
  EXPECT_EQ(dump.devices[0].second.output_bytes, 24 + 48 + 32 + 24);
  EXPECT_EQ(dump.devices[1].second.output_bytes, 64);
  EXPECT_EQ(dump.devices[1].second.unknown_outputs, 0);
}

TEST_F(DumpTest, JsonHasTheDocumentedKeys) {
  const auto json = nlohmann::json::parse(DumpToJson(At(Stage::kPartitioned)));
  EXPECT_EQ(json["stage"], "partitioned");
  EXPECT_EQ(json["feeds"][0], "x");
  EXPECT_EQ(json["fetches"][0], "late");
  ASSERT_EQ(json["partitions"].size(), 2u);
  ASSERT_EQ(json["devices"].size(), 2u);
  for (const auto& transfer : json["transfers"]) {
    if (transfer["is_control"]) continue;
    EXPECT_EQ(transfer["tensor"], "net/product:0");
    EXPECT_EQ(transfer["dtype"], "float");
    EXPECT_THAT(transfer["shape"].get<std::vector<int>>(), ElementsAre(2, 4));
    EXPECT_EQ(transfer["bytes"], 32);
  }
  const auto& nodes = json["partitions"][0]["nodes"];
  EXPECT_EQ(json["partitions"][0]["num_nodes"], nodes.size());
  EXPECT_TRUE(nodes[0].contains("inputs"));
  EXPECT_TRUE(nodes[0]["outputs"].is_array());
}

// The product is on a GPU. The rest is on the CPU.
constexpr char kGraphWithGpu[] = R"(
  node { name: "x" op: "Placeholder" device: "/cpu:0"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } dim { size: 3 } } } } }
  node { name: "scope/early" op: "Neg" input: "x" device: "/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "square" op: "MatMul" input: "scope/early" input: "scope/early"
         device: "/gpu:0"
         attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "transpose_a" value { b: true } } }
  node { name: "late" op: "Neg" input: "square" device: "/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } }
)";

// Nothing leaves the GPU. The number of elements is computed on its host side.
constexpr char kGraphOnGpu[] = R"(
  node { name: "x" op: "Placeholder" device: "/gpu:0"
         attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: -1 } } } } }
  node { name: "size" op: "Size" input: "x" device: "/gpu:0"
         attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "out_type" value { type: DT_INT32 } } }
  node { name: "late" op: "Cast" input: "size" device: "/gpu:0"
         attr { key: "SrcT" value { type: DT_INT32 } }
         attr { key: "DstT" value { type: DT_FLOAT } } }
)";

// Plans for a CPU and two GPUs that need not exist.
class GpuDumpTest : public DumpTest {
 protected:
  void SetUp() override {
    for (const auto& [type, number] : {std::pair(kCpu, 1), {kGpu, 2}}) {
      AddNominalDevices("/job:localhost/replica:0/task:0", type, number,
                        options_.devices);
    }
  }

  Dump DumpOf(const char* text) {
    graph_ = std::make_unique<Graph>(ImportText(text, BuiltinOps()));
    options_.signature = MakeSignature(*graph_, {"x"}, {"late"});
    return At(Stage::kPartitioned);
  }
};

TEST_F(GpuDumpTest, CopiesHaveBytesAndTheNamesOfTheirTensors) {
  const Dump dump = DumpOf(kGraphWithGpu);
  ASSERT_EQ(dump.parts.size(), 2u);
  ASSERT_EQ(dump.transfers.size(), 2u);
  ASSERT_EQ(dump.copies.size(), 2u);
  const bool first_is_to_host = dump.copies[0].to == kHostMemory;
  const DumpedTransfer& to_gpu = dump.copies[first_is_to_host ? 1 : 0];
  const DumpedTransfer& to_host = dump.copies[first_is_to_host ? 0 : 1];
  EXPECT_EQ(to_gpu.tensor, "scope/early:0");
  EXPECT_EQ(to_gpu.from, kHostMemory);
  EXPECT_THAT(to_gpu.to, HasSubstr("/device:GPU:0"));
  EXPECT_EQ(to_gpu.value.Bytes(), 24);
  EXPECT_EQ(to_host.tensor, "square:0");
  EXPECT_THAT(to_host.from, HasSubstr("/device:GPU:0"));
  EXPECT_EQ(to_host.value.Bytes(), 36);
}

TEST_F(GpuDumpTest, TextAndJsonListCopies) {
  const Dump dump = DumpOf(kGraphWithGpu);
  const std::string text = DumpToText(dump);
  EXPECT_THAT(text, HasSubstr("transfers: 2, 60 B\n"));
  EXPECT_THAT(text, HasSubstr("copies to and from GPUs: 2, 60 B\n"));
  EXPECT_THAT(text, ContainsRegex("host +-> +GPU:0 +scope/early:0 +float "
                                  "\\[2,3\\] +24 B\n"));
  EXPECT_THAT(text, ContainsRegex("GPU:0 +-> +host +square:0 +float "
                                  "\\[3,3\\] +36 B\n"));
  const auto json = nlohmann::json::parse(DumpToJson(dump));
  ASSERT_EQ(json["transfers"].size(), 2u);
  ASSERT_EQ(json["copies"].size(), 2u);
  for (const auto& copy : json["copies"]) {
    const bool is_to_host = copy["to"] == "host";
    EXPECT_EQ(copy["tensor"], is_to_host ? "square:0" : "scope/early:0");
    EXPECT_EQ(copy["bytes"], is_to_host ? 36 : 24);
    EXPECT_TRUE(
        Names(dump.parts[0]).count(copy["copy_node"].get<std::string>()) +
        Names(dump.parts[1]).count(copy["copy_node"].get<std::string>()));
  }
}

TEST_F(GpuDumpTest, DotLabelsTheEdgesOfCopiesOnce) {
  const std::string dot = DumpToDot(DumpOf(kGraphWithGpu));
  const std::string edge = "\"square\" -> \"square/_to_host\"";
  const size_t at = dot.find(edge);
  ASSERT_NE(at, dot.npos) << dot;
  EXPECT_THAT(dot.substr(at), StartsWith(edge + " [style=bold, label=\"float "
                                                "[3,3]\\n36 B\"];\n"));
  EXPECT_EQ(dot.find(edge, at + 1), dot.npos);
}

TEST_F(GpuDumpTest, CopiesWithinAGpuAreCopiesWithoutTransfers) {
  const Dump dump = DumpOf(kGraphOnGpu);
  EXPECT_TRUE(dump.transfers.empty());
  ASSERT_EQ(dump.copies.size(), 1u);
  EXPECT_EQ(dump.copies[0].tensor, "size:0");
  const std::string text = DumpToText(dump);
  EXPECT_THAT(text, HasSubstr("copies to and from GPUs: 1, 4 B\n"));
  EXPECT_THAT(text, Not(HasSubstr("no transfers")));
  Dump without_copies = dump;
  without_copies.copies.clear();
  EXPECT_THAT(DumpToText(without_copies), HasSubstr("\nno transfers\n"));
}

TEST_F(DumpTest, TextIsPlainUnlessColorIsWanted) {
  const Dump dump = At(Stage::kPartitioned);
  const std::string plain = DumpToText(dump);
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(plain, HasSubstr("net/product"));
  EXPECT_THAT(plain, HasSubstr("float [2,4]"));
  EXPECT_THAT(plain, HasSubstr("32 B"));
  EXPECT_THAT(DumpToText(dump, {.color = true}), HasSubstr("\x1b["));
}

TEST_F(DumpTest, TextLeavesOutAttrsThatTypesAndShapesTell) {
  const std::string text = DumpToText(At(Stage::kImported));
  EXPECT_THAT(text, Not(HasSubstr("T=float")));
  EXPECT_THAT(text, Not(HasSubstr("Placeholder[")));
  EXPECT_THAT(DumpToJson(At(Stage::kImported)), HasSubstr("\"T\": \"float\""));
}

TEST_F(DumpTest, TextOfAThousandsOfNodesFitsAScreen) {
  Dump dump = At(Stage::kImported);
  const DumpedNode node = dump.parts[0].nodes[0];
  for (int i = 0; i < 7000; ++i) {
    DumpedNode copy = node;
    copy.name = "layer_" + std::to_string(i % 70) + "/cell_" +
                std::to_string(i / 70) + "/a_rather_long_name_of_a_node";
    dump.parts[0].nodes.push_back(copy);
  }
  const std::string text = DumpToText(dump, {.max_lines = 50, .width = 80});
  size_t start = 0, lines = 0;
  for (size_t end; (end = text.find('\n', start)) != text.npos;
       start = end + 1) {
    ++lines;
    EXPECT_LE(end - start, 80u) << text.substr(start, end - start);
  }
  EXPECT_LE(lines, 60u);
}

TEST_F(DumpTest, WithoutFetchesAllSinksAreTargets) {
  const StepSignature signature = MakeSignature(*graph_, {"x"}, {});
  EXPECT_THAT(signature.targets, UnorderedElementsAre("late", "unused"));
  EXPECT_TRUE(signature.fetches.empty());
}

TEST_F(DumpTest, UnknownNamesAreErrors) {
  options_.stage = Stage::kPruned;
  options_.signature.fetches = {"nothing"};
  const auto staged = GraphAtStage(*graph_, options_);
  EXPECT_EQ(staged.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(staged.status().message()), HasSubstr("nothing"));
}

TEST(GraphStagesTest, LoweredHasNoFunctionalControlFlowLeft) {
  auto imported = LoadGraph(
      LEAT_TESTS_DIR "/graphs/control_flow_functional.pbtxt", BuiltinOps());
  ASSERT_TRUE(imported.ok()) << imported.status();
  const auto has_op = [](const Graph& graph, const std::string& op) {
    for (NodeId id : graph.NodeIds()) {
      if (graph.node(id).op() == op) return true;
    }
    return false;
  };
  auto before = GraphAtStage(*imported, {.stage = Stage::kImported});
  auto after = GraphAtStage(*imported, {.stage = Stage::kLowered});
  ASSERT_TRUE(before.ok()) << before.status();
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_TRUE(has_op(before->whole, "StatelessIf") ||
              has_op(before->whole, "If"));
  EXPECT_FALSE(has_op(before->whole, "Switch"));
  EXPECT_FALSE(has_op(after->whole, "StatelessIf"));
  EXPECT_FALSE(has_op(after->whole, "If"));
  EXPECT_TRUE(has_op(after->whole, "Switch"));
}

}  // namespace
}  // namespace leat::dump_test
