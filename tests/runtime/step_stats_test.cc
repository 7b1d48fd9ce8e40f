// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step_stats.h"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::step_stats_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Computes z = (x + 1)^2 - x. The square is on the last of two devices.
class StepStatsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    x_ = b_.Placeholder<float>("x", PartialShape({2, 3}));
    const Output sum = op::AddV2(x_, b_.Const(1.0f));
    Output square;
    {
      auto device = b_.OnDevice("/cpu:1");
      square = op::Square(sum);
    }
    z_ = op::Sub(square, x_);
    session_ = NewTestSession(b_.Build().value(),
                              {.devices = {.num_cpus = 2, .num_threads = 2}})
                   .value();
  }

  RunArgs Args(RunOptions options) {
    return {.feeds = {{x_, Tensor::Filled<float>(Shape{2, 3}, 2)}},
            .fetches = {z_},
            .options = options};
  }

  GraphBuilder b_;
  Output x_;
  Output z_;
  std::shared_ptr<Session> session_;
  pb::RunMetadata metadata_;
};

std::map<std::string, pb::NodeExecStats> ByName(const pb::StepStats& stats) {
  std::map<std::string, pb::NodeExecStats> nodes;
  for (const auto& device : stats.dev_stats()) {
    for (const auto& node : device.node_stats()) {
      nodes[node.node_name()] = node;
    }
  }
  return nodes;
}

TEST_F(StepStatsTest, AreEmptyUnlessAskedFor) {
  metadata_.add_partition_graphs();
  ASSERT_TRUE(session_->Run(Args({}), &metadata_).ok());
  EXPECT_EQ(metadata_.ByteSizeLong(), 0);
}

TEST_F(StepStatsTest, TellWhatRanWhereAndWhen) {
  LEAT_CPU_SESSION_ONLY("it names CPUs");
  ASSERT_TRUE(
      session_->Run(Args({.trace_level = TraceLevel::kFull}), &metadata_).ok());
  EXPECT_EQ(metadata_.partition_graphs_size(), 0);
  const pb::StepStats& stats = metadata_.step_stats();
  ASSERT_EQ(stats.dev_stats_size(), 2);
  EXPECT_THAT(stats.dev_stats(0).device(), HasSubstr("CPU:0"));
  EXPECT_THAT(stats.dev_stats(1).device(), HasSubstr("CPU:1"));
  for (const auto& device : stats.dev_stats()) {
    int64_t last = 0;
    for (const auto& node : device.node_stats()) {
      EXPECT_GE(node.all_start_nanos(), last);
      last = node.all_start_nanos();
      EXPECT_GE(node.all_start_nanos(), node.scheduled_nanos());
      EXPECT_GE(node.all_end_rel_nanos(), 0);
      EXPECT_EQ(node.all_start_micros(), node.all_start_nanos() / 1000);
      EXPECT_TRUE(device.thread_names().contains(node.thread_id()));
    }
  }
  const auto nodes = ByName(stats);
  const pb::NodeExecStats& square = nodes.at("Square");
  ASSERT_EQ(square.output_size(), 1);
  const auto& description = square.output(0).tensor_description();
  EXPECT_EQ(description.dtype(), pb::DT_FLOAT);
  ASSERT_EQ(description.shape().dim_size(), 2);
  EXPECT_EQ(description.shape().dim(1).size(), 3);
  EXPECT_EQ(description.allocation_description().requested_bytes(), 24);
  // "Square" must end before "Sub", which uses its value, starts.
  EXPECT_GE(nodes.at("Sub").all_start_nanos(),
            square.all_start_nanos() + square.all_end_rel_nanos());
}

TEST_F(StepStatsTest, HaveTensorFlowsTimelineLabels) {
  ASSERT_TRUE(
      session_->Run(Args({.trace_level = TraceLevel::kFull}), &metadata_).ok());
  int num_sends = 0, num_recvs = 0;
  for (const auto& device : metadata_.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      const std::string& label = node.timeline_label();
      EXPECT_THAT(label, StartsWith(node.node_name() + " = "));
      if (label.find(" = _Send(") != label.npos) {
        ++num_sends;
        EXPECT_THAT(label, HasSubstr(" @/job:localhost/"));
        EXPECT_NE(node.thread_id(), 0);
      }
      if (label.find(" = _Recv(") != label.npos) {
        ++num_recvs;
        EXPECT_EQ(node.thread_id(), 0) << "a Recv holds no thread";
        EXPECT_EQ(device.thread_names().at(0), "waiting");
      }
    }
  }
  EXPECT_EQ(num_sends, 2);
  EXPECT_EQ(num_recvs, 2);
  // If the session runs over a server, a fed value comes from a _Recv instead
  // of an _Arg.
  EXPECT_THAT(ByName(metadata_.step_stats()).at("AddV2").timeline_label(),
              AnyOf(StartsWith("AddV2 = AddV2(_arg_x_0, "),
                    StartsWith("AddV2 = AddV2(_recv_x_0, ")));
}

TEST_F(StepStatsTest, PartitionGraphsAreWhatEachDeviceRuns) {
  LEAT_CPU_SESSION_ONLY("it names CPUs");
  RunOptions options;
  options.output_partition_graphs = true;
  ASSERT_TRUE(session_->Run(Args(options), &metadata_).ok());
  EXPECT_FALSE(metadata_.has_step_stats());
  ASSERT_EQ(metadata_.partition_graphs_size(), 2);
  std::set<std::string> names;
  for (const pb::GraphDef& def : metadata_.partition_graphs()) {
    const auto graph =
        ImportGraphDef(def, BuiltinOps(), {.allow_internal_names = true});
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (const auto& node : def.node()) {
      EXPECT_TRUE(names.insert(node.name()).second) << node.name();
      EXPECT_THAT(node.device(),
                  HasSubstr(node.name() == "Square" ? "CPU:1" : "CPU:"));
    }
  }
  // The stats name exactly the nodes of the partition graphs.
  options.trace_level = TraceLevel::kSoftware;
  ASSERT_TRUE(session_->Run(Args(options), &metadata_).ok());
  std::set<std::string> ran;
  for (const auto& [name, node] : ByName(metadata_.step_stats())) {
    ran.insert(name);
  }
  EXPECT_EQ(ran, names);
}

TEST_F(StepStatsTest, AreKeptOfAStepThatFails) {
  RunArgs args = Args({.trace_level = TraceLevel::kFull});
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Output sum = op::AddV2(x, x);
  const Output wrong = op::MatMul(sum, sum);
  const auto session = NewTestSession(b.Build().value()).value();
  args.fetches = {wrong};
  EXPECT_FALSE(session->Run(args, &metadata_).ok());
  const auto nodes = ByName(metadata_.step_stats());
  EXPECT_TRUE(nodes.contains("AddV2"));
  EXPECT_FALSE(nodes.contains("MatMul"));
}

TEST_F(StepStatsTest, CallablesGiveThemToo) {
  const Callable callable =
      session_
          ->MakeCallable({.feeds = {x_},
                          .fetches = {z_},
                          .options = {.trace_level = TraceLevel::kFull}})
          .value();
  for (int i = 0; i < 3; ++i) {  // each run has new stats
    ASSERT_TRUE(
        callable({Tensor::Filled<float>(Shape{2, 3}, 2)}, &metadata_).ok());
    EXPECT_EQ(metadata_.step_stats().dev_stats_size(), 2);
    EXPECT_EQ(ByName(metadata_.step_stats()).count("Square"), 1);
  }
  ASSERT_TRUE(callable({Tensor::Filled<float>(Shape{2, 3}, 2)}).ok());
}

// The loop computes: i = 0; while (i < 5) ++i. The number of runs of each node
// is therefore known.
TEST(StepStatsLoopTest, CountEveryIteration) {
  GraphBuilder b;
  const Output limit = op::Enter(b.Const(5), "loop", {.is_constant = true});
  const Output one = op::Enter(b.Const(1), "loop", {.is_constant = true});
  const Output enter = op::Enter(b.Const(0), "loop");
  const auto merge = op::Merge({enter, enter});
  const auto branches =
      op::Switch(merge.output, op::LoopCond(op::Less(merge.output, limit)));
  const Output next = op::NextIteration(op::AddV2(branches.output_true, one));
  const Output last = op::Exit(branches.output_false);
  Graph graph = b.Build().value();
  graph.mutable_node(merge.output.operation().id()).inputs[1] = next.endpoint();
  const auto session = NewTestSession(graph).value();
  pb::RunMetadata metadata;
  const auto out = session->Run(
      {.fetches = {last}, .options = {.trace_level = TraceLevel::kFull}},
      &metadata);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int32_t>(), 5);
  std::map<std::string, int> by_op;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      const std::string& label = node.timeline_label();
      const size_t op = label.find(" = ") + 3;
      ++by_op[label.substr(op, label.find('(') - op)];
      EXPECT_GE(node.all_start_nanos(), node.scheduled_nanos());
      EXPECT_GT(node.scheduled_nanos(), 0);
    }
  }
  EXPECT_EQ(by_op["Merge"], 6);
  EXPECT_EQ(by_op["Switch"], 6);
  EXPECT_EQ(by_op["Less"], 6);
  EXPECT_EQ(by_op["LoopCond"], 6);
  EXPECT_EQ(by_op["NextIteration"], 5);
  EXPECT_EQ(by_op["Exit"], 1);  // dead Exits do not run
  EXPECT_EQ(by_op["AddV2"], 5);
}

TEST(StepStatsRecorderTest, KeepsNoMoreThanItMay) {
  const auto devices = DeviceSet::Create({.num_threads = 1}).value();
  StepStatsRecorder recorder(nullptr, /*max_node_runs=*/2);
  for (int i = 0; i < 3; ++i) {
    recorder.OnNodeRun(
        {.node = "a", .op = "A", .device = devices->devices()[0].get()});
  }
  pb::StepStats stats;
  recorder.Export(stats);
  ASSERT_EQ(stats.dev_stats_size(), 1);
  EXPECT_EQ(stats.dev_stats(0).node_stats_size(), 2);
}

// The expected label is the one that a server of TensorFlow 2.15.1 gave for the
// same transfer.
TEST(StepStatsRecorderTest, TellsOfTensorsThatWerePulledAsTensorFlowDoes) {
  const auto devices =
      DeviceSet::Create(
          {.task = "/job:worker/replica:0/task:0", .num_threads = 1})
          .value();
  const auto asked = std::chrono::steady_clock::now();
  const auto wall = std::chrono::duration_cast<std::chrono::microseconds>(
      asked.time_since_epoch() + WallClockOffset());
  using std::chrono::microseconds;
  TensorPull pull{.tensor = "edge_6_add/ReadVariableOp",
                  .from = "/job:ps/replica:0/task:0/device:CPU:0",
                  .to = devices->devices()[0].get(),
                  .asked = asked,
                  .received = asked + microseconds(614),
                  .bytes = 12};
  StepStatsRecorder recorder;
  recorder.OnPull(pull);  // this pull has no time of sending
  pull.sent = wall - std::chrono::hours(1);
  recorder.OnPull(pull);
  pull.sent = wall + microseconds(300);
  recorder.OnPull(pull);
  pull.sent = wall + std::chrono::hours(1);
  recorder.OnPull(pull);
  pull.sent = microseconds::max();
  pull.bytes = int64_t{100} << 20;
  recorder.OnPull(pull);
  pb::StepStats stats;
  recorder.Export(stats);
  ASSERT_EQ(stats.dev_stats_size(), 1);
  EXPECT_EQ(stats.dev_stats(0).device(), pull.to->name());
  EXPECT_EQ(stats.dev_stats(0).thread_names().at(0), "waiting");
  ASSERT_EQ(stats.dev_stats(0).node_stats_size(), 5);
  const auto& nodes = stats.dev_stats(0).node_stats();
  EXPECT_EQ(nodes[0].timeline_label(),
            "[12B] [0.156352Mb/s] edge_6_add/ReadVariableOp from "
            "/job:ps/replica:0/task:0/device:CPU:0 to "
            "/job:worker/replica:0/task:0/device:CPU:0");
  EXPECT_THAT(nodes[4].timeline_label(),
              AllOf(StartsWith("[100.0MB] ["), HasSubstr("Gb/s] edge_6_add")));
  const int64_t start = nodes[0].all_start_nanos();
  const int64_t end = start + nodes[0].all_end_rel_nanos();
  // The sender's clock may differ from the receiver's. So the time of sending
  // is moved into the interval from the request to the reply.
  EXPECT_LT(nodes[1].all_start_nanos() - start, 1000);
  EXPECT_NEAR(nodes[2].all_start_nanos() - start, 300'000, 100'000);
  for (const pb::NodeExecStats& node : nodes) {
    EXPECT_EQ(node.node_name(), "RecvTensor");
    EXPECT_EQ(node.scheduled_nanos(), start);
    EXPECT_GE(node.all_start_nanos(), start);
    EXPECT_EQ(node.all_start_nanos() + node.all_end_rel_nanos(), end);
  }
  EXPECT_LT(end - nodes[3].all_start_nanos(), 1000);
}

TEST(StepStatsRecorderTest, PassesOnWhatItSees) {
  LEAT_LOCAL_SESSION_ONLY("an observer watches steps of this process");
  class Counter final : public StepObserver {
   public:
    void OnNodeRun(const NodeRun&) override { ++count; }
    int count = 0;
  };
  GraphBuilder b;
  const Output y = op::Neg(b.Const(1.0f));
  Counter counter;
  pb::RunMetadata metadata;
  const auto session = NewTestSession(b.Build().value()).value();
  ASSERT_TRUE(session
                  ->Run({.fetches = {y},
                         .options = {.trace_level = TraceLevel::kFull,
                                     .observer = &counter}},
                        &metadata)
                  .ok());
  EXPECT_EQ(counter.count,
            metadata.step_stats().dev_stats(0).node_stats_size());
  EXPECT_GT(counter.count, 1);
}

}  // namespace
}  // namespace leat::step_stats_test
