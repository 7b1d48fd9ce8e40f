// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs loops in which a few edges, frames and devices were changed at random.
// Each loop is refused, runs, or reaches its deadline, and the process
// survives.
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/runtime/loop_graphs.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::hostile_loops_test {
namespace {

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  void Mutate(pb::GraphDef& graph) {
    for (int changes = 1 + Below(3); changes > 0; --changes) Change(graph);
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % n); }

  pb::NodeDef& AnyNode(pb::GraphDef& graph) {
    return *graph.mutable_node(Below(graph.node_size()));
  }

  void Change(pb::GraphDef& graph) {
    pb::NodeDef& node = AnyNode(graph);
    const std::string& other = AnyNode(graph).name();
    switch (Below(6)) {
      case 0:
      case 1:
        if (node.input_size() == 0) return;
        node.set_input(Below(node.input_size()),
                       absl::StrCat(other, ":", Below(2)));
        return;
      case 2:
        node.add_input(absl::StrCat("^", other));
        return;
      case 3:
        node.set_device(absl::StrCat("/cpu:", Below(3)));
        return;
      case 4:
        if (node.op() != "Enter") return;
        (*node.mutable_attr())["frame_name"].set_s(Below(2) == 0 ? "loop"
                                                                 : "outer");
        return;
      default:
        if (node.op() != "Enter") return;
        (*node.mutable_attr())["is_constant"].set_b(Below(2) == 0);
    }
  }

  std::mt19937 random_;
};

TEST(HostileLoopsTest, EndWithAStatus) {
  const auto clock = SimulateTime();
  constexpr std::chrono::milliseconds kShortTimeout(20);
  int num_imported = 0;
  int num_run = 0;
  int num_ended = 0;  // steps that ended before their deadlines
  for (const LoopCase& c : LoopCases()) {
    for (uint32_t seed = 0; seed < NumTries(300u); ++seed) {
      // On one device, most loops run in order.
      std::vector<std::string> devices = {"/cpu:0"};
      if (seed % 2 == 0) devices.push_back("/cpu:1");
      pb::GraphDef message;
      ASSERT_TRUE(ExportGraphDef(Dealt(c.graph, devices, seed), message).ok());
      Mutator(seed).Mutate(message);
      const auto graph = ImportGraphDef(message, BuiltinOps());
      if (!graph.ok()) continue;
      ++num_imported;
      auto session = NewTestSession(
          *graph,
          {.devices = {.num_cpus = seed % 2 == 0 ? 3 : 1, .num_threads = 2},
           .placement_policy = "round_robin"});
      if (!session.ok()) continue;
      ++num_run;
      // A callable is planned in advance, so planning does not use up the
      // timeout of the step.
      const auto step =
          (*session)->MakeCallable({.feeds = {"n"},
                                    .fetches = {kResult},
                                    .options = {.timeout = kShortTimeout}});
      if (!step.ok()) continue;
      absl::Status status;
      RunUntilTimeout(kShortTimeout, [&] {
        status = (*step)({Tensor::Scalar(3.0f)}).status();
      });
      if (!absl::IsDeadlineExceeded(status)) ++num_ended;
    }
  }
  // Most mutated graphs must be imported and must run.
  EXPECT_GT(num_imported, NumTries(500));
  EXPECT_GT(num_run, NumTries(500));
  // About a quarter of the mutated graphs behave like the original graph,
  // because the change has no effect: it changed only a device, or it was a
  // change of an Enter and picked a node that is not an Enter. The steps of
  // these graphs end before their deadlines, except for a few on a busy
  // machine. So the test expects far fewer than a quarter.
  EXPECT_GT(num_ended, NumTries(50));
}

}  // namespace
}  // namespace leat::hostile_loops_test
