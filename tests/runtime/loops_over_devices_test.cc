// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that loops give the same results on one device and on three devices. A
// seeded generator spreads the nodes over the three devices in many ways.
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/runtime/loop_graphs.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::loops_over_devices_test {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<Session> NewSession(const Graph& graph, int num_cpus,
                                    const std::string& policy) {
  auto session = NewTestSession(
      graph, {.devices = {.num_cpus = num_cpus, .num_threads = 2},
              .placement_policy = policy});
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

absl::StatusOr<float> RunCase(Session& session, float n) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                        session.Run({.feeds = {{"n", Tensor::Scalar(n)}},
                                     .fetches = {kResult},
                                     .options = {.timeout = kTimeout}}));
  return out[0].scalar<float>();
}

Graph Dealt(const Graph& graph, int num_cpus, uint32_t seed) {
  std::vector<std::string> devices;
  for (int i = 0; i < num_cpus; ++i) {
    devices.push_back(absl::StrCat("/cpu:", i));
  }
  return Dealt(graph, devices, seed);
}

TEST(LoopsOverDevicesTest, GiveTheResultsOfOneDevice) {
  for (const LoopCase& c : LoopCases()) {
    SCOPED_TRACE(c.name);
    auto one = NewSession(c.graph, 1, kDefaultPolicy);
    ASSERT_NE(one, nullptr);
    std::map<float, float> expected;
    for (const float n : {0.0f, 1.0f, 2.0f, 7.0f}) {
      auto y = RunCase(*one, n);
      ASSERT_TRUE(y.ok()) << y.status();
      expected[n] = *y;
    }
    for (uint32_t seed = 0; seed < NumTries(40u); ++seed) {
      const int num_cpus = seed % 2 == 0 ? 2 : 3;
      auto many = NewSession(Dealt(c.graph, num_cpus, seed), num_cpus,
                             seed % 4 < 2 ? "greedy" : "round_robin");
      ASSERT_NE(many, nullptr);
      for (const auto& [n, value] : expected) {
        auto y = RunCase(*many, n);
        ASSERT_TRUE(y.ok())
            << "seed " << seed << ", n " << n << ": " << y.status();
        ASSERT_EQ(*y, value) << "seed " << seed << ", n " << n;
      }
    }
  }
}

// The loops run more iterations than may run in parallel.
TEST(LoopsOverDevicesTest, MayBeLong) {
  for (const int64_t parallel : {1, 10, 1000}) {
    for (uint32_t seed = 100; seed < 103; ++seed) {
      auto session =
          NewSession(Dealt(SumGraph(parallel), 3, seed), 3, kDefaultPolicy);
      ASSERT_NE(session, nullptr);
      auto y = RunCase(*session, 2000.0f);
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(*y, 2001000.0f);
    }
  }
}

// Moves one node at a time to the other device.
TEST(LoopsOverDevicesTest, AnyOneNodeMayBeElsewhere) {
  for (const LoopCase& c : LoopCases()) {
    auto one = NewSession(c.graph, 1, kDefaultPolicy);
    ASSERT_NE(one, nullptr);
    auto expected = RunCase(*one, 5.0f);
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const NodeId id : c.graph.NodeIds()) {
      // If the session runs on servers or has a GPU, only every tenth node is
      // tried.
      if (id % (10 / NumTries(10)) != 0) continue;
      SCOPED_TRACE(absl::StrCat(c.name, ": ", c.graph.node(id).name()));
      Graph moved = c.graph;
      RequestDevice(moved, id, "/cpu:1");
      auto session = NewSession(moved, 2, kDefaultPolicy);
      ASSERT_NE(session, nullptr);
      auto y = RunCase(*session, 5.0f);
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(*y, *expected);
    }
  }
}

// Functional loops. ---------------------------------------------------------

using Values = std::vector<std::pair<std::string, float>>;

Values ParseValues(absl::string_view text) {
  Values values;
  if (text == "-") return values;
  for (absl::string_view item : absl::StrSplit(text, ',')) {
    const std::vector<std::string> parts = absl::StrSplit(item, '=');
    float value = 0;
    EXPECT_TRUE(absl::SimpleAtof(parts.at(1), &value)) << item;
    values.emplace_back(parts[0], value);
  }
  return values;
}

double NumberIn(const Tensor& tensor) {
  return tensor.dtype() == DType::kInt32 ? tensor.scalar<int32_t>()
                                         : tensor.scalar<float>();
}

// Runs the steps of tests/graphs/functional/expected.txt with nodes on random
// devices.
TEST(LoopsOverDevicesTest, FunctionalOnesGiveWhatTensorFlowGave) {
  const std::string folder =
      absl::StrCat(testing::TestsDir(), "/graphs/functional/");
  std::ifstream file(folder + "expected.txt");
  std::map<std::string, std::vector<std::vector<std::string>>> steps;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> parts = absl::StrSplit(line, ' ');
    steps[parts.at(0)].push_back(parts);
  }
  EXPECT_GE(steps.size(), 9);
  for (const auto& [name, lines] : steps) {
    absl::StatusOr<Graph> graph =
        LoadGraph(folder + name + ".pbtxt", BuiltinOps());
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::Status lowered = LowerFunctions(*graph);
    ASSERT_TRUE(lowered.ok()) << lowered;
    for (uint32_t seed = 0; seed < NumTries(20u); ++seed) {
      auto session = NewSession(Dealt(*graph, 3, seed), 3, kDefaultPolicy);
      ASSERT_NE(session, nullptr);
      for (const std::vector<std::string>& parts : lines) {
        RunArgs args;
        for (const auto& [feed, value] : ParseValues(parts.at(1))) {
          args.feeds.push_back({feed, Tensor::Scalar(value)});
        }
        const Values fetches = ParseValues(parts.at(2));
        for (const auto& fetch : fetches) args.fetches.push_back(fetch.first);
        if (parts.at(3) != "-") {
          const std::vector<std::string> names = absl::StrSplit(parts[3], ',');
          args.targets.assign(names.begin(), names.end());
        }
        args.options.timeout = kTimeout;
        auto out = session->Run(args);
        ASSERT_TRUE(out.ok())
            << name << ", seed " << seed << ": " << out.status();
        for (size_t i = 0; i < fetches.size(); ++i) {
          const double expected = fetches[i].second;
          EXPECT_NEAR(NumberIn((*out)[i]), expected,
                      2e-6 * std::max(1.0, std::abs(expected)))
              << name << ", seed " << seed;
        }
      }
    }
  }
}

// The graph has a loop and a conditional of Python's v1 API. The values are
// those of TensorFlow 2.15.1.
TEST(LoopsOverDevicesTest, PrimitiveOnesGiveWhatTensorFlowGave) {
  std::ifstream file(absl::StrCat(testing::TestsDir(),
                                  "/graphs/control_flow_primitive.pbtxt"));
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  pb::GraphDef whole, forward;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &whole));
  for (const pb::NodeDef& node : whole.node()) {
    if (!absl::StartsWith(node.name(), "gradients/")) {
      *forward.add_node() = node;
    }
  }
  const absl::StatusOr<Graph> graph = ImportGraphDef(forward, BuiltinOps());
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::map<float, std::pair<int32_t, float>> expected = {
      {-2.0f, {6, 128.0f}}, {0.5f, {7, 128.0f}}, {3.0f, {5, 192.0f}}};
  for (uint32_t seed = 0; seed < NumTries(40u); ++seed) {
    auto session = NewSession(Dealt(*graph, 3, seed), 3, kDefaultPolicy);
    ASSERT_NE(session, nullptr);
    for (const auto& [x, values] : expected) {
      auto out = session->Run({.feeds = {{"x", Tensor::Scalar(x)}},
                               .fetches = {"n", "z"},
                               .options = {.timeout = kTimeout}});
      ASSERT_TRUE(out.ok()) << "seed " << seed << ": " << out.status();
      EXPECT_EQ((*out)[0].scalar<int32_t>(), values.first) << seed;
      EXPECT_EQ((*out)[1].scalar<float>(), values.second) << seed;
    }
  }
}

// Errors. -------------------------------------------------------------------

// Computes y = 1/(n - 0) + 1/(n - 1) + ... The other device checks each term.
Graph CheckedGraph() {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output zero = g.b.Const(0.0f);
  const Output y = g.While(
      "loop", {zero, zero}, {n, g.b.Const(1.0f), g.b.Const(5.0f)},
      [](const Outputs& v) { return Outputs{op::Less(v[0], v[4])}; },
      [&](const Outputs& v) {
        Output checked;
        {
          auto device = g.b.OnDevice("/cpu:1");
          checked = op::CheckNumerics(op::RealDiv(v[3], op::Sub(v[2], v[0])),
                                      "not a number");
        }
        return Outputs{op::AddV2(v[0], v[3]), op::AddV2(v[1], checked)};
      })[1];
  return g.BuildWith(y);
}

TEST(LoopsOverDevicesTest, AnErrorInABodyElsewhereEndsTheStep) {
  auto session = NewSession(CheckedGraph(), 2, kDefaultPolicy);
  ASSERT_NE(session, nullptr);
  for (int i = 0; i < 20; ++i) {
    const auto bad = RunCase(*session, 3.0f);
    EXPECT_EQ(bad.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(bad.status().message()), HasSubstr("not a number"));
    EXPECT_THAT(std::string(bad.status().message()), HasSubstr("CPU:1"));
    EXPECT_TRUE(RunCase(*session, 6.0f).ok());
  }
}

TEST(LoopsOverDevicesTest, AnEndlessLoopEndsAtItsDeadline) {
  const auto clock = SimulateTime();
  constexpr std::chrono::milliseconds kShortTimeout(50);
  for (uint32_t seed = 0; seed < 6; ++seed) {
    auto session = NewSession(Dealt(SumGraph(10), 3, seed), 3, kDefaultPolicy);
    ASSERT_NE(session, nullptr);
    const float endless = std::numeric_limits<float>::infinity();
    // Plans the step in advance, so that planning does not use up its timeout.
    EXPECT_TRUE(RunCase(*session, 3.0f).ok());
    absl::Status status;
    RunUntilTimeout(kShortTimeout, [&] {
      status = session
                   ->Run({.feeds = {{"n", Tensor::Scalar(endless)}},
                          .fetches = {kResult},
                          .options = {.timeout = kShortTimeout}})
                   .status();
    });
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_TRUE(RunCase(*session, 3.0f).ok());
  }
}

TEST(LoopsOverDevicesTest, AnEndlessLoopEndsWithItsSession) {
  const auto clock = SimulateTime();
  // A step with the target `begin` enqueues an element. Another step waits for
  // this element.
  constexpr char kBegin[] = R"(
    node { name: "begun" op: "FIFOQueueV2"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } }
    node { name: "begin" op: "QueueEnqueueV2" input: "begun" input: "n"
           attr { key: "Tcomponents" value { list { type: DT_FLOAT } } } }
    node { name: "has_begun" op: "QueueDequeueV2" input: "begun"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  )";
  auto def = Dealt(NestedGraph(10), 3, 1).ToGraphDef();
  ASSERT_TRUE(def.ok()) << def.status();
  ASSERT_TRUE(google::protobuf::TextFormat::MergeFromString(kBegin, &*def));
  const absl::StatusOr<Graph> graph = ImportGraphDef(*def, BuiltinOps());
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewSession(*graph, 3, kDefaultPolicy);
  ASSERT_NE(session, nullptr);
  absl::Status status;
  Thread client("client", [&] {
    const float endless = std::numeric_limits<float>::infinity();
    status = session
                 ->Run({.feeds = {{"n", Tensor::Scalar(endless)}},
                        .fetches = {kResult},
                        .targets = {"begin"},
                        .options = {.timeout = kTimeout}})
                 .status();
  });
  EXPECT_TRUE(session->Run({.fetches = {"has_begun"}}).ok());
  // Other steps can run while the endless one runs.
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(RunCase(*session, 2.0f).ok());
  EXPECT_TRUE(session->Close().ok());
  client.Join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

TEST(LoopsOverDevicesTest, NestNoDeeperThanTheLimit) {
  for (const int num_cpus : {1, 2}) {
    for (const int depth : {kMaxFrameDepth, kMaxFrameDepth + 1}) {
      GraphBuilder b;
      Output x = b.Const(1.0f);
      for (int i = 0; i < depth; ++i) x = op::Enter(x, absl::StrCat("f", i));
      for (int i = 0; i < depth; ++i) x = op::Exit(x);
      auto device = b.OnDevice(absl::StrCat("/cpu:", num_cpus - 1));
      op::Neg(x);
      auto session = NewSession(b.Build().value(), num_cpus, kDefaultPolicy);
      ASSERT_NE(session, nullptr);
      auto out =
          session->Run({.fetches = {"Neg"}, .options = {.timeout = kTimeout}});
      if (depth == kMaxFrameDepth) {
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ((*out)[0].scalar<float>(), -1);
      } else {
        EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
        EXPECT_THAT(std::string(out.status().message()),
                    HasSubstr("loop 'f256' is nested 257 deep"));
      }
    }
  }
}

// A Merge whose only input is dead gives a dead output. An Enter need not have
// an Exit.
TEST(LoopsOverDevicesTest, WhatNobodyPairsEndsAllTheSame) {
  GraphBuilder b;
  const Output p = b.Placeholder<bool>("p");
  const auto branches = op::Switch(b.Const(1.0f), p);
  Output there;
  {
    auto device = b.OnDevice("/cpu:1");
    there = op::Merge({op::Neg(branches.output_true)}).output;
  }
  const Output fetched = op::Square(there);
  op::NextIteration(op::Neg(op::Enter(b.Const(1.0f), "loop")));
  auto session = NewSession(b.Build().value(), 2, "greedy");
  ASSERT_NE(session, nullptr);
  const auto run = [&](bool taken) {
    return session->Run({.feeds = {{"p", Tensor::Scalar(taken)}},
                         .fetches = {fetched},
                         .targets = {"NextIteration"},
                         .options = {.timeout = kTimeout}});
  };
  EXPECT_TRUE(run(true).ok()) << run(true).status();
  const auto dead = run(false);
  EXPECT_EQ(dead.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(dead.status().message()),
              HasSubstr("'Square:0' has no value"));
}

}  // namespace
}  // namespace leat::loops_over_devices_test
