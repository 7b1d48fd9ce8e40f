// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how the programs measure what nodes cost, and predict steps on cluster
// models.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/tools/processes/run_program.h"
#include "leat/tools/tensors/npy.h"

namespace leat::predictions_test {
namespace {

using ::leat::testing::Content;
using ::leat::testing::Ended;
using ::leat::testing::ExpectEnd;
using ::leat::testing::GraphDump;
using ::leat::testing::Leat;
using ::leat::testing::Path;
using ::leat::testing::Process;
using ::leat::testing::ServeAlone;
using ::leat::testing::Write;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kOneMachine[] =
    LEAT_TESTS_DIR "/../examples/clusters/one_machine.json";

// Returns a cluster model of one host with one CPU device.
std::string ModelOf(const std::string& kind) {
  return absl::StrCat(R"({"kinds": {")", kind, R"(": {"type": "CPU"}},
      "hosts": [{"name": "m", "cores": 1, "memory_bytes": 1e9, "tasks": [
          {"job": "localhost", "devices": [{"kind": ")",
                      kind, R"("}]}]}]})");
}

// Returns the text of the only cost file in a folder.
std::string CostsIn(const std::string& folder) {
  std::string text;
  int num_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    text = Content(entry.path());
    ++num_files;
  }
  EXPECT_EQ(num_files, 1);
  return text;
}

// Returns the value of a field of a cost file that has the form `field: "..."`.
std::string TextIn(const std::string& costs, const std::string& field) {
  const std::vector<std::string> before =
      absl::StrSplit(costs, absl::MaxSplits(field + ": \"", 1));
  EXPECT_EQ(before.size(), 2U) << costs;
  return before.size() < 2 ? "" : before[1].substr(0, before[1].find('"'));
}

class PredictionsTest : public ::testing::Test {
 protected:
  // The graph computes y = -x for a vector of two elements. Planning knows all
  // shapes, because the placeholder has one.
  void SetUp() override {
    std::filesystem::create_directories(Path(""));
    graph_ = Write("model.pbtxt", R"(
      node { name: "x" op: "Placeholder"
             attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape { dim { size: 2 } } } } }
      node { name: "y" op: "Neg" input: "x"
             attr { key: "T" value { type: DT_FLOAT } } }
    )");
    ASSERT_TRUE(WriteNpy(Tensor::Vector<float>({1, 2}), Path("x.npy")).ok());
  }
  void TearDown() override { std::filesystem::remove_all(Path("")); }

  // Runs 30 steps of the graph with the given flags.
  Ended RunSteps(const std::vector<std::string>& flags) const {
    std::vector<std::string> args = {
        "run",     graph_, "--feed",  "x=@" + Path("x.npy"),
        "--fetch", "y",    "--steps", "30"};
    args.insert(args.end(), flags.begin(), flags.end());
    return Leat(args);
  }

  std::string graph_;
};

TEST_F(PredictionsTest, StepsLeaveWhatTheyCost) {
  const std::string local = Path("local");
  const Ended run = RunSteps({"--costs", local});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(CostsIn(local), HasSubstr(R"("Neg(float[2]){T=float}")"));

  const std::string served = Path("served");
  std::vector<std::string> args = ServeAlone();
  args.insert(args.end(), {"--costs", served});
  Process server(LEAT_PROGRAM_LEAT, args);
  const std::string target = "grpc://" + testing::AddressOf(server);
  const Ended client = RunSteps({"--target", target});
  EXPECT_EQ(client.code, 0) << client.err;
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 128 + SIGTERM) << server.Err();
  EXPECT_THAT(CostsIn(served), HasSubstr(R"("Neg(float[2]){T=float}")"));

  ExpectEnd(RunSteps({"--target", target, "--costs", local}), 1,
            "the option costs_folder is for local sessions");
}

TEST_F(PredictionsTest, BadCostFilesAreRefused) {
  const std::string folder = Path("costs");
  std::filesystem::create_directories(folder);
  Write("costs/CPU.costs.pbtxt", "version: 9");
  const std::string problem = "CPU.costs.pbtxt' has version 9, and not 1";
  ExpectEnd(RunSteps({"--costs", folder}), 1, problem);
  std::vector<std::string> args = ServeAlone();
  args.insert(args.end(), {"--costs", folder});
  ExpectEnd(Leat(args), 3, problem);
  ExpectEnd(GraphDump({graph_, "--cluster-model", kOneMachine, "--simulate",
                       "--costs", folder}),
            3, problem);
}

TEST_F(PredictionsTest, StepsAreSimulatedOnClusterModels) {
  const Ended text =
      GraphDump({graph_, "--cluster-model", kOneMachine, "--simulate"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("simulated step on "),
                              HasSubstr("critical path")));
  const Ended json = GraphDump({graph_, "--cluster-model", kOneMachine,
                                "--simulate", "--format", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"step_seconds\""));
  const Ended placed = GraphDump({graph_, "--cluster-model", kOneMachine});
  EXPECT_EQ(placed.code, 0) << placed.err;
  EXPECT_THAT(placed.out, AllOf(HasSubstr("/job:localhost/replica:0/task:0"),
                                Not(HasSubstr("simulated"))));
}

TEST_F(PredictionsTest, MeasuredCostsCountForKindsOfTheirName) {
  const std::string costs = Path("costs");
  ASSERT_EQ(RunSteps({"--costs", costs}).code, 0);
  const auto simulate = [&](const std::string& model) {
    return GraphDump({graph_, "--feed", "x", "--fetch", "y", "--simulate",
                      "--cluster-model", model, "--costs", costs, "--format",
                      "json"});
  };
  const std::string kind = TextIn(CostsIn(costs), "device_kind");
  const Ended measured = simulate(Write("model.json", ModelOf(kind)));
  EXPECT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr(R"("origin": "measured")"));
  ExpectEnd(simulate(Write("other.json", ModelOf("other"))), 3,
            "no costs of a kind in the cluster model");
  ExpectEnd(GraphDump({graph_, "--costs", costs}), 2, "--simulate");
}

TEST_F(PredictionsTest, WrongClusterModelsAreRefused) {
  ExpectEnd(GraphDump({graph_, "--simulate"}), 3, "--cluster-model");
  const std::string bad = Write("bad.json", R"({"kinds": {"a": 1}})");
  ExpectEnd(GraphDump({graph_, "--cluster-model", bad}), 3, "kinds['a'] is 1");
  ExpectEnd(GraphDump({graph_, "--cluster-model", Path("nosuch.json")}), 3,
            "nosuch.json");
  const std::string fifo = Path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  ExpectEnd(GraphDump({graph_, "--cluster-model", fifo}), 3, fifo);
  ExpectEnd(GraphDump({graph_, "--cluster-model", kOneMachine, "--job", "a"}),
            3, "--job");
  ExpectEnd(GraphDump({graph_, "--cluster-model", kOneMachine, "--simulate",
                       "--stage", "placed"}),
            3, "'placed'");
  ExpectEnd(
      GraphDump({graph_, "--cluster-model", kOneMachine, "--devices", "cpu:2"}),
      2, "--devices");
}

}  // namespace
}  // namespace leat::predictions_test
