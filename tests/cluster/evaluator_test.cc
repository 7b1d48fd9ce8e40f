// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests an evaluator while a worker is dead or hangs. The evaluator's sessions
// leave out all workers. So these sessions can begin, and can read the
// variables that the other worker trains. If a session does not leave out the
// workers, the same master refuses it with an error that names the missing
// worker.
#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/master.pb.h"
#include "leat/tests/cluster/counting_client.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/cluster/training_worker.h"
#include "leat/tests/testing/task_client.h"
#include "leat/train/cluster_task.h"
#include "leat/train/session.h"

namespace leat::evaluator_test {
namespace {

using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using ::testing::HasSubstr;
using testing::MakeCountingModel;
using testing::ServedCluster;
using testing::TaskClient;
using testing::WorkerSessionOptions;
using Code = absl::StatusCode;

const TaskId kMissing = {"worker", 0};
constexpr int kWorkers = 2;
constexpr int kPs = 2;
constexpr int kSessions = 10;  // each test makes at least this many
// Says how long the master tries to reach the missing task.
constexpr int kOperationTimeoutMs = 2000;
constexpr absl::Duration kPatience = absl::Seconds(30);

// Returns the session options that the program of an evaluator uses.
absl::StatusOr<SessionOptions> EvaluatorOptions(const ServedCluster& cluster) {
  ClusterTaskOptions options;
  options.input.environment =
      [&cluster](const std::string& name) -> std::optional<std::string> {
    if (name != "TF_CONFIG") return std::nullopt;
    return cluster.TfConfig({kEvaluatorJob, 0});
  };
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<ClusterTask> task,
                        ClusterTask::Start(std::move(options)));
  return task->session_options();
}

// In each test two workers train and the evaluator has a session.
class EvaluatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(model_.ok()) << model_.status();
    auto options = EvaluatorOptions(cluster_);
    ASSERT_TRUE(options.ok()) << options.status();
    options_ = *std::move(options);
    auto session = NewSession(model_->graph, options_);
    ASSERT_TRUE(session.ok()) << session.status();
    before_ = *std::move(session);
    const auto result = before_->Run({.targets = {model_->graph.init_op()}});
    ASSERT_TRUE(result.ok()) << result.status();
    for (int i = 0; i < kWorkers; ++i) {
      auto model = MakeCountingModel(kPs, absl::StrCat("/job:worker/task:", i));
      ASSERT_TRUE(model.ok()) << model.status();
      clients_.push_back(std::make_unique<CountingClient>(
          *std::move(model), WorkerSessionOptions(cluster_, i)));
    }
    for (const auto& client : clients_) {
      ASSERT_TRUE(client->AwaitSteps(20, kPatience));
    }
  }

  void TearDown() override {
    clients_.clear();
    before_ = nullptr;
    cluster_.ExpectIdle();
    cluster_.End();
  }

  float Read(Session& session) const {
    const auto counts = Counts(session, *model_);
    EXPECT_TRUE(counts.ok()) << counts.status();
    return counts.ok() ? counts->front() : -1;
  }

  // Asks the evaluator's master for a session on all tasks, including the
  // missing one. Returns the master's answer. The call has no deadline, so the
  // master's own timeout ends the wait.
  absl::Status CreateUnfiltered() {
    pb::CreateSessionRequest request;
    const absl::Status exported =
        ExportGraphDef(model_->graph, *request.mutable_graph_def());
    EXPECT_TRUE(exported.ok()) << exported;
    request.mutable_config()->set_operation_timeout_in_ms(kOperationTimeoutMs);
    request.set_request_id(RandomStepId());
    pb::CreateSessionResponse response;
    return master_.Call(methods::kCreateSession, request, response);
  }

  // Expects that the evaluator can go on without the missing worker. Meanwhile,
  // a call of CreateUnfiltered asks for a session on all tasks. The evaluator
  // must go on at least until that call fails.
  void ExpectGoesOn() {
    float last = Read(*before_);
    EXPECT_TRUE(clients_[1]->AwaitSteps(20, kPatience));
    EXPECT_GT(Read(*before_), last);
    auto unfiltered =
        std::async(std::launch::async, [this] { return CreateUnfiltered(); });
    for (int i = 0;
         i < kSessions || unfiltered.wait_for(std::chrono::seconds(0)) ==
                              std::future_status::timeout;
         ++i) {
      const auto session = NewSession(model_->graph, options_);
      ASSERT_TRUE(session.ok()) << session.status();
      const float now = Read(**session);
      EXPECT_GE(now, last);
      last = now;
    }
    EXPECT_GE(Read(*before_), last);
    const absl::Status missing = unfiltered.get();
    EXPECT_EQ(missing.code(), Code::kUnavailable) << missing;
    EXPECT_THAT(std::string(missing.message()), HasSubstr(kMissing.ToString()));
  }

  // Expects that the worker runs again, and that a session on all tasks can be
  // made.
  void ExpectAllAreThere() {
    EXPECT_TRUE(clients_[0]->AwaitSteps(20, kPatience));
    const auto failure =
        clients_[1]->AwaitFailure(absl::InfinitePast(), absl::ZeroDuration());
    EXPECT_FALSE(failure.has_value()) << failure->status;
    SessionOptions all = options_;
    all.device_filters.clear();
    const auto session = NewSession(model_->graph, all);
    EXPECT_TRUE(session.ok()) << session.status();
  }

  // A client's Close may time out while the client's master hangs. The session
  // then remains until the master deletes it as an idle session.
  ServedCluster cluster_{absl::StrCat("worker=", kWorkers, ",ps=", kPs),
                         {"--grace=1", "--session-idle=15"}};
  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  TaskClient master_{*transport_, cluster_.Address({"ps", 0})};
  const absl::StatusOr<CountingModel> model_ =
      MakeCountingModel(kPs, "/job:ps/task:0");
  SessionOptions options_;
  std::shared_ptr<Session> before_;
  std::vector<std::unique_ptr<CountingClient>> clients_;
};

TEST_F(EvaluatorTest, GoesOnWhileAWorkerIsDead) {
  cluster_.Kill(kMissing);
  ExpectGoesOn();
  cluster_.Start(kMissing);
  ExpectAllAreThere();
}

TEST_F(EvaluatorTest, GoesOnWhileAWorkerHangs) {
  cluster_.process(kMissing).Stop();
  ExpectGoesOn();
  cluster_.process(kMissing).Signal(SIGCONT);
  ExpectAllAreThere();
}

}  // namespace
}  // namespace leat::evaluator_test
