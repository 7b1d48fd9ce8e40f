// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "leat/protos/config.pb.h"
#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::passes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(PassesTest, OnePassMakesWorkForAnother) {
  keep = {"y", "init"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    if (b == &given) {
      const Output half = Const(*b, "half", Tensor::Scalar(0.5f));
      const Output one = Add(*b, "AddV2", "one", {half, half});
      const Output same = Add(*b, "Mul", "same", {x, one});
      const Output a = Add(*b, "Neg", "a", {same});
      const Output c = Add(*b, "Neg", "c", {x});
      Add(*b, "AddV2", "y", {a, c});
    } else {
      const Output a = Add(*b, "Neg", "a", {x});
      Add(*b, "AddV2", "y", {a, a});
    }
  }
  EXPECT_EQ(Difference({"arithmetic", "constant_folding", "cse", "dead_nodes",
                        "identity_removal", "fusion"}),
            "");
}

TEST_F(PassesTest, RunsWhatTheOptionsAllow) {
  const Output x = Feed(given, "x");
  Add(given, "Identity", "y", {x});
  std::vector<std::string> ran;
  options.after_pass = [&](const Pass& pass, bool, const Graph&) {
    ran.push_back(pass.name);
  };
  Graph graph = Placed(given);
  options.optimizer.disabled_passes = {"cse", "identity_removal"};
  ASSERT_TRUE(RunPasses(graph, BuiltinPasses(), options).ok());
  EXPECT_THAT(ran, ElementsAre("arithmetic", "constant_folding", "dead_nodes",
                               "fusion"));
  ran.clear();
  options.optimizer.level = OptimizeLevel::kOff;
  ASSERT_TRUE(RunPasses(graph, BuiltinPasses(), options).ok());
  EXPECT_THAT(ran, IsEmpty());
}

TEST(OptimizerOptionsTest, FollowTensorFlowsConfig) {
  pb::GraphOptions config;
  EXPECT_EQ(OptimizerOptionsFrom(config).level, OptimizeLevel::kOn);
  EXPECT_EQ(OptimizerOptionsFrom(config).max_folded_bytes, 10 << 20);
  config.mutable_optimizer_options()->set_max_folded_constant_in_bytes(7);
  config.mutable_rewrite_options()->set_remapping(pb::RewriterConfig::OFF);
  config.mutable_rewrite_options()->set_constant_folding(
      pb::RewriterConfig::AGGRESSIVE);
  const OptimizerOptions some = OptimizerOptionsFrom(config);
  EXPECT_EQ(some.max_folded_bytes, 7);
  EXPECT_THAT(some.disabled_passes, ElementsAre("fusion"));
  config.mutable_rewrite_options()->set_disable_meta_optimizer(true);
  EXPECT_EQ(OptimizerOptionsFrom(config).level, OptimizeLevel::kOff);
  config.Clear();
  config.mutable_optimizer_options()->set_opt_level(pb::OptimizerOptions::L0);
  EXPECT_EQ(OptimizerOptionsFrom(config).level, OptimizeLevel::kOff);
}

TEST(OptimizerOptionsTest, SurviveTheWayToAnotherProcess) {
  OptimizerOptions options;
  options.disabled_passes = {
      "constant_folding", "fusion",           "cse",
      "arithmetic",       "identity_removal", "dead_nodes"};
  options.max_folded_bytes = 1234;
  pb::GraphOptions sent;
  ExportOptimizerOptions(options, sent);
  const OptimizerOptions received = OptimizerOptionsFrom(sent);
  EXPECT_EQ(received.disabled_passes, options.disabled_passes);
  EXPECT_EQ(received.max_folded_bytes, 1234);
  EXPECT_EQ(received.level, OptimizeLevel::kOn);

  options.level = OptimizeLevel::kOff;
  options.max_folded_bytes = 0;
  ExportOptimizerOptions(options, sent);
  EXPECT_EQ(OptimizerOptionsFrom(sent).level, OptimizeLevel::kOff);
  EXPECT_EQ(OptimizerOptionsFrom(sent).max_folded_bytes, 1);
}

TEST(OptimizerOptionsTest, TogglesNamePassesThatExist) {
  pb::GraphOptions config;
  pb::RewriterConfig& toggles = *config.mutable_rewrite_options();
  toggles.set_constant_folding(pb::RewriterConfig::OFF);
  toggles.set_remapping(pb::RewriterConfig::OFF);
  toggles.set_common_subgraph_elimination(pb::RewriterConfig::OFF);
  toggles.set_arithmetic_optimization(pb::RewriterConfig::OFF);
  toggles.set_dependency_optimization(pb::RewriterConfig::OFF);
  toggles.set_disable_model_pruning(true);
  const auto disabled = OptimizerOptionsFrom(config).disabled_passes;
  std::vector<std::string> names;
  for (const Pass& pass : BuiltinPasses().passes()) names.push_back(pass.name);
  EXPECT_THAT(disabled, ::testing::UnorderedElementsAreArray(names));
}

}  // namespace
}  // namespace leat::testing::passes_test
