// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump_simulation.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tools/dumps/dump.h"
#include "leat/tools/dumps/dump_json.h"
#include "leat/tools/dumps/dump_simulation_text.h"
#include "leat/tools/dumps/dump_text.h"
#include "leat/tools/dumps/graph_stages.h"
#include "nlohmann/json.hpp"

namespace leat::dump_simulation_test {
namespace {

using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// A product of 1000 x 1000 matrices takes 2 seconds on the worker, and its
// 4 MB take a second to the parameter server.
constexpr char kModel[] = R"({
  "kinds": {"core": {"type": "CPU", "rates": {
      "flops_per_second": {"float": 1e9}, "bytes_per_second": 1e12,
      "seconds_per_op": 0}}},
  "hosts": [
    {"name": "w", "cores": 1, "memory_bytes": 1e9,
     "tasks": [{"job": "worker", "devices": [{"kind": "core", "count": 2}]}]},
    {"name": "p", "cores": 1, "memory_bytes": 1e9,
     "tasks": [{"job": "ps", "devices": [{"kind": "core"}]}]}],
  "links": [{"between": "hosts", "latency_seconds": 0,
             "bytes_per_second": 4e6}]})";

std::string Matrix(const std::string& name) {
  return NodeText(name, "Placeholder", {},
                  "attr { key: 'dtype' value { type: DT_FLOAT } } "
                  "attr { key: 'shape' value { shape { dim { size: 1000 } "
                  "dim { size: 1000 } } } } device: '/job:worker' ");
}

class DumpSimulationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Graph graph = ImportText(
        Matrix("x") +
            NodeText("product", "MatMul", {"x", "x"},
                     absl::StrCat(Float(), "device: '/job:worker' ")) +
            NodeText("far", "Relu", {"product"},
                     absl::StrCat(Float(), "device: '/job:ps' ")),
        BuiltinOps());
    const auto model = ClusterModel::FromJson(kModel, "m.json");
    ASSERT_TRUE(model.ok()) << model.status();
    StageOptions options;
    options.devices = model->DeviceInfos();
    options.signature = MakeSignature(graph, {"x"}, {"far"});
    const auto staged = GraphAtStage(graph, options);
    ASSERT_TRUE(staged.ok()) << staged.status();
    const StageShapes shapes = InferStageShapes(graph, *staged, options);
    dump = MakeDump(*staged, shapes, options, "g.pbtxt");
    auto simulation =
        SimulateForDump(staged->parts, shapes.parts, *model, "m.json");
    ASSERT_TRUE(simulation.ok()) << simulation.status();
    dump.simulation = *std::move(simulation);
  }

  Dump dump;
};

TEST_F(DumpSimulationTest, TellsTimesMemoryAndTheCriticalPath) {
  const DumpedSimulation& simulation = *dump.simulation;
  EXPECT_NEAR(simulation.step_seconds, 3, 0.01);
  EXPECT_NEAR(simulation.critical_path_seconds, 2, 0.01);
  EXPECT_EQ(simulation.num_processors, 2);
  EXPECT_EQ(simulation.num_unused_devices, 1);
  ASSERT_THAT(simulation.devices, SizeIs(2));
  EXPECT_EQ(simulation.devices[0].kind, "core");
  EXPECT_NEAR(simulation.devices[0].busy_seconds, 2, 0.01);
  EXPECT_NEAR(simulation.devices[0].idle_seconds, 1, 0.01);
  EXPECT_EQ(simulation.devices[0].peak_bytes, 8e6);
  EXPECT_EQ(simulation.num_transfers, 1);
  EXPECT_EQ(simulation.transferred_bytes, 4e6);
  ASSERT_FALSE(simulation.costliest.empty());
  EXPECT_EQ(simulation.costliest[0].name, "product");
  EXPECT_EQ(simulation.costliest[0].origin, CostOrigin::kCalibrated);
  ASSERT_GE(simulation.path.size(), 2u);
  EXPECT_EQ(simulation.path[0].name, "product");
  EXPECT_EQ(simulation.path[1].name, "product");
  EXPECT_THAT(simulation.path[1].to, HasSubstr("/job:ps"));
  EXPECT_THAT(simulation.path[1].bytes, DoubleEq(4e6));
}

TEST_F(DumpSimulationTest, IsWrittenForPeople) {
  const std::string text = DumpToText(dump);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("simulated step on m.json: 3.001 s\n"),
            HasSubstr(
                "at least 2.001 s with any plan: all nodes need 2.001 s of 2 "
                "processors, the longest chain of nodes 2.001 s"),
            HasSubstr("messages between tasks: 1, 3.8 MiB"),
            HasSubstr("devices that have nothing to do: 1\n"),
            HasSubstr("nodes that take longest"), HasSubstr("calibrated"),
            HasSubstr("3.8 MiB travel"), HasSubstr(" 67 %")));
  dump.simulation.reset();
  EXPECT_THAT(DumpToText(dump), Not(HasSubstr("simulated")));
}

TEST_F(DumpSimulationTest, IsWrittenForPrograms) {
  const auto json = nlohmann::json::parse(DumpToJson(dump));
  const auto& simulation = json["simulation"];
  EXPECT_EQ(simulation["cluster"], "m.json");
  EXPECT_EQ(simulation["step_seconds"], dump.simulation->step_seconds);
  EXPECT_EQ(simulation["bound_seconds"], dump.simulation->bound_seconds);
  EXPECT_EQ(simulation["devices"].size(), 2u);
  EXPECT_EQ(simulation["devices"][0]["peak_bytes"], 8e6);
  EXPECT_EQ(simulation["num_costs"]["measured"], 0);
  EXPECT_EQ(simulation["costliest"][0]["origin"], "calibrated");
  EXPECT_EQ(simulation["critical_path"][0]["op"], "MatMul");
  EXPECT_EQ(simulation["critical_path"][1]["bytes"], 4e6);
  dump.simulation.reset();
  EXPECT_FALSE(nlohmann::json::parse(DumpToJson(dump)).contains("simulation"));
}

TEST_F(DumpSimulationTest, SaysWhichLoopsAreAssumed) {
  dump.simulation->loops = {
      {.name = "a/while", .is_assumed = true},
      {.name = "b/while", .trips = 1e6, .simulated_trips = 500}};
  EXPECT_THAT(
      DumpToText(dump),
      AllOf(HasSubstr("loop a/while: assumed to turn once, because no step was "
                      "measured\n"),
            HasSubstr("loop b/while: turns 1e+06 times, simulated by 500 "
                      "longer turns\n")));
}

TEST(PathTest, KeepsTheLongestElementsInTheirOrder) {
  std::vector<DumpedPathStep> path;
  double begin = 0;
  for (const double seconds : {3.0, 1.0, 2.0, 5.0}) {
    path.push_back({.begin = begin, .end = begin + seconds});
    begin += seconds;
  }
  EXPECT_THAT(LongestPathSteps(path, 4), SizeIs(4));
  const auto longest = LongestPathSteps(path, 2);
  ASSERT_THAT(longest, SizeIs(2));
  EXPECT_EQ(longest[0].begin, 0);
  EXPECT_EQ(longest[1].begin, 6);
}

TEST(SecondsTextTest, ChoosesTheUnit) {
  EXPECT_EQ(SecondsText(0), "0 s");
  EXPECT_EQ(SecondsText(2.5e-8), "25 ns");
  EXPECT_EQ(SecondsText(1.5e-5), "15 us");
  EXPECT_EQ(SecondsText(0.01234), "12.3 ms");
  EXPECT_EQ(SecondsText(9.999e-4), "1 ms");
  EXPECT_EQ(SecondsText(75), "75 s");
}

}  // namespace
}  // namespace leat::dump_simulation_test
