// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the graphs that SyncReplicas builds, and those that it refuses to
// build.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/train/sync_models.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/sync_replicas.h"

namespace leat::sync_replicas_graph_test {
namespace {

using testing::BuildSyncModel;
using testing::EmbeddingLoss;
using ::testing::HasSubstr;
using testing::LinearLoss;
using testing::SyncModel;

std::string WorkerDevice(int worker) {
  return absl::StrCat("/job:worker/task:", worker);
}

TEST(SyncReplicasGraphTest, RefusesWhatCannotWork) {
  const auto error = [](SyncReplicasAttrs attrs, bool with_step) {
    GraphBuilder b;
    const Output loss = LinearLoss(b);
    nn::MinimizeOptions options;
    if (with_step) options.global_step = nn::GlobalStep(b);
    const SyncStep step =
        SyncReplicas(nn::GradientDescent(), attrs).Minimize(loss, options);
    EXPECT_FALSE(step.train.IsValid());
    EXPECT_EQ(b.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(b.status().message());
  };
  EXPECT_THAT(error({}, false), HasSubstr("needs a global_step"));
  EXPECT_THAT(error({.replicas_to_aggregate = 0}, true),
              HasSubstr("must be at least 1, got 0 and "));
  EXPECT_THAT(error({.replicas_to_aggregate = 2, .total_replicas = -1}, true),
              HasSubstr("must be at least 1, got 2 and -1"));

  GraphBuilder b;
  const Variable step = b.Variable("step", b.Const<int32_t>(0));
  SyncReplicas(nn::GradientDescent(), {})
      .Minimize(LinearLoss(b), {.global_step = step});
  EXPECT_THAT(b.status().message(), HasSubstr("must be of int64, got int32"));
}

// Every worker's graph has the same nodes on the parameter servers.
TEST(SyncReplicasGraphTest, WorkersDifferOnTheirOwnTasksOnly) {
  const auto build = [](int worker) {
    return BuildSyncModel(nn::Adam(), {.loss = EmbeddingLoss,
                                       .worker_device = WorkerDevice(worker),
                                       .ps_tasks = 2});
  };
  const SyncModel first = build(0);
  const SyncModel second = build(1);
  ASSERT_TRUE(first.graph.has_value() && second.graph.has_value());
  for (const NodeId id : first.graph->NodeIds()) {
    const Node& node = first.graph->node(id);
    const NodeId other = second.graph->Find(node.name());
    ASSERT_NE(other, kNoNode) << node.name();
    if (node.def->device == "/job:worker/task:0") {
      EXPECT_EQ(second.graph->node(other).def->device, "/job:worker/task:1");
    } else {
      EXPECT_EQ(second.graph->node(other).def->device, node.def->device)
          << node.name();
    }
  }
  const NodeId local = first.graph->Find("sync_replicas/local_step");
  ASSERT_NE(local, kNoNode);
  EXPECT_EQ(first.graph->node(local).def->device, "/job:worker/task:0");
}

// Returns the node and all nodes that must run before it.
std::set<NodeId> UpTo(const Graph& graph, NodeId id) {
  std::set<NodeId> before;
  for (std::vector<NodeId> next = {id}; !next.empty();) {
    const Node& node = graph.node(next.back());
    const bool is_new = before.insert(next.back()).second;
    next.pop_back();
    if (!is_new) continue;
    for (const Endpoint& input : node.inputs) next.push_back(input.node);
    next.insert(next.end(), node.controls.begin(), node.controls.end());
  }
  return before;
}

// When the chief takes over, it sets the accumulators to the step that it has
// counted, and then removes the closed queue. Workers start as soon as the
// closed queue is gone, so the chief must remove the queue last. A run of the
// graph would rarely show a wrong order, so the test checks the graph itself.
TEST(SyncReplicasGraphTest, TheChiefRemovesAClosedQueueLast) {
  const SyncModel model = BuildSyncModel(nn::Adam(), {});
  ASSERT_TRUE(model.graph.has_value());
  const Graph& graph = *model.graph;
  std::vector<NodeId> removes, sets, counts;
  for (const NodeId id : UpTo(graph, graph.Find(model.chief_init))) {
    const std::string& op = graph.node(id).op();
    if (op == "If") removes.push_back(id);
    if (op == "ResourceAccumulatorSetGlobalStep") sets.push_back(id);
    if (op == "AssignVariableOp") counts.push_back(id);
  }
  ASSERT_EQ(removes.size(), 1);
  EXPECT_THAT(graph.node(removes[0]).name(), HasSubstr("remove_queue"));
  EXPECT_EQ(sets.size(), 2);  // one per variable
  const std::set<NodeId> before = UpTo(graph, removes[0]);
  for (const NodeId id : sets) EXPECT_TRUE(before.contains(id));
  // Three variables are assigned: the global step, the chief's own step, and
  // one that says that a chief has begun. Only the first two assignments must
  // come before the removal of the queue.
  EXPECT_EQ(counts.size(), 3);
  EXPECT_EQ(std::count_if(counts.begin(), counts.end(),
                          [&](NodeId id) { return before.contains(id); }),
            2);
}

}  // namespace
}  // namespace leat::sync_replicas_graph_test
