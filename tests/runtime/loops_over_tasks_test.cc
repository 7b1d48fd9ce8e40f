// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests loops over two tasks of two devices each. As in a cluster, the plan is
// cut by task, the parts are sent as messages, and each part is cut by device
// when it is registered. Unlike in a cluster, one rendezvous serves both tasks.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/runtime/loop_graphs.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::loops_over_tasks_test {
namespace {

struct Task {
  explicit Task(const std::string& name)
      : devices(
            DeviceSet::Create({.task = name, .num_cpus = 2, .num_threads = 2})
                .value()),
        runner(*devices, devices->resources(), BuiltinKernels()) {}

  std::unique_ptr<DeviceSet> devices;
  GraphRunner runner;
  std::shared_ptr<CompiledGraph> graph;  // null if the task has no part
};

// Exports `part` to a message, imports the message and registers the result on
// `task`, as a master and a worker do.
absl::Status Register(const Graph& part, Task& task) {
  pb::GraphDef message;
  LEAT_RETURN_IF_ERROR(
      ExportGraphDef(part, message, {.assigned_devices = true}));
  LEAT_ASSIGN_OR_RETURN(
      Graph graph,
      ImportGraphDef(message, BuiltinOps(), {.allow_internal_names = true}));
  for (const NodeId id : graph.NodeIds()) {
    Node& node = graph.mutable_node(id);
    node.device = graph.InternDevice(node.def->device);
  }
  LEAT_ASSIGN_OR_RETURN(task.graph, task.runner.Register(std::move(graph)));
  return absl::OkStatus();
}

class Cluster {
 public:
  Cluster() {
    for (const char* name :
         {"/job:a/replica:0/task:0", "/job:b/replica:0/task:0"}) {
      tasks_.push_back(std::make_unique<Task>(name));
      for (const DeviceInfo& info : tasks_.back()->devices->Infos()) {
        devices_.push_back(info);
      }
    }
  }

  absl::Status Plan(const Graph& graph) {
    PrepareOptions options;
    options.policies = &BuiltinPolicies();
    LEAT_ASSIGN_OR_RETURN(const Graph prepared,
                          PrepareGraph(graph, devices_, options));
    LEAT_ASSIGN_OR_RETURN(
        const StepPlan plan,
        PlanStep(prepared, {.feeds = {"n"}, .fetches = {kResult}}, devices_));
    for (const auto& task : tasks_) {
      task->graph = nullptr;
      for (const Partition& part : plan.partitions) {
        if (absl::StartsWith(task->devices->devices()[0]->name(), part.name)) {
          LEAT_RETURN_IF_ERROR(Register(part.graph, *task));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<float> Run(float n) {
    LocalRendezvous rendezvous;
    return Run(n, rendezvous);
  }

  absl::StatusOr<float> Run(float n, Rendezvous& rendezvous) {
    const std::vector<Tensor> args = {Tensor::Scalar(n)};
    std::vector<Tensor> returns(1);
    std::vector<std::unique_ptr<Step>> steps;
    std::vector<absl::Status> statuses(tasks_.size());
    std::vector<Thread> threads;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      steps.push_back(std::make_unique<Step>(1, rendezvous, args,
                                             absl::MakeSpan(returns), nullptr));
      if (tasks_[i]->graph == nullptr) continue;
      threads.emplace_back("client", [&, i, step = steps.back().get()] {
        const StepDeadline deadline = {.clock = &clock_,
                                       .at = clock_.After(kTimeout),
                                       .timeout = kTimeout};
        statuses[i] = tasks_[i]->runner.Run(*tasks_[i]->graph, *step, deadline);
      });
    }
    for (Thread& thread : threads) thread.Join();
    for (const absl::Status& status : statuses) LEAT_RETURN_IF_ERROR(status);
    if (!returns[0].IsValid()) return absl::NotFoundError("no result");
    return returns[0].scalar<float>();
  }

 private:
  testing::SimulatedClock clock_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<DeviceInfo> devices_;
};

// Records the keys under which tensors are sent.
class NotingRendezvous final : public Rendezvous {
 public:
  absl::Status Send(const ParsedKey& key, Tensor tensor,
                    bool is_dead) override {
    {
      MutexLock lock(mutex_);
      keys_.insert(key.text());
    }
    return table_.Send(key, std::move(tensor), is_dead);
  }
  void RecvAsync(const ParsedKey& key, Done done) override {
    table_.RecvAsync(key, std::move(done));
  }
  void StartAbort(const absl::Status& reason) override {
    table_.StartAbort(reason);
  }

  std::set<std::string> keys() const {
    MutexLock lock(mutex_);
    return keys_;
  }

 private:
  LocalRendezvous table_;
  mutable Mutex mutex_;
  std::set<std::string> keys_ ABSL_GUARDED_BY(mutex_);
};

// TensorFlow 2.15.1 uses the number 18186195969791715286 in the rendezvous keys
// of a tf.compat.v1.while_loop that is called "while".
TEST(LoopsOverTasksTest, FramesHaveTheIdsOfTensorFlows) {
  LoopGraph g;
  const Output n = g.b.Placeholder<float>("n");
  const Output one = g.b.Const(1.0f);
  Output next;
  const Output y = g.While(
      "while/while_context", {g.b.Const(0.0f)}, {n, one},
      [](const Outputs& v) { return Outputs{op::Less(v[0], v[1])}; },
      [&](const Outputs& v) {
        auto device = g.b.OnDevice("/job:b");
        return Outputs{next = op::AddV2(v[0], v[2])};
      })[0];
  const Graph graph = g.BuildWith(y);
  Cluster cluster;
  const absl::Status planned = cluster.Plan(graph);
  ASSERT_TRUE(planned.ok()) << planned;
  NotingRendezvous rendezvous;
  const auto result = cluster.Run(2, rendezvous);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, 2);
  for (const char* iteration : {"0", "1"}) {
    EXPECT_THAT(rendezvous.keys(),
                ::testing::Contains(::testing::EndsWith(
                    absl::StrCat("_", next.operation().name(),
                                 ";18186195969791715286:", iteration))));
  }
}

TEST(LoopsOverTasksTest, GiveTheResultsOfOneDevice) {
  Cluster cluster;
  for (const LoopCase& c : LoopCases()) {
    SCOPED_TRACE(c.name);
    auto session = NewLocalSession(c.graph, {.devices = {.num_threads = 2}});
    ASSERT_TRUE(session.ok()) << session.status();
    std::map<float, float> expected;
    for (const float n : {0.0f, 1.0f, 6.0f}) {
      auto out = (*session)->Run(
          {.feeds = {{"n", Tensor::Scalar(n)}}, .fetches = {kResult}});
      ASSERT_TRUE(out.ok()) << out.status();
      expected[n] = (*out)[0].scalar<float>();
    }
    for (uint32_t seed = 0; seed < 15; ++seed) {
      const absl::Status planned = cluster.Plan(Dealt(
          c.graph,
          {"/job:a/cpu:0", "/job:a/cpu:1", "/job:b/cpu:0", "/job:b/cpu:1"},
          seed));
      ASSERT_TRUE(planned.ok()) << "seed " << seed << ": " << planned;
      for (const auto& [n, value] : expected) {
        auto y = cluster.Run(n);
        ASSERT_TRUE(y.ok())
            << "seed " << seed << ", n " << n << ": " << y.status();
        EXPECT_EQ(*y, value) << "seed " << seed << ", n " << n;
      }
    }
  }
}

}  // namespace
}  // namespace leat::loops_over_tasks_test
