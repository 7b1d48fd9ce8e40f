// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares a session whose graph was extended several times with a session that
// was created with the whole graph.
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/random_pieces.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::extended_session_test {
namespace {

std::shared_ptr<Session> NewSession(const Graph& graph) {
  auto session =
      NewTestSession(graph, {.devices = {.num_cpus = 3, .num_threads = 1}});
  return session.ok() ? *session : nullptr;
}

std::vector<float> Fetch(Session& session,
                         const std::vector<std::string>& names) {
  RunArgs args;
  for (const std::string& name : names) args.fetches.push_back(name);
  const auto out = session.Run(args);
  EXPECT_TRUE(out.ok()) << out.status();
  std::vector<float> values;
  if (!out.ok()) return values;
  for (const Tensor& value : *out) values.push_back(value.scalar<float>());
  return values;
}

// Each call of Extend passes the whole graph of the client. It contains all
// nodes that the session already has.
TEST(ExtendedSessionTest, ComputesWhatASessionOfTheWholeGraphComputes) {
  const uint64_t num_seeds = NumTries<uint64_t>(60);
  uint64_t num_extended = 0;
  for (uint64_t seed = 0; seed < num_seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomPieces pieces(seed, {.devices = {"/cpu:1", "/cpu:2"}});
    std::mt19937_64 random(seed);
    std::string text = Functions();
    const auto add = [&] {
      for (size_t i = 0; i < 1 + random() % 8; ++i) text += pieces.Next();
      return ImportText(text, BuiltinOps());
    };
    Graph graph = add();
    const auto extended = NewSession(graph);
    if (extended == nullptr) continue;  // constraints contradict each other
    for (int i = 0; i < 4; ++i) {
      graph = add();
      const bool is_placed = extended->Extend(graph).ok();
      const auto whole = NewSession(graph);
      ASSERT_EQ(is_placed, whole != nullptr);
      if (!is_placed) break;
      EXPECT_EQ(Fetch(*extended, pieces.floats()),
                Fetch(*whole, pieces.floats()));
      ++num_extended;
    }
  }
  EXPECT_GT(num_extended, num_seeds);
}

TEST(ExtendedSessionTest, TakesOnlyTheNewNodesAndWhatTheyUse) {
  const std::string x = FloatPlaceholder("x");
  const auto session =
      NewSession(ImportText(x + Neg("a", "x") + Neg("b", "a"), BuiltinOps()));
  ASSERT_NE(session, nullptr);
  // In this graph, the nodes have other ids than in the session's graph, and
  // the control edges are in another order.
  EXPECT_EQ(session->Extend(ImportText(
                Neg("c", "b") + Neg("b", "a") + Neg("a", "x") + x +
                    NodeText("d", "Neg", {"c", "^b", "^a", "^x"}, Float()),
                BuiltinOps())),
            absl::OkStatus());
  EXPECT_EQ(session->Extend(
                ImportText(x + NodeText("e", "Neg", {"x", "^a"}, Float()) +
                               NodeText("a", "Neg", {"x"}, Float()),
                           BuiltinOps())),
            absl::OkStatus());
  const absl::Status other = session->Extend(
      ImportText(x + Neg("f", "x") + Neg("b", "x"), BuiltinOps()));
  EXPECT_THAT(std::string(other.message()),
              ::testing::HasSubstr("'b' cannot be added"));
  RunArgs args{.feeds = {{"x", Tensor::Scalar(2.0f)}}, .fetches = {"d", "e"}};
  const auto out = session->Run(args);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 2);
  EXPECT_EQ((*out)[1].scalar<float>(), -2);
  args.fetches = {"f"};
  EXPECT_TRUE(absl::IsNotFound(session->Run(args).status()));
}

}  // namespace
}  // namespace leat::extended_session_test
