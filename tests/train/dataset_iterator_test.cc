// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the iterators that datasets add to graphs: where they read, and what
// their functions use.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/device_name.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/session.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/dataset_testing.h"
#include "leat/train/dataset.h"

namespace leat::dataset_iterator_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using ::testing::UnorderedElementsAre;

// Returns the tasks on which a step ran a node IteratorGetNext.
Strings TasksThatTookElements(const pb::RunMetadata& metadata) {
  Strings tasks;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      if (!absl::StrContains(node.node_name(), "IteratorGetNext")) continue;
      if (absl::StrContains(node.node_name(), "_Recv")) continue;
      const auto name = DeviceName::Parse(device.device());
      if (name.ok()) tasks.push_back(TaskOf(*name).ToString());
    }
  }
  return tasks;
}

TEST(DatasetIteratorTest, IteratorsReadOnTheirTask) {
  InProcessCluster cluster({{"ps", 1}, {"worker", 2}});
  GraphBuilder b;
  std::vector<DatasetIterator> iterators;
  Outputs sums;
  for (int worker = 0; worker < 2; ++worker) {
    const Scope device = b.OnDevice(absl::StrCat("/job:worker/task:", worker));
    const auto iterator = Dataset::Range(0, 6).Shard(2, worker).AddIterator(b);
    ASSERT_TRUE(iterator.ok()) << iterator.status();
    ASSERT_EQ(iterator->next.size(), 1u);
    EXPECT_EQ(iterator->next[0].shape(), Shape{});
    sums.push_back(10 * iterator->next[0] + iterator->next[0]);
    iterators.push_back(*iterator);
  }
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto session = cluster.NewSession(*graph, {.job = "ps", .index = 0});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)
                  ->Run({.targets = {iterators[0].initializer,
                                     iterators[1].initializer}})
                  .ok());
  for (int64_t i = 0; i < 3; ++i) {
    pb::RunMetadata metadata;
    const auto out =
        (*session)->Run({.fetches = {sums[0], sums[1]},
                         .options = {.trace_level = TraceLevel::kFull}},
                        &metadata);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(TasksThatTookElements(metadata),
                UnorderedElementsAre("/job:worker/replica:0/task:0",
                                     "/job:worker/replica:0/task:1"));
    EXPECT_EQ((*out)[0].scalar<int64_t>(), 11 * (2 * i));
    EXPECT_EQ((*out)[1].scalar<int64_t>(), 11 * (2 * i + 1));
  }
  EXPECT_TRUE(
      absl::IsOutOfRange((*session)->Run({.fetches = {sums[0]}}).status()));
}

// Returns a session for the graph of `b`.
std::shared_ptr<Session> SessionOf(GraphBuilder& b) {
  const auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return nullptr;
  const auto session = NewTestSession(*graph, {.devices = {.num_threads = 2}});
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

// Runs a step for `target` with `feeds`.
void RunTarget(Session& session, const Operation& target,
               const std::vector<Feed>& feeds = {}) {
  const auto status =
      session.Run({.feeds = feeds, .targets = {target}}).status();
  EXPECT_TRUE(status.ok()) << status;
}

// Takes the next element, which must be a scalar int64.
int64_t TakeNumber(Session& session, const DatasetIterator& iterator) {
  const auto out = session.Run({.fetches = {iterator.next[0]}});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].scalar<int64_t>() : -1;
}

// The function tells a queue which elements it has got. The test takes these
// out of the queue and ends only if they come before they are read.
TEST(DatasetIteratorTest, PrefetchWorksAhead) {
  GraphBuilder b;
  const Output queue = op::FIFOQueueV2(b, {DType::kInt64});
  const Output taken = op::QueueDequeueV2(queue, {DType::kInt64})[0];
  const auto iterator =
      Dataset::Range(0, 10)
          .Map([&](GraphBuilder& b, Outputs x) {
            const Operation tells = op::QueueEnqueueV2(queue, {x[0]});
            const Scope after = b.ControlDependencies({&tells, 1});
            return Outputs{op::Identity(x[0])};
          })
          .Prefetch(2)
          .AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const auto session = SessionOf(b);
  ASSERT_NE(session, nullptr);
  RunTarget(*session, iterator->initializer);
  EXPECT_EQ(TakeNumber(*session, *iterator), 0);
  for (int64_t i = 0; i < 3; ++i) {
    const auto out = session->Run({.fetches = {taken}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int64_t>(), i);
  }
}

TEST(DatasetIteratorTest, FunctionsUseTensorsOfTheInitializersStep) {
  GraphBuilder b;
  const Output limit = b.Placeholder<int64_t>("limit", Shape{});
  const auto iterator =
      Dataset::Range(0, 4)
          .Map([&](GraphBuilder&, Outputs x) {
            return Cond(
                op::Less(x[0], limit), [&] { return Outputs{x[0] - limit}; },
                [&] { return Outputs{10 * x[0]}; });
          })
          .AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const auto session = SessionOf(b);
  ASSERT_NE(session, nullptr);
  RunTarget(*session, iterator->initializer,
            {{limit, Tensor::Scalar<int64_t>(2)}});
  for (const int64_t expected : {-2, -1, 20, 30}) {
    EXPECT_EQ(TakeNumber(*session, *iterator), expected);
  }
}

TEST(DatasetIteratorTest, FunctionsReadVariablesForEachElement) {
  GraphBuilder b;
  const Variable w = b.Variable("w", Tensor::Scalar<int64_t>(10));
  const Output outside = w.value();
  const Operation assign =
      op::AssignVariableOp(w.handle(), b.Const(int64_t{50}));
  const auto iterator = Dataset::Range(0, 2)
                            .Map([&](GraphBuilder&, Outputs x) {
                              return Outputs{x[0] + w.value() + 100 * outside};
                            })
                            .AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const auto session = SessionOf(b);
  ASSERT_NE(session, nullptr);
  RunTarget(*session, w.initializer());
  RunTarget(*session, iterator->initializer);
  EXPECT_EQ(TakeNumber(*session, *iterator), 1010);
  RunTarget(*session, assign);
  EXPECT_EQ(TakeNumber(*session, *iterator), 1051);
}

TEST(DatasetIteratorTest, FunctionsCannotUseResourcesOfOtherDevices) {
  GraphBuilder b;
  std::optional<Variable> w;
  {
    const Scope ps = b.OnDevice("/job:ps/task:0");
    w = b.Variable("w", Tensor::Scalar<int64_t>(10));
  }
  const Scope worker = b.OnDevice("/job:worker/task:1");
  EXPECT_TRUE(Dataset::Range(0, 2)
                  .Map([outside = w->value()](GraphBuilder&, Outputs x) {
                    return Outputs{x[0] + outside};
                  })
                  .AddIterator(b)
                  .ok());
  const int line = __LINE__ + 1;
  const Dataset data = Dataset::Range(0, 2).Map(
      [&](GraphBuilder&, Outputs x) { return Outputs{x[0] + w->value()}; });
  const absl::Status status = data.AddIterator(b).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(
      status.message(),
      AllOf(HasSubstr("uses the resource 'w' on '/job:ps/task:0'"),
            HasSubstr("the dataset is on '/job:worker/task:1'"),
            HasSubstr(absl::StrCat("dataset_iterator_test.cc:", line))));
}

TEST(DatasetIteratorTest, IteratorsReportErrorsOfTheBuilder) {
  GraphBuilder b;
  EXPECT_FALSE(Dataset::Zip({}).AddIterator(b).ok());
  ASSERT_FALSE(b.status().ok());
  EXPECT_EQ(Dataset::Range(0, 1).AddIterator(b).status(), b.status());
}

}  // namespace
}  // namespace leat::dataset_iterator_test
