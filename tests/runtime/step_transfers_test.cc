// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step_transfers.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/protos/step_stats.pb.h"

namespace leat::step_transfers_test {
namespace {

pb::NodeExecStats& Ran(pb::DeviceStepStats& device, const std::string& node,
                       const std::string& call, int64_t start, int64_t end) {
  pb::NodeExecStats& stats = *device.add_node_stats();
  stats.set_node_name(node);
  stats.set_timeline_label(node + " = " + call);
  stats.set_all_start_nanos(start);
  stats.set_all_end_rel_nanos(end - start);
  return stats;
}

TEST(StepTransfersTest, ReadsLabels) {
  pb::NodeExecStats node;
  node.set_node_name("a = b");
  EXPECT_EQ(ParseTimelineLabel(node).op, "a = b");
  node.set_timeline_label("[cpu 1B] a = b = MatMul(x, f(y):1, ^c)");
  EXPECT_EQ(ParseTimelineLabel(node).op, "MatMul");
  EXPECT_EQ(ParseTimelineLabel(node).inputs, "x, f(y):1, ^c");
  for (const char* odd : {"a = b = ", "a = b = )(", "a = b = X(", "", "x"}) {
    node.set_timeline_label(odd);
    EXPECT_EQ(ParseTimelineLabel(node).inputs, "") << odd;
  }
}

// The stats may list the sends and receives of a loop in any order.
TEST(StepTransfersTest, PairsTheRunsOfALoopInTheirOrder) {
  pb::StepStats stats;
  pb::DeviceStepStats& to = *stats.add_dev_stats();
  pb::DeviceStepStats& from = *stats.add_dev_stats();
  to.set_device("/job:b/device:CPU:0");
  from.set_device("/job:a/device:CPU:0");
  Ran(to, "r", "_Recv(x @/job:a/device:CPU:0)", 26, 40);
  Ran(to, "r", "_Recv(x @/job:a/device:CPU:0)", 0, 25);
  Ran(to, "other", "_Recv(x @/job:c/device:CPU:0)", 0, 50);
  Ran(from, "s", "_Send(x @/job:b/device:CPU:0)", 20, 22);
  Ran(from, "s", "_Send(x @/job:b/device:CPU:0)", 30, 32);
  Ran(from, "s", "_Send(x @/job:b/device:CPU:0)", 33, 34);
  Ran(from, "s", "_Send(y @/job:b/device:CPU:0)", 33, 34);
  Ran(from, "s", "_Send(nowhere)", 33, 34);
  const auto transfers = MatchTransfers(stats);
  ASSERT_EQ(transfers.size(), 2);
  const int64_t sent[] = {20, 30}, received[] = {0, 26};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(transfers[i].tensor, "x");
    EXPECT_EQ(transfers[i].send_device, 1);
    EXPECT_EQ(transfers[i].recv_device, 0);
    EXPECT_EQ(transfers[i].send->all_start_nanos(), sent[i]);
    EXPECT_EQ(transfers[i].recv->all_start_nanos(), received[i]);
  }
}

// TensorFlow's servers do not report _Send and _Recv nodes. They report the
// tensors that they pull from other tasks.
TEST(StepTransfersTest, KnowsWhatServersOfTensorFlowSendAndReceive) {
  pb::StepStats stats;
  pb::DeviceStepStats& ours = *stats.add_dev_stats();
  pb::DeviceStepStats& theirs = *stats.add_dev_stats();
  ours.set_device("/job:a/device:CPU:0");
  theirs.set_device("/job:b/device:CPU:0");
  Ran(ours, "s", "_Send(edge_1_x/y @/job:b/device:CPU:0)", 10, 11);
  Ran(ours, "r", "_Recv(edge_12_z @/job:b/device:CPU:0)", 0, 40);
  for (auto* device : {&ours, &theirs}) {
    const bool is_ours = device == &ours;
    pb::NodeExecStats& pull = Ran(*device, "RecvTensor", "", 5, 20);
    pull.set_timeline_label(
        is_ours ? "[12B] [1.5Mb/s] edge_12_z from /job:b/device:CPU:0 to "
                  "/job:a/device:CPU:0"
                : "[12B] [1.5Mb/s] edge_1_x/y from /job:a/device:CPU:0 to "
                  "/job:b/device:CPU:0");
  }
  Ran(theirs, "z", "MatMul(x/y)", 21, 30);
  Ran(ours, "z", "MatMul(x/y)", 21, 30);
  Ran(theirs, "12_z", "MatMul(x/y)", 21, 30);
  // None of these labels names a transfer in a valid form.
  for (const char* label : {"[", "[] a from b", "[] a to b", "[ to  from "}) {
    Ran(theirs, "RecvTensor", "", 5, 20).set_timeline_label(label);
  }
  const auto transfers = MatchTransfers(stats);
  ASSERT_EQ(transfers.size(), 2);
  EXPECT_EQ(transfers[0].tensor, "edge_1_x/y");
  EXPECT_EQ(transfers[0].send, &ours.node_stats(0));
  EXPECT_EQ(transfers[0].recv, &theirs.node_stats(0));
  EXPECT_EQ(transfers[1].tensor, "edge_12_z");
  EXPECT_EQ(transfers[1].send, &theirs.node_stats(1));
  EXPECT_EQ(transfers[1].recv, &ours.node_stats(1));
}

// Each of the kMany runs of "w" may have sent each of the kMany tensors.
// Storing every pair would take 10^10 entries.
TEST(StepTransfersTest, TakeNoMoreRoomThanWhatThePeersSay) {
  constexpr int kMany = 100'000;
  pb::StepStats stats;
  pb::DeviceStepStats& from = *stats.add_dev_stats();
  pb::DeviceStepStats& to = *stats.add_dev_stats();
  from.set_device("/job:a/device:CPU:0");
  to.set_device("/job:b/device:CPU:0");
  for (int i = 0; i < kMany; ++i) {
    Ran(from, "w", "Identity(x)", kMany - i, kMany - i);
    Ran(to, "RecvTensor", "", i, i)
        .set_timeline_label(absl::StrCat("[4B] [1.5Mb/s] edge_", i,
                                         "_w from /job:a/device:CPU:0 to "
                                         "/job:b/device:CPU:0"));
  }
  const auto transfers = MatchTransfers(stats);
  ASSERT_EQ(transfers.size(), kMany);
  // Every tensor is matched with the run of "w" that ended first.
  const pb::NodeExecStats& first = from.node_stats(kMany - 1);
  for (int i = 0; i < kMany; ++i) {
    ASSERT_EQ(transfers[i].send, &first);
    ASSERT_EQ(transfers[i].recv, &to.node_stats(i));
  }
}

// A search for the name at each position of the label would take days.
TEST(StepTransfersTest, ReadsALongLabelOnce) {
  pb::NodeExecStats node;
  node.set_node_name(std::string(size_t{16} << 20, 'a'));
  node.set_timeline_label(std::string(size_t{64} << 20, 'a'));
  EXPECT_TRUE(ParseTimelineLabel(node).op == node.node_name());
  node.set_timeline_label(absl::StrCat("[cpu 0.1MB 0.2MB] [gpu 1MB] ",
                                       node.node_name(), " = MatMul(x)"));
  EXPECT_EQ(ParseTimelineLabel(node).op, "MatMul");
  EXPECT_EQ(ParseTimelineLabel(node).inputs, "x");
}

// The tensor's name does not contain the name of a node. The node without a
// name must not match it.
TEST(StepTransfersTest, MatchesNothingWithANodeWithoutName) {
  pb::StepStats stats;
  pb::DeviceStepStats& device = *stats.add_dev_stats();
  device.set_device("d");
  Ran(device, "", "X(y)", 0, 1);
  Ran(device, "RecvTensor", "", 2, 3).set_timeline_label("[4B] x from d to d");
  EXPECT_TRUE(MatchTransfers(stats).empty());
}

// The times in a peer's messages may be any numbers.
TEST(StepTransfersTest, TimesAreNeverNegativeAndHaveASum) {
  for (const int64_t start : {INT64_MIN, int64_t{-1}, int64_t{0}, INT64_MAX}) {
    for (const int64_t duration : {INT64_MIN, int64_t{-5}, INT64_MAX}) {
      pb::NodeExecStats nanos, micros;
      nanos.set_all_start_nanos(start);
      nanos.set_all_end_rel_nanos(duration);
      micros.set_all_start_micros(start);
      micros.set_all_end_rel_micros(duration);
      for (const pb::NodeExecStats* node : {&nanos, &micros}) {
        EXPECT_GE(StartNanos(*node), 0);
        EXPECT_GE(DurationNanos(*node), 0);
        int64_t end = 0;
        EXPECT_FALSE(__builtin_add_overflow(StartNanos(*node),
                                            DurationNanos(*node), &end));
      }
    }
  }
  pb::NodeExecStats node;
  node.set_all_start_micros(5);
  node.set_all_end_rel_micros(3);
  EXPECT_EQ(StartNanos(node), 5000);
  EXPECT_EQ(DurationNanos(node), 3000);
}

}  // namespace
}  // namespace leat::step_transfers_test
