// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/remote_step.h"

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/buffer.h"
#include "leat/core/status_payloads.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/distributed/fake_tasks.h"

namespace leat {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kWorker[] = "/job:worker/replica:0/task:0";

// x goes to the ps, u to the worker; a comes from the ps, b from the worker.
std::shared_ptr<RegisteredPlan> Plan() {
  auto plan = std::make_shared<RegisteredPlan>();
  plan->feeds = {.names = {"x", "u"},
                 .types = {DType::kFloat, DType::kFloat},
                 .shapes = {PartialShape{2}, PartialShape{2}}};
  plan->fetches = {"b", "a"};
  plan->parts.push_back(
      {.task = kPs,
       .boundary = {.feeds = {{"key x", 0, DType::kFloat}},
                    .fetches = {{"key a", 1, DType::kFloat}}}});
  plan->parts.push_back(
      {.task = kWorker,
       .boundary = {.feeds = {{"key u", 1, DType::kFloat}},
                    .fetches = {{"key b", 0, DType::kFloat}}}});
  for (TaskPart& part : plan->parts) SetGraphHandle("s", "g", part);
  return plan;
}

Payload Failure(const absl::Status& status) {
  pb::RunGraphResponse response;
  response.set_status_code(static_cast<int>(status.code()));
  response.set_status_error_message(std::string(status.message()));
  response.mutable_leat()->set_payloads(EncodePayloads(status));
  return {.header = response.SerializeAsString()};
}

Payload Success(const std::string& key, float value) {
  Payload payload;
  payload.tensors.push_back({key, Tensor::Scalar(value)});
  return payload;
}

std::string From(const std::string& task, absl::string_view message) {
  return absl::StrCat("From ", task, ":\n", message);
}

class RemoteStepTest : public ::testing::Test {
 protected:
  RemoteStepTest() {
    environment_ = {.tasks = &tasks_,
                    .timers = &timers_,
                    .compute = compute_.get(),
                    .allocator = &HostAllocator()};
    request_ = {.plan = Plan(),
                .feeds = {Tensor::Of<float>(Shape{2}, {1, 2}),
                          Tensor::Of<float>(Shape{2}, {3, 4})}};
  }
  // Every step ends.
  ~RemoteStepTest() override {
    if (!started_) return;
    EXPECT_EQ(ended_.wait_for(kPatience), kReady);
  }

  static constexpr auto kPatience = std::chrono::seconds(20);
  static constexpr auto kReady = std::future_status::ready;

  void Start() {
    started_ = true;
    step_ = RemoteStep::Start(
        environment_, request_,
        [this](StepResult result) {
          done_promise_.set_value(std::move(result));
        },
        [this] { ended_promise_.set_value(); });
  }

  // The calls of RunGraph by task.
  std::map<std::string, FakeTasks::Received> Runs() {
    std::map<std::string, FakeTasks::Received> runs;
    for (FakeTasks::Received& call : tasks_.Take(2)) {
      EXPECT_EQ(call.path, methods::kRunGraph.path);
      std::string task = call.task;
      runs.emplace(std::move(task), std::move(call));
    }
    return runs;
  }

  bool IsDone(milliseconds wait = milliseconds(0)) {
    return done_.wait_for(wait) == kReady;
  }
  StepResult Result() {
    if (IsDone(kPatience)) return done_.get();
    ADD_FAILURE() << "the step did not end";
    return {.status = absl::UnknownError("the step did not end")};
  }

  // Answers the CleanupGraphs, which must be those of this step.
  void CleanUp(size_t count = 2) {
    for (FakeTasks::Received& call : tasks_.Take(count)) {
      EXPECT_EQ(call.path, methods::kCleanupGraph.path);
      pb::CleanupGraphRequest request;
      EXPECT_TRUE(request.ParseFromString(call.request.header));
      EXPECT_EQ(request.step_id(), step_->step_id());
      EXPECT_NE(ended_.wait_for(milliseconds(0)), kReady);
      std::move(call.done)(Payload{});
    }
  }

  // Waits until the call is cancelled.
  static void AwaitCancel(const FakeTasks::Received& call) {
    std::promise<void> cancelled;
    Cancellation::Token token;
    if (!call.options.cancellation->Register(
            [&](const absl::Status&) { cancelled.set_value(); }, &token)) {
      return;
    }
    EXPECT_EQ(cancelled.get_future().wait_for(kPatience), kReady);
  }

  static void Reply(FakeTasks::Received& call,
                    absl::StatusOr<Payload> payload) {
    std::move(call.done)(std::move(payload));
  }

  FakeTasks tasks_;
  TimerQueue timers_{"test-timers"};
  const std::unique_ptr<WorkQueue> compute_ = NewThreadPool("compute", 1);
  StepEnvironment environment_;
  StepRequest request_;
  std::shared_ptr<RemoteStep> step_;
  bool started_ = false;
  std::promise<StepResult> done_promise_;
  std::future<StepResult> done_ = done_promise_.get_future();
  std::promise<void> ended_promise_;
  std::future<void> ended_ = ended_promise_.get_future();
};

TEST_F(RemoteStepTest, GivesFeedsToTheirTasksAndFetchesInOrder) {
  Start();
  auto runs = Runs();
  ASSERT_EQ(runs.size(), 2);
  pb::RunGraphRequest ps, worker;
  ASSERT_TRUE(ps.ParseFromString(runs[kPs].request.header));
  ASSERT_TRUE(worker.ParseFromString(runs[kWorker].request.header));
  EXPECT_EQ(ps.step_id(), step_->step_id());
  EXPECT_EQ(worker.step_id(), step_->step_id());
  EXPECT_NE(ps.request_id(), worker.request_id());
  ASSERT_EQ(runs[kPs].request.tensors.size(), 1);
  EXPECT_EQ(runs[kPs].request.tensors[0].name, "key x");
  EXPECT_EQ(runs[kPs].request.tensors[0].tensor.raw_data(),
            request_.feeds[0].raw_data());
  EXPECT_EQ(runs[kWorker].request.tensors[0].name, "key u");
  Reply(runs[kWorker], Success("key b", 5));
  EXPECT_FALSE(IsDone());
  Reply(runs[kPs], Success("key a", 6));
  const StepResult result = Result();
  ASSERT_TRUE(result.status.ok()) << result.status;
  ASSERT_EQ(result.fetches.size(), 2);
  EXPECT_EQ(result.fetches[0].scalar<float>(), 5);
  EXPECT_EQ(result.fetches[1].scalar<float>(), 6);
  CleanUp();
}

TEST_F(RemoteStepTest, ChecksFeedsBeforeAnythingIsSent) {
  request_.feeds[1] = Tensor::Scalar(1.0f);
  Start();
  EXPECT_TRUE(absl::IsInvalidArgument(Result().status));
  EXPECT_EQ(tasks_.num_calls(), 0);
}

TEST_F(RemoteStepTest, APartThatEndsAloneIsNotCleanedUp) {
  auto plan = Plan();
  plan->parts[0].ends_alone = true;
  request_.plan = plan;
  Start();
  auto runs = Runs();
  Reply(runs[kPs], Success("key a", 6));
  Reply(runs[kWorker], Success("key b", 5));
  EXPECT_TRUE(Result().status.ok());
  auto calls = tasks_.Take(1);
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].task, kWorker);
  Reply(calls[0], Payload{});
}

TEST_F(RemoteStepTest, AnErrorCancelsTheOthers) {
  Start();
  auto runs = Runs();
  Reply(runs[kPs], Failure(absl::InvalidArgumentError("bad index")));
  ASSERT_TRUE(runs[kWorker].options.cancellation->IsCancelled());
  EXPECT_TRUE(IsDerived(runs[kWorker].options.cancellation->status()));
  EXPECT_FALSE(IsDone());
  Reply(runs[kWorker], absl::CancelledError("cancelled"));
  EXPECT_EQ(Result().status,
            absl::InvalidArgumentError(From(kPs, "bad index")));
  CleanUp();
}

TEST_F(RemoteStepTest, WaitsForTheCauseOfADerivedError) {
  Start();
  auto runs = Runs();
  Reply(runs[kWorker],
        Failure(AsDerived(absl::InvalidArgumentError("bad index"))));
  EXPECT_FALSE(runs[kPs].options.cancellation->IsCancelled());
  Reply(runs[kPs], Failure(absl::InvalidArgumentError("bad index of 'x'")));
  EXPECT_EQ(Result().status,
            absl::InvalidArgumentError(From(kPs, "bad index of 'x'")));
  CleanUp();
}

TEST_F(RemoteStepTest, DoesNotWaitForACauseForEver) {
  environment_.wait_for_cause = milliseconds(20);
  Start();
  auto runs = Runs();
  Reply(runs[kWorker], Failure(AsDerived(absl::AbortedError("gone"))));
  AwaitCancel(runs[kPs]);
  Reply(runs[kPs], absl::CancelledError("cancelled"));
  EXPECT_TRUE(absl::IsAborted(Result().status));
  CleanUp();
}

TEST_F(RemoteStepTest, AnswersWithoutATaskThatDoesNot) {
  environment_.wait_for_replies = milliseconds(20);
  Start();
  auto runs = Runs();
  Reply(runs[kPs], Failure(absl::InternalError("broken")));
  EXPECT_EQ(Result().status, absl::InternalError(From(kPs, "broken")));
  EXPECT_EQ(tasks_.num_calls(), 0);  // not yet: it still runs there
  Reply(runs[kWorker], Success("key b", 5));
  CleanUp();
}

TEST_F(RemoteStepTest, EndsAtItsDeadline) {
  request_.deadline = StepDeadline{
      std::chrono::steady_clock::now() + milliseconds(20), milliseconds(20)};
  Start();
  auto runs = Runs();
  AwaitCancel(runs[kPs]);
  Reply(runs[kPs], absl::CancelledError("cancelled"));
  Reply(runs[kWorker], absl::CancelledError("cancelled"));
  EXPECT_EQ(Result().status,
            absl::DeadlineExceededError(
                "the step ran longer than its timeout of 20ms"));
  CleanUp();
}

TEST_F(RemoteStepTest, EndsWhenItsClientIsGone) {
  request_.call = std::make_shared<CallContext>();
  Start();
  auto runs = Runs();
  request_.call->cancellation.Cancel(absl::CancelledError("client is gone"));
  EXPECT_TRUE(runs[kPs].options.cancellation->IsCancelled());
  Reply(runs[kPs], absl::CancelledError("cancelled"));
  Reply(runs[kWorker], Failure(AsDerived(absl::AbortedError("ended"))));
  EXPECT_EQ(Result().status, absl::CancelledError("client is gone"));
  CleanUp();
}

TEST_F(RemoteStepTest, OfAClientThatIsGoneAlreadyRunsNothing) {
  request_.call = std::make_shared<CallContext>();
  request_.call->cancellation.Cancel(absl::CancelledError("client is gone"));
  Start();
  auto runs = Runs();
  for (auto& [task, call] : runs) {
    EXPECT_TRUE(call.options.cancellation->IsCancelled());
    Reply(call, absl::CancelledError("cancelled"));
  }
  EXPECT_EQ(Result().status, absl::CancelledError("client is gone"));
  CleanUp();
}

TEST_F(RemoteStepTest, CancelAfterItsEndDoesNothing) {
  Start();
  auto runs = Runs();
  Reply(runs[kPs], Success("key a", 6));
  Reply(runs[kWorker], Success("key b", 5));
  EXPECT_TRUE(Result().status.ok());
  step_->Cancel(absl::CancelledError("closed"));
  CleanUp();
}

TEST_F(RemoteStepTest, RefusesRepliesThatDoNotFitThePlan) {
  struct Case {
    absl::StatusOr<Payload> reply;
    std::string message;
  };
  std::vector<Case> cases;
  cases.push_back({Payload{}, "did not return 'a'"});
  cases.push_back({Success("key z", 1), "'key z', which was not asked for"});
  cases.push_back({Payload{.header = "\x0a\xff"}, "malformed"});
  Payload other_type;
  other_type.tensors.push_back({"key a", Tensor::Scalar(int32_t{1})});
  cases.push_back({std::move(other_type), "fetch 'a' is int32"});
  Payload twice = Success("key a", 1);
  twice.tensors.push_back(twice.tensors[0]);
  cases.push_back({std::move(twice), "or returned it twice"});
  for (Case& c : cases) {
    done_promise_ = {};
    done_ = done_promise_.get_future();
    ended_promise_ = {};
    ended_ = ended_promise_.get_future();
    Start();
    auto runs = Runs();
    Reply(runs[kPs], std::move(c.reply));
    Reply(runs[kWorker], absl::CancelledError("cancelled"));
    const absl::Status status = Result().status;
    EXPECT_TRUE(absl::IsInternal(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(c.message));
    EXPECT_THAT(status.message(), HasSubstr(kPs));
    CleanUp();
    EXPECT_EQ(ended_.wait_for(kPatience), kReady);
  }
}

TEST_F(RemoteStepTest, CollectsWhatTasksRecorded) {
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

// So that a trace tells of the time up to a timeout, too.
TEST_F(RemoteStepTest, CollectsWhatATaskRecordedBeforeItFailed) {
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

TEST_F(RemoteStepTest, MovesTimesToTheClockOfTheMaster) {
  request_.trace = true;
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
  const pb::StepStats& stats = result.metadata.step_stats();
  ASSERT_EQ(stats.dev_stats_size(), 2);
  for (const auto& device : stats.dev_stats()) {
    // As exact as the call took long.
    EXPECT_NEAR(device.node_stats(0).all_start_nanos(), now * 1000, 1e9)
        << device.device();
  }
  CleanUp();
}

class ForeignTraceTest : public RemoteStepTest {
 protected:
  ForeignTraceTest() {
    auto plan = Plan();
    plan->parts[0].is_foreign = true;
    request_.plan = plan;
    request_.trace = true;
  }
  // The call that is waited for.
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
  EXPECT_TRUE(Logging(Payload{}).disable_rpc_logging());
  EXPECT_FALSE(IsDone());
  pb::LoggingResponse response;
  for (const int64_t step : {step_->step_id(), int64_t{1}}) {
    pb::LabeledStepStats& logged = *response.add_step();
    logged.set_step_id(step);
    logged.mutable_step_stats()->add_dev_stats()->set_device(step == 1 ? "other"
                                                                       : "d");
  }
  EXPECT_THAT(
      Logging(Payload{.header = response.SerializeAsString()}).fetch_step_id(),
      ElementsAre(step_->step_id()));
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
  Logging(absl::UnavailableError("gone"));
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
  Logging(Payload{});
  EXPECT_TRUE(absl::IsInternal(Result().status));
  CleanUp();
}

TEST_F(ForeignTraceTest, CostsNothingUnlessAskedFor) {
  request_.trace = false;
  Start();
  ReplyToRuns();
  EXPECT_FALSE(Result().metadata.has_step_stats());
  CleanUp();
}

// A reply as gRPC gives it: bytes.
class ReceivedTensors final : public PendingTensors {
 public:
  ReceivedTensors(std::string key, int64_t bytes, std::thread::id* thread)
      : key_(std::move(key)), bytes_(bytes), thread_(thread) {}
  int64_t bytes() const override { return bytes_; }
  absl::StatusOr<WireTensors> Decode(Allocator&, const VariantDecoders*,
                                     int64_t) override {
    *thread_ = std::this_thread::get_id();
    WireTensors tensors;
    tensors.push_back({key_, Tensor::Scalar(1.0f)});
    return tensors;
  }

 private:
  const std::string key_;
  const int64_t bytes_;
  std::thread::id* const thread_;
};

TEST_F(RemoteStepTest, DecodesLargeRepliesOnThePool) {
  Start();
  auto runs = Runs();
  std::thread::id small, large;
  Payload payload;
  payload.pending = std::make_unique<ReceivedTensors>("key a", 100, &small);
  Reply(runs[kPs], std::move(payload));
  payload = {};
  payload.pending = std::make_unique<ReceivedTensors>("key b", 1 << 20, &large);
  Reply(runs[kWorker], std::move(payload));
  EXPECT_TRUE(Result().status.ok());
  EXPECT_EQ(small, std::this_thread::get_id());
  EXPECT_NE(large, std::this_thread::get_id());
  CleanUp();
}

TEST_F(RemoteStepTest, OfNoTaskIsOverAtOnce) {
  auto plan = std::make_shared<RegisteredPlan>();
  request_ = {.plan = plan};
  Start();
  EXPECT_TRUE(Result().status.ok());
}

TEST_F(RemoteStepTest, AnswersOnceWhateverComesAtTheSameTime) {
  for (int round = 0; round < 200; ++round) {
    done_promise_ = {};
    done_ = done_promise_.get_future();
    ended_promise_ = {};
    ended_ = ended_promise_.get_future();
    request_.call = std::make_shared<CallContext>();
    Start();
    auto runs = Runs();
    std::vector<std::thread> threads;
    threads.emplace_back(
        [&] { Reply(runs[kPs], Failure(absl::InternalError("broken"))); });
    threads.emplace_back([&] { Reply(runs[kWorker], Success("key b", 5)); });
    threads.emplace_back([&] {
      request_.call->cancellation.Cancel(absl::CancelledError("client"));
    });
    threads.emplace_back(
        [&] { step_->Cancel(absl::CancelledError("closed")); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(Result().status, absl::InternalError(From(kPs, "broken")));
    CleanUp();
    EXPECT_EQ(ended_.wait_for(kPatience), kReady);
  }
}

}  // namespace
}  // namespace leat
