// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/readiness.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/train/session.h"

namespace leat::readiness_test {
namespace {

using ::testing::ElementsAre;
using testing::InProcessCluster;

TEST(ReadinessTest, NamesWhatIsNotInitialized) {
  InProcessCluster cluster({{"ps", 2}, {"worker", 1}});
  for (const bool resource : {true, false}) {
    GraphBuilder b;
    std::vector<Operation> initializers;
    for (int i = 0; i < 4; ++i) {
      const Scope device = b.OnDevice(absl::StrCat("/job:ps/task:", i % 2));
      initializers.push_back(b.Variable(absl::StrCat(resource ? "v" : "r", i),
                                        b.Const(1.0f),
                                        {.use_resource = resource})
                                 .initializer());
    }
    const Scope device = b.OnDevice("/job:worker/task:0");
    const Output missing = UninitializedVariables(b);
    auto session =
        cluster.NewSession(*b.Build(), {.job = "worker", .index = 0});
    ASSERT_TRUE(session.ok()) << session.status();
    const auto look = [&] {
      auto fetched = (*session)->Run({.fetches = {missing}});
      EXPECT_TRUE(fetched.ok()) << fetched.status();
      std::vector<std::string> names;
      for (const std::string& name : (*fetched)[0].data<std::string>()) {
        names.push_back(name.substr(1));
      }
      return names;
    };
    EXPECT_THAT(look(), ElementsAre("0", "2", "1", "3"));
    for (const int i : {2, 1}) {
      EXPECT_TRUE((*session)->Run({.targets = {initializers[i]}}).ok());
    }
    EXPECT_THAT(look(), ElementsAre("0", "3"));
    for (const int i : {0, 3}) {
      EXPECT_TRUE((*session)->Run({.targets = {initializers[i]}}).ok());
    }
    EXPECT_THAT(look(), ElementsAre());
  }
}

TEST(ReadinessTest, NothingIsMissingWithoutVariables) {
  GraphBuilder b;
  const Output missing = UninitializedVariables(b);
  auto session = NewSession(*b.Build());
  ASSERT_TRUE(session.ok()) << session.status();
  auto fetched = (*session)->Run({.fetches = {missing}});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ((*fetched)[0].num_elements(), 0);
}

TEST(ReadinessTest, KnowsHowManyVariablesATensorIsAbout) {
  GraphBuilder b;
  const Variable v = b.Variable("v", b.Const(1.0f));
  b.Variable("r", b.Const(1.0f), {.use_resource = false});
  const Output all = UninitializedVariables(b);
  const Output one = UninitializedVariables(b, {&v, 1});
  const Graph graph = *b.Build();
  EXPECT_EQ(NumVariablesOf(graph, all.name()), 2u);
  EXPECT_EQ(NumVariablesOf(graph, all.operation().name()), 2u);
  EXPECT_EQ(NumVariablesOf(graph, one.name()), 1u);
  EXPECT_EQ(NumVariablesOf(graph, v.value().name()), 0u);
  EXPECT_EQ(NumVariablesOf(graph, "nothing:0"), 0u);
  EXPECT_EQ(NumVariablesOf(graph, ""), 0u);
}

}  // namespace
}  // namespace leat::readiness_test
