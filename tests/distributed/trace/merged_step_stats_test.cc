// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/trace/merged_step_stats.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/runtime/step_transfers.h"

namespace leat::merged_step_stats_test {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kZero = 1'700'000'000'000'000'000;  // nanoseconds
constexpr int64_t kMicro = 1000;
constexpr int64_t kSecond = 1'000'000'000;
const char kPs[] = "/job:ps/replica:0/task:0/device:CPU:0";
const char kWorker[] = "/job:worker/replica:0/task:0/device:CPU:0";

// Holds the stats of a task whose clock is ahead by `skew` nanoseconds. The
// methods take times in microseconds of the master's clock.
class Task {
 public:
  Task(std::string device, int64_t skew) : skew_(skew) {
    task_.stats.add_dev_stats()->set_device(std::move(device));
    (*device_().mutable_thread_names())[7] = "compute";
  }

  Task& Ran(const std::string& node, const std::string& call, int64_t start,
            int64_t end) {
    pb::NodeExecStats& stats = *device_().add_node_stats();
    stats.set_node_name(node);
    stats.set_timeline_label(node + " = " + call);
    stats.set_thread_id(7);
    stats.set_scheduled_nanos(At(start));
    stats.set_scheduled_micros(At(start) / 1000);
    stats.set_all_start_nanos(At(start));
    stats.set_all_start_micros(At(start) / 1000);
    stats.set_all_end_rel_nanos((end - start) * kMicro);
    stats.set_all_end_rel_micros(end - start);
    return *this;
  }
  // Returns the stats with the times of the call. The master records `called`
  // and `answered` by its clock. The task records `received` and `replied` by
  // the task's clock.
  TaskStepStats Call(int64_t called, int64_t received, int64_t replied,
                     int64_t answered) {
    task_.times = {.called = kZero + called * kMicro,
                   .answered = kZero + answered * kMicro,
                   .received = At(received),
                   .replied = At(replied)};
    return task_;
  }
  // Returns the stats with the times of the call to a task of TensorFlow. Such
  // a task does not report when it received the call and replied.
  TaskStepStats ForeignCall(int64_t called, int64_t answered) {
    task_.times = {.called = kZero + called * kMicro,
                   .answered = kZero + answered * kMicro};
    return task_;
  }

 private:
  pb::DeviceStepStats& device_() { return *task_.stats.mutable_dev_stats(0); }
  int64_t At(int64_t micros) const { return kZero + micros * kMicro + skew_; }

  const int64_t skew_;
  TaskStepStats task_;
};

// Returns when the nodes began, in microseconds by the master's clock.
std::vector<int64_t> Starts(const pb::DeviceStepStats& device) {
  std::vector<int64_t> starts;
  for (const pb::NodeExecStats& node : device.node_stats()) {
    EXPECT_EQ(node.all_start_micros(), node.all_start_nanos() / 1000);
    EXPECT_EQ(node.scheduled_micros(), node.scheduled_nanos() / 1000);
    EXPECT_EQ(node.scheduled_nanos(), node.all_start_nanos());
    starts.push_back((node.all_start_nanos() - kZero) / kMicro);
  }
  return starts;
}

TEST(MergedStepStatsTest, HaveEveryDeviceOnceByName) {
  const pb::StepStats merged = MergeStepStats(
      {Task(kWorker, 0).Ran("b", "B()", 20, 30).Call(0, 10, 90, 100),
       Task(kPs, 0).Ran("a", "A()", 10, 20).Call(0, 10, 90, 100),
       Task(kWorker, 0).Ran("c", "C()", 10, 12).Call(0, 10, 90, 100)});
  ASSERT_EQ(merged.dev_stats_size(), 2);
  EXPECT_EQ(merged.dev_stats(0).device(), kPs);
  EXPECT_EQ(merged.dev_stats(1).device(), kWorker);
  EXPECT_EQ(merged.dev_stats(1).thread_names().at(7), "compute");
  EXPECT_THAT(Starts(merged.dev_stats(0)), ElementsAre(10));
  EXPECT_THAT(Starts(merged.dev_stats(1)), ElementsAre(10, 20));
}

TEST(MergedStepStatsTest, AreByTheClockOfTheMaster) {
  for (const int64_t skew : {5 * kSecond, -3600 * kSecond}) {
    const pb::StepStats merged = MergeStepStats(
        {Task(kPs, skew).Ran("a", "A()", 30, 60).Call(0, 20, 80, 100),
         Task(kWorker, 0).Ran("b", "B()", 40, 50).Call(0, 10, 90, 100)});
    // The request and the reply took the same time, so the offset is exact.
    // Only the rounding to whole microseconds makes a difference.
    EXPECT_NEAR(merged.dev_stats(0).node_stats(0).all_start_nanos() - kZero,
                30 * kMicro, kMicro);
    EXPECT_THAT(Starts(merged.dev_stats(1)), ElementsAre(40));
  }
}

// The call allows a range of offsets. With the offset in the middle of this
// range, the tensor would arrive before the ps sent it. So MergeStepStats must
// choose an offset with which the receive ends after the send began.
TEST(MergedStepStatsTest, ARecvEndsAfterItsSendBegan) {
  for (const int64_t skew :
       {int64_t{0}, 30 * kMicro, -30 * kMicro, 7 * kSecond, -7 * kSecond}) {
    const pb::StepStats merged = MergeStepStats(
        {Task(kPs, skew)
             .Ran("s", std::string("_Send(edge @") + kWorker + ")", 15, 16)
             .Call(0, 10, 20, 1000),
         Task(kWorker, -skew)
             .Ran("r", std::string("_Recv(edge @") + kPs + ")", 12, 17)
             .Ran("s", std::string("_Send(back @") + kPs + ")", 17, 18)
             .Call(0, 10, 20, 30),
         Task("/job:ps/replica:0/task:1/device:CPU:0", 0).Call(0, 1, 2, 3)});
    const auto transfers = MatchTransfers(merged);
    ASSERT_EQ(transfers.size(), 1);
    EXPECT_LT(
        StartNanos(*transfers[0].send),
        StartNanos(*transfers[0].recv) + DurationNanos(*transfers[0].recv))
        << skew;
  }
}

TEST(MergedStepStatsTest, NoForeignTaskWorksOutsideOfItsCall) {
  for (const int64_t skew : {int64_t{0}, kSecond, -kSecond, 100 * kMicro}) {
    const pb::StepStats merged = MergeStepStats({Task(kPs, skew)
                                                     .Ran("a", "A()", 10, 20)
                                                     .Ran("b", "B()", 70, 80)
                                                     .ForeignCall(0, 100)});
    const pb::DeviceStepStats& device = merged.dev_stats(0);
    EXPECT_GE(StartNanos(device.node_stats(0)), kZero - kMicro) << skew;
    EXPECT_LE(
        StartNanos(device.node_stats(1)) + DurationNanos(device.node_stats(1)),
        kZero + 100 * kMicro)
        << skew;
    if (skew == 0) {
      EXPECT_THAT(Starts(device), ElementsAre(10, 70));
    }
  }
}

// The entries that TensorFlow writes for RPCs have times in microseconds only.
TEST(MergedStepStatsTest, MicrosAreMovedWhereThereAreNoNanos) {
  TaskStepStats task =
      Task(kPs, kSecond).Ran("a", "A()", 10, 20).Call(0, 10, 90, 100);
  pb::NodeExecStats& node =
      *task.stats.mutable_dev_stats(0)->mutable_node_stats(0);
  node.clear_all_start_nanos();
  node.clear_scheduled_nanos();
  const pb::StepStats merged = MergeStepStats({task});
  const pb::NodeExecStats& moved = merged.dev_stats(0).node_stats(0);
  EXPECT_EQ(moved.all_start_nanos(), 0);
  EXPECT_NEAR(moved.all_start_micros() - kZero / 1000, 10, 1);
  EXPECT_NEAR(moved.scheduled_micros() - kZero / 1000, 10, 1);
}

TEST(MergedStepStatsTest, HaveNoMoreRunsThanTheyMay) {
  Task task(kPs, 0);
  for (int i = 0; i < 5; ++i) task.Ran("a", "A()", i, i + 1);
  const pb::StepStats merged =
      MergeStepStats({task.Call(0, 0, 9, 10), task.Call(0, 0, 9, 10)}, 7);
  EXPECT_EQ(merged.dev_stats(0).node_stats_size(), 7);
}

// The stats may come from a task that reports nonsense.
TEST(MergedStepStatsTest, TakeAnyNumbers) {
  const int64_t odd[] = {INT64_MIN, -1, 0, 1, kZero, INT64_MAX};
  for (const int64_t a : odd) {
    for (const int64_t b : odd) {
      TaskStepStats task;
      task.times = {
          .called = kZero, .answered = kZero + 1, .received = a, .replied = b};
      pb::DeviceStepStats& device = *task.stats.add_dev_stats();
      device.set_device(kPs);
      pb::NodeExecStats& node = *device.add_node_stats();
      node.set_timeline_label(" = _Send(x @/x)");
      node.set_all_start_nanos(a);
      node.set_all_end_rel_nanos(b);
      node.set_scheduled_nanos(b);
      node.set_scheduled_micros(a);
      TaskStepStats receiver = task;
      receiver.stats.mutable_dev_stats(0)->set_device("/x");
      receiver.stats.mutable_dev_stats(0)
          ->mutable_node_stats(0)
          ->set_timeline_label(std::string(" = _Recv(x @") + kPs + ")");
      receiver.times = {};
      EXPECT_EQ(MergeStepStats({task, receiver, task}).dev_stats_size(), 2);
    }
  }
}

}  // namespace
}  // namespace leat::merged_step_stats_test
