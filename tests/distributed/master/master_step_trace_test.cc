// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what a step reports about itself: stats, graphs, times, and the logs of
// TensorFlow's tasks.
#include "leat/distributed/master/master_step.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/distributed/master/master_step_fixture.h"

namespace leat::master_step_trace_test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using testing::Failure;
using testing::kPs;
using testing::kWorker;
using testing::MasterStepTest;
using testing::Plan;
using testing::Success;
using ::testing::UnorderedElementsAre;

TEST_F(MasterStepTest, CollectsWhatTasksRecorded) {
  request_.trace = true;
  request_.partition_graphs = true;
  Start();
  auto runs = Runs();
  for (auto& [task, call] : runs) {
    pb::RunGraphRequest request;
    ASSERT_TRUE(request.ParseFromString(call.request.header));
    EXPECT_TRUE(request.exec_opts().record_timeline());
    EXPECT_TRUE(request.exec_opts().record_partition_graphs());
    Payload payload = Success(task == kPs ? "key a" : "key b", 1);
    pb::RunGraphResponse response;
    response.mutable_step_stats()->add_dev_stats()->set_device(task);
    response.add_partition_graph()->add_node()->set_name(task);
    payload.header = response.SerializeAsString();
    Reply(call, std::move(payload));
  }
  const StepResult result = Result();
  std::vector<std::string> devices, nodes;
  for (const auto& stats : result.metadata.step_stats().dev_stats()) {
    devices.push_back(stats.device());
  }
  for (const auto& graph : result.metadata.partition_graphs()) {
    nodes.push_back(graph.node(0).name());
  }
  EXPECT_THAT(devices, UnorderedElementsAre(kPs, kWorker));
  EXPECT_THAT(nodes, UnorderedElementsAre(kPs, kWorker));
  CleanUp();
}

// The trace of a step that has timed out must show what ran before the timeout.
TEST_F(MasterStepTest, CollectsWhatATaskRecordedBeforeItFailed) {
  request_.trace = true;
  Start();
  auto runs = Runs();
  pb::RunGraphResponse response;
  response.set_status_code(static_cast<int>(absl::StatusCode::kInternal));
  response.set_status_error_message("broken");
  response.mutable_step_stats()->add_dev_stats()->set_device("d");
  Reply(runs[kPs], Payload{.header = response.SerializeAsString()});
  Reply(runs[kWorker], absl::CancelledError("cancelled"));
  const StepResult result = Result();
  EXPECT_TRUE(absl::IsInternal(result.status));
  ASSERT_EQ(result.metadata.step_stats().dev_stats_size(), 1);
  EXPECT_EQ(result.metadata.step_stats().dev_stats(0).device(), "d");
  CleanUp();
}

TEST_F(MasterStepTest, MovesTimesToTheClockOfTheMaster) {
  request_.trace = true;
  const absl::Time begin = absl::Now();
  Start();
  auto runs = Runs();
  const int64_t now = absl::ToUnixMicros(absl::Now());
  for (auto& [task, call] : runs) {
    const int64_t skew = task == kPs ? 3'600'000'000 : 0;
    Payload payload = Success(task == kPs ? "key a" : "key b", 1);
    pb::RunGraphResponse response;
    pb::DeviceStepStats& device =
        *response.mutable_step_stats()->add_dev_stats();
    device.set_device(task);
    device.add_node_stats()->set_all_start_nanos((now + skew) * 1000);
    response.mutable_leat()->set_received_us(now + skew);
    response.mutable_leat()->set_replied_us(now + skew);
    payload.header = response.SerializeAsString();
    Reply(call, std::move(payload));
  }
  const StepResult result = Result();
  const auto took =
      static_cast<double>(absl::ToInt64Nanoseconds(absl::Now() - begin));
  const pb::StepStats& stats = result.metadata.step_stats();
  ASSERT_EQ(stats.dev_stats_size(), 2);
  for (const auto& device : stats.dev_stats()) {
    // The start time may be wrong by the duration of the call, but by no more.
    EXPECT_NEAR(device.node_stats(0).all_start_nanos(), now * 1000, 1e9 + took)
        << device.device();
  }
  CleanUp();
}

class ForeignTraceTest : public MasterStepTest {
 protected:
  ForeignTraceTest() {
    auto plan = Plan();
    plan->parts[0].is_foreign = true;
    request_.plan = plan;
    request_.trace = true;
  }
  // Takes the next Logging call, answers it, and returns its request.
  pb::LoggingRequest Logging(absl::StatusOr<Payload> answer) {
    auto calls = tasks_.Take(1);
    pb::LoggingRequest request;
    if (calls.size() != 1) return request;
    EXPECT_EQ(calls[0].task, kPs);
    EXPECT_EQ(calls[0].path, methods::kLogging.path);
    EXPECT_TRUE(request.ParseFromString(calls[0].request.header));
    Reply(calls[0], std::move(answer));
    return request;
  }
  void ReplyToRuns() {
    auto runs = Runs();
    Reply(runs[kPs], Success("key a", 6));
    Reply(runs[kWorker], Success("key b", 5));
  }
};

TEST_F(ForeignTraceTest, HasTheLogsOfItsTransfers) {
  Start();
  EXPECT_TRUE(Logging(Payload{}).enable_rpc_logging());
  ReplyToRuns();
  pb::LoggingResponse response;
  for (const int64_t step : {step_->step_id(), int64_t{1}}) {
    pb::LabeledStepStats& logged = *response.add_step();
    logged.set_step_id(step);
    logged.mutable_step_stats()->add_dev_stats()->set_device(step == 1 ? "other"
                                                                       : "d");
  }
  EXPECT_FALSE(IsDone());
  const pb::LoggingRequest request =
      Logging(Payload{.header = response.SerializeAsString()});
  EXPECT_TRUE(request.disable_rpc_logging());
  EXPECT_THAT(request.fetch_step_id(), ElementsAre(step_->step_id()));
  const StepResult result = Result();
  EXPECT_TRUE(result.status.ok()) << result.status;
  ASSERT_EQ(result.metadata.step_stats().dev_stats_size(), 1);
  EXPECT_EQ(result.metadata.step_stats().dev_stats(0).device(), "d");
  CleanUp();
}

TEST_F(ForeignTraceTest, IsThereWithoutLogsToo) {
  Start();
  Logging(absl::UnimplementedError("no logs"));
  ReplyToRuns();
  Logging(Payload{.header = "\x0a\xff"});
  EXPECT_TRUE(Result().status.ok());
  CleanUp();
}

TEST_F(ForeignTraceTest, EndsTheLogsOfAStepThatFails) {
  Start();
  Logging(Payload{});
  auto runs = Runs();
  Reply(runs[kWorker], Failure(absl::InternalError("broken")));
  Reply(runs[kPs], absl::CancelledError("cancelled"));
  EXPECT_TRUE(Logging(Payload{}).disable_rpc_logging());
  EXPECT_TRUE(absl::IsInternal(Result().status));
  CleanUp();
}

TEST_F(ForeignTraceTest, OfACancelledStepDoesNotWaitForTasksToLog) {
  Start();
  auto calls = tasks_.Take(1);
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].path, methods::kLogging.path);
  step_->Cancel(absl::CancelledError("closed"));
  ASSERT_NE(calls[0].options.cancellation, nullptr);
  EXPECT_TRUE(calls[0].options.cancellation->IsCancelled());
  Reply(calls[0], absl::CancelledError("given up"));
  for (auto& [task, call] : Runs()) {
    EXPECT_TRUE(call.options.cancellation->IsCancelled());
    Reply(call, absl::CancelledError("cancelled"));
  }
  EXPECT_TRUE(Logging(Payload{}).disable_rpc_logging());
  EXPECT_EQ(Result().status, absl::CancelledError("closed"));
  CleanUp();
}

// The step may be cancelled before it waits for the logs or while it waits.
TEST_F(ForeignTraceTest, OfACancelledStepDoesNotWaitForLogs) {
  environment_->intervals.wait_for_replies = std::chrono::hours(1);
  for (const bool before : {false, true}) {
    Start();
    Logging(Payload{});
    auto runs = Runs();
    if (before) step_->Cancel(absl::CancelledError("closed"));
    Reply(runs[kPs], Success("key a", 6));
    Reply(runs[kWorker], Success("key b", 5));
    auto logs = tasks_.Take(1);
    ASSERT_EQ(logs.size(), 1);
    EXPECT_EQ(logs[0].path, methods::kLogging.path);
    if (!before) {
      EXPECT_FALSE(IsDone());
      step_->Cancel(absl::CancelledError("closed"));
    }
    EXPECT_EQ(Result().status, absl::CancelledError("closed"));
    // The step does not end before the task has been told to stop logging.
    EXPECT_FALSE(ended_->IsSet());
    EXPECT_EQ(tasks_.num_calls(), 0);
    Reply(logs[0], Payload{});
    CleanUp();
    EXPECT_TRUE(ended_->Wait());
  }
}

TEST_F(ForeignTraceTest, CostsNothingUnlessAskedFor) {
  request_.trace = false;
  Start();
  ReplyToRuns();
  EXPECT_FALSE(Result().metadata.has_step_stats());
  CleanUp();
}

}  // namespace
}  // namespace leat::master_step_trace_test
