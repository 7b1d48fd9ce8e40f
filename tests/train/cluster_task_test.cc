// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/cluster_task.h"

#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/graph/builder/builder.h"
#include "leat/tests/testing/in_process_network.h"

namespace leat::cluster_task_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kWithChief[] =
    R"({"chief": ["localhost:1"], "worker": ["localhost:2", "localhost:3"],
        "ps": {"1": "localhost:5", "4": "localhost:6"}})";
constexpr char kWithoutChief[] =
    R"({"worker": {"2": "localhost:2", "5": "localhost:3"},
        "ps": ["localhost:5"]})";

class ClusterTaskTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<ClusterTask>> Start(const std::string& cluster,
                                                     const std::string& job,
                                                     int index) {
    ClusterTaskOptions options;
    options.input.environment =
        [&](const std::string& name) -> std::optional<std::string> {
      if (name != "TF_CONFIG") return std::nullopt;
      return absl::StrCat(R"({"cluster": )", cluster, R"(, "task": {"type": ")",
                          job, R"(", "index": )", index, "}}");
    };
    options.server.devices.num_threads = 1;
    options.server.transport = "in-process";
    options.server.transports = &network_->transports();
    return ClusterTask::Start(std::move(options));
  }
  std::unique_ptr<ClusterTask> Must(const std::string& cluster,
                                    const std::string& job, int index) {
    auto task = Start(cluster, job, index);
    EXPECT_TRUE(task.ok()) << task.status();
    return *std::move(task);
  }

  const std::shared_ptr<testing::InProcessNetwork> network_ =
      std::make_shared<testing::InProcessNetwork>();
};

TEST_F(ClusterTaskTest, AWorkerKnowsItsPlace) {
  const auto task = Must(kWithChief, "worker", 1);
  EXPECT_EQ(task->task(), (TaskId{.job = "worker", .index = 1}));
  EXPECT_FALSE(task->is_chief());
  EXPECT_FALSE(task->is_ps());
  EXPECT_FALSE(task->is_evaluator());
  EXPECT_EQ(task->num_ps(), 2);
  EXPECT_EQ(task->num_tasks("worker"), 2);
  EXPECT_EQ(task->num_workers(), 3);
  EXPECT_EQ(task->worker_number(), 2);
  EXPECT_EQ(task->worker_device(), "/job:worker/task:1");
  EXPECT_EQ(task->target(), "in-process://localhost:3");
  EXPECT_EQ(task->session_options().target.text, task->target());
  EXPECT_THAT(task->session_options().device_filters,
              ElementsAre("/job:ps", "/job:worker/task:1"));
  ASSERT_NE(task->server(), nullptr);
  EXPECT_EQ(task->server()->task(), task->task());
}

TEST_F(ClusterTaskTest, TheChiefIsItsJobsFirstTaskOrTheFirstWorker) {
  EXPECT_TRUE(Must(kWithChief, "chief", 0)->is_chief());
  EXPECT_EQ(Must(kWithChief, "chief", 0)->worker_number(), 0);
  EXPECT_FALSE(Must(kWithChief, "worker", 0)->is_chief());
  EXPECT_EQ(Must(kWithChief, "worker", 0)->worker_number(), 1);
  EXPECT_TRUE(Must(kWithoutChief, "worker", 2)->is_chief());
  EXPECT_EQ(Must(kWithoutChief, "worker", 2)->worker_number(), 0);
  EXPECT_FALSE(Must(kWithoutChief, "worker", 5)->is_chief());
  EXPECT_EQ(Must(kWithoutChief, "worker", 5)->worker_number(), 1);
}

TEST_F(ClusterTaskTest, AnEvaluatorIsAClientOfTheFirstParameterServer) {
  const auto server =
      Server::Start({.config = {.cluster = *ClusterSpec::FromJson(kWithChief),
                                .task = {.job = "ps", .index = 1}},
                     .devices = {.num_threads = 1},
                     .transport = "in-process",
                     .transports = &network_->transports()});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto task = Must(kWithChief, "evaluator", 0);
  EXPECT_TRUE(task->is_evaluator());
  EXPECT_FALSE(task->is_chief());
  EXPECT_EQ(task->server(), nullptr);
  EXPECT_EQ(task->target(), (*server)->target());
  EXPECT_EQ(task->worker_device(), "/job:ps/task:1");
  const SessionOptions options = task->session_options();
  EXPECT_THAT(options.device_filters, ElementsAre("/job:ps"));
  // Only one task of the cluster runs. The session needs no other task, because
  // its device filter names only this one.
  GraphBuilder b;
  const auto session =
      NewRemoteSession(*b.Build(), options.target.text,
                       {.device_filters = {task->worker_device()},
                        .transports = &network_->transports()});
  EXPECT_TRUE(session.ok()) << session.status();
}

TEST_F(ClusterTaskTest, AnEvaluatorNeedsAParameterServer) {
  const absl::Status status =
      Start(R"({"worker": ["localhost:1"]})", "evaluator", 0).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("TF_CONFIG"));
  EXPECT_THAT(status.message(), HasSubstr("needs a task of job 'ps'"));
}

TEST_F(ClusterTaskTest, RefusesATaskThatIsNotInTheCluster) {
  const absl::Status status = Start(kWithChief, "worker", 7).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
}

TEST_F(ClusterTaskTest, AParameterServerServesUntilItIsTold) {
  // The parameter server runs in another process, because SIGTERM goes to a
  // whole process. The death test style "threadsafe" starts this process from
  // the beginning, because fork alone does not copy threads.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto task = Must(kWithChief, "ps", 4);
        raise(SIGTERM);
        _exit(task->is_ps() ? task->Serve() : 1);
      },
      ::testing::ExitedWithCode(143), "");
}

}  // namespace
}  // namespace leat::cluster_task_test
