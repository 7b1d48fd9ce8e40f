// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cost_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/costs/cost_key.h"

namespace leat::cost_table_test {
namespace {

using ::testing::ElementsAre;

double QuartileOf(const std::vector<float>& times) {
  TimeSample sample;
  for (const float time : times) sample.Add(time);
  return sample.LowerQuartile();
}

TEST(TimeSampleTest, HasTheLowerQuartile) {
  EXPECT_EQ(QuartileOf({5}), 5);
  EXPECT_EQ(QuartileOf({5, 3}), 3);
  EXPECT_EQ(QuartileOf({4, 3, 2, 1}), 1);
  EXPECT_EQ(QuartileOf({5, 4, 3, 2, 1}), 2);
  EXPECT_EQ(QuartileOf({8, 7, 6, 5, 4, 3, 2, 1}), 2);
  EXPECT_EQ(QuartileOf({16, 1, 15, 2, 14, 3, 13, 4, 12, 5, 11, 6, 10, 7, 9, 8}),
            4);
}

TEST(TimeSampleTest, IsBoundedAndForgets) {
  TimeSample sample;
  for (int i = 0; i < 100; ++i) sample.Add(1);
  EXPECT_EQ(sample.times().size(), TimeSample::kMaxTimes);
  for (int i = 0; i < 2000; ++i) sample.Add(2);
  EXPECT_EQ(sample.times().size(), TimeSample::kMaxTimes);
  EXPECT_EQ(sample.LowerQuartile(), 2);
}

// One busy step must not take the place of all that came before.
TEST(TimeSampleTest, KeepsOldTimesForAWhile) {
  TimeSample sample;
  for (int i = 0; i < 1000; ++i) sample.Add(1);
  for (int i = 0; i < 16; ++i) sample.Add(2);
  EXPECT_EQ(sample.LowerQuartile(), 1);
}

TEST(DeviceCostsTest, DropsTimesAndCountsThatCannotBe) {
  DeviceCosts costs;
  for (const float time : {-1.0f, 2e6f, INFINITY, NAN}) {
    costs.AddTime("k", time);
  }
  EXPECT_EQ(costs.FindKernel("k"), nullptr);
  for (const double count : {-1.0, 1e300, double{INFINITY}, double{NAN}}) {
    costs.AddRuns({.name = "a", .steps = count, .runs = 1});
    costs.AddRuns({.name = "b", .steps = 1, .runs = count});
    costs.AddRuns(
        {.name = "c", .steps = 1, .runs = 1, .output_bytes = {count}});
  }
  EXPECT_TRUE(costs.nodes().empty());
}

TEST(DeviceCostsTest, AddsRunsAndKeepsTheMostBytes) {
  DeviceCosts costs;
  costs.AddRuns({.name = "n", .steps = 1, .runs = 3, .output_bytes = {4}});
  costs.AddRuns({.name = "n", .steps = 1, .runs = 5, .output_bytes = {2, 8}});
  const NodeRuns* const runs = costs.FindNode("n");
  ASSERT_NE(runs, nullptr);
  EXPECT_EQ(runs->steps, 2);
  EXPECT_EQ(runs->runs, 8);
  EXPECT_THAT(runs->output_bytes, ElementsAre(4, 8));
}

TEST(DeviceCostsTest, ForgetsHowOftenNodesRanLongAgo) {
  DeviceCosts costs;
  for (int i = 0; i < 10'000; ++i) {
    costs.AddRuns({.name = "n", .steps = 1, .runs = 1});
  }
  for (int i = 0; i < 10'000; ++i) {
    costs.AddRuns({.name = "n", .steps = 1, .runs = 9});
  }
  const NodeRuns* const runs = costs.FindNode("n");
  EXPECT_NEAR(runs->runs / runs->steps, 9, 0.1);
}

TEST(DeviceCostsTest, HasLimits) {
  DeviceCosts costs;
  const std::string long_name(DeviceCosts::kMaxName + 1, 'n');
  costs.AddRuns({.name = long_name, .steps = 1, .runs = 1});
  EXPECT_TRUE(costs.nodes().empty());
  costs.AddRuns({.name = "wide",
                 .steps = 1,
                 .runs = 1,
                 .output_bytes = std::vector<double>(1000, 1)});
  EXPECT_EQ(costs.FindNode("wide")->output_bytes.size(),
            DeviceCosts::kMaxOutputs);
  for (size_t i = 0; i < DeviceCosts::kMaxNodes + 10; ++i) {
    costs.AddRuns({.name = absl::StrCat(i), .steps = 1, .runs = 1});
  }
  EXPECT_EQ(costs.nodes().size(), DeviceCosts::kMaxNodes);
}

TEST(DeviceCostsTest, LimitsTheKernels) {
  DeviceCosts costs;
  for (size_t i = 0; i < DeviceCosts::kMaxKernels + 10; ++i) {
    costs.AddTime(absl::StrCat(i), 1);
  }
  EXPECT_EQ(costs.kernels().size(), DeviceCosts::kMaxKernels);
  // What is known goes on being measured.
  costs.AddTime("0", 3);
  EXPECT_EQ(costs.FindKernel("0")->times().size(), 2u);
}

TEST(DeviceCostsTest, LimitsTheBytes) {
  DeviceCosts costs;
  for (size_t i = 0; i < DeviceCosts::kMaxKernels; ++i) {
    costs.AddTime(absl::StrCat(std::string(1000, 'k'), i), 1);
  }
  EXPECT_LT(costs.kernels().size() * 1000, DeviceCosts::kMaxBytes);
}

TEST(DeviceCostsTest, TakesFromOthersWhatIsUnknown) {
  DeviceCosts costs;
  costs.AddTime("both", 1);
  costs.AddRuns({.name = "both", .steps = 1, .runs = 1});
  DeviceCosts others;
  others.AddTime("both", 5);
  others.AddTime("other", 7);
  others.AddRuns({.name = "both", .steps = 1, .runs = 5});
  others.AddRuns({.name = "other", .steps = 1, .runs = 7});
  costs.AddUnknown(others);
  EXPECT_THAT(costs.FindKernel("both")->times(), ElementsAre(1));
  EXPECT_THAT(costs.FindKernel("other")->times(), ElementsAre(7));
  EXPECT_EQ(costs.FindNode("both")->runs, 1);
  EXPECT_EQ(costs.FindNode("other")->runs, 7);
}

TEST(CostTableTest, AnswersByKindNodeAndInputs) {
  const NodeDef node = {.name = "n",
                        .op = BuiltinOps().Find("Square"),
                        .attrs = {{"T", DType::kFloat}}};
  const std::vector<TensorSpec> inputs = {{DType::kFloat, {8}}};
  CostTable table;
  table.Update("CPU", [&](DeviceCosts& costs) {
    costs.AddTime(CostKey(node, inputs), 0.5);
    costs.AddRuns({.name = "n", .steps = 2, .runs = 6, .output_bytes = {32}});
  });
  EXPECT_EQ(table.Seconds("CPU", node, inputs), 0.5);
  EXPECT_EQ(table.Seconds("GPU", node, inputs), std::nullopt);
  EXPECT_EQ(table.Seconds("CPU", node, {{DType::kFloat, {9}}}), std::nullopt);
  EXPECT_EQ(table.RunsPerStep("n"), 3);
  EXPECT_EQ(table.RunsPerStep("m"), std::nullopt);
  EXPECT_EQ(table.OutputBytes("n"), std::vector<double>{32});
  EXPECT_EQ(table.OutputBytes("m"), std::nullopt);
}

TEST(CostTableTest, LimitsTheKinds) {
  CostTable table;
  for (size_t i = 0; i < CostTable::kMaxKinds + 5; ++i) {
    table.Update(absl::StrCat(i), [](DeviceCosts&) {});
  }
  EXPECT_EQ(table.kinds().size(), CostTable::kMaxKinds);
}

}  // namespace
}  // namespace leat::cost_table_test
