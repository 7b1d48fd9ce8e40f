// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that a session gives TensorFlow's results for TensorFlow's functional
// control flow. tests/interop/make_control_flow.py writes the graphs and the
// values.
#include <algorithm>
#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/runtime/functional_graphs.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::lowered_control_flow_test {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<Session> OpenSession(const std::string& path, int num_cpus) {
  absl::StatusOr<Graph> graph = LoadGraph(path, BuiltinOps());
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return nullptr;
  auto session = NewTestSession(
      *graph, {.devices = {.num_cpus = num_cpus, .num_threads = 2}});
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

double NumberIn(const Tensor& tensor) {
  return tensor.dtype() == DType::kInt32 ? tensor.scalar<int32_t>()
                                         : tensor.scalar<float>();
}

TEST(LoweredControlFlowTest, YieldsWhatTensorFlowYields) {
  const auto cases = FunctionalSteps();
  EXPECT_GE(cases.size(), 16);
  for (const auto& [name, steps] : cases) {
    auto session = OpenSession(FunctionalGraphPath(name), 2);
    if (session == nullptr) continue;
    for (const FunctionalStep& step : steps) {
      auto out = session->Run(step.Args());
      if (!out.ok()) {
        ADD_FAILURE() << step.text << "\n" << out.status();
        continue;
      }
      for (size_t i = 0; i < step.fetches.size(); ++i) {
        const double expected = step.fetches[i].second;
        EXPECT_NEAR(NumberIn((*out)[i]), expected,
                    2e-6 * std::max(1.0, std::abs(expected)))
            << step.text;
      }
    }
  }
}

TEST(LoweredControlFlowTest, RefusesADeadFetchAndGoesOn) {
  auto session = OpenSession(FunctionalGraphPath("while_in_cond"), 1);
  ASSERT_NE(session, nullptr);
  const std::string in_else = "choice/else/pivot";
  auto dead = session->Run(
      {.feeds = {{"x", Tensor::Scalar(2.0f)}}, .fetches = {in_else}});
  EXPECT_EQ(dead.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(dead.status().message(), HasSubstr(in_else));
  auto live =
      session->Run({.feeds = {{"x", Tensor::Scalar(2.0f)}}, .fetches = {"y"}});
  ASSERT_TRUE(live.ok()) << live.status();
  EXPECT_EQ((*live)[0].scalar<float>(), 4);
}

TEST(LoweredControlFlowTest, KeepsStateWhenTheGraphIsExtended) {
  auto session = OpenSession(FunctionalGraphPath("while_with_resource"), 2);
  ASSERT_NE(session, nullptr);
  ASSERT_TRUE(session->Run({.targets = {"init"}}).ok());
  const RunArgs loop = {.feeds = {{"n", Tensor::Scalar(5.0f)}},
                        .fetches = {"i"}};
  ASSERT_TRUE(session->Run(loop).ok());
  ASSERT_TRUE(session->Extend(Graph(BuiltinOps())).ok());
  auto value = session->Run({.fetches = {"value"}});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].scalar<float>(), 58);
}

}  // namespace
}  // namespace leat::lowered_control_flow_test
