// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/session_config.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/protos/config.pb.h"

namespace leat::session_config_test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(SessionConfigTest, HasDefaultsForAnEmptyMessage) {
  const auto config = ReadSessionConfig({});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_FALSE(config->allow_soft_placement);
  EXPECT_FALSE(config->isolate_state);
  EXPECT_FALSE(config->operation_timeout.has_value());
  EXPECT_TRUE(config->device_filters.empty());
  EXPECT_EQ(config->optimizer.level, OptimizeLevel::kOn);
}

TEST(SessionConfigTest, ReadsWhatIsSet) {
  pb::ConfigProto message;
  message.set_allow_soft_placement(true);
  message.set_isolate_session_state(true);
  message.set_operation_timeout_in_ms(1500);
  message.add_device_filters("/job:ps");
  message.add_device_filters("/job:worker/task:1");
  message.mutable_graph_options()->mutable_optimizer_options()->set_opt_level(
      pb::OptimizerOptions::L0);
  const auto config = ReadSessionConfig(message);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_TRUE(config->allow_soft_placement);
  EXPECT_TRUE(config->isolate_state);
  EXPECT_EQ(config->operation_timeout, milliseconds(1500));
  ASSERT_EQ(config->device_filters.size(), 2);
  EXPECT_EQ(config->device_filters[1].ToString(), "/job:worker/task:1");
  EXPECT_EQ(config->optimizer.level, OptimizeLevel::kOff);
}

TEST(SessionConfigTest, IgnoresWhatDescribesTheClientsMachine) {
  pb::ConfigProto message;
  (*message.mutable_device_count())["CPU"] = 64;
  message.set_intra_op_parallelism_threads(-7);
  message.set_inter_op_parallelism_threads(1 << 30);
  message.mutable_graph_options()->set_place_pruned_graph(true);
  message.set_log_device_placement(true);
  EXPECT_TRUE(ReadSessionConfig(message).ok());
}

TEST(SessionConfigTest, AcceptsTheServersOwnCluster) {
  const ClusterSpec own =
      ClusterSpec::Create({{"ps", {{0, "p:1"}}}, {"worker", {{0, "w:1"}}}})
          .value();
  pb::ClusterDef def;
  const auto add = [&](const std::string& job, const std::string& address) {
    pb::JobDef& added = *def.add_job();
    added.set_name(job);
    (*added.mutable_tasks())[0] = address;
  };
  add("ps", "p:1");
  EXPECT_EQ(CheckClusterDef(def, own).message(),
            "config.cluster_def has 1 of 2 tasks, but a session runs on the "
            "cluster of its server; leave it out");
  add("worker", "w:1");
  EXPECT_EQ(CheckClusterDef(def, own), absl::OkStatus());
  add("evaluator", "e:1");
  EXPECT_EQ(CheckClusterDef(def, own), absl::OkStatus());
  (*def.mutable_job(1)->mutable_tasks())[0] = "other:1";
  const absl::Status refused = CheckClusterDef(def, own);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("has 'other:1' as /job:worker/replica:0/task:0 instead "
                        "of w:1"));
}

TEST(SessionConfigTest, RefusesByTheNameOfTheField) {
  struct Case {
    std::string field;
    absl::StatusCode code;
    void (*set)(pb::ConfigProto&);
  };
  const std::vector<Case> cases = {
      {"use_per_session_threads", absl::StatusCode::kInvalidArgument,
       [](pb::ConfigProto& c) { c.set_use_per_session_threads(true); }},
      {"session_inter_op_thread_pool", absl::StatusCode::kInvalidArgument,
       [](pb::ConfigProto& c) { c.add_session_inter_op_thread_pool(); }},
      {"device_filters", absl::StatusCode::kInvalidArgument,
       [](pb::ConfigProto& c) { c.add_device_filters("/jb:ps"); }},
      {"device_filters", absl::StatusCode::kInvalidArgument,
       [](pb::ConfigProto& c) {
         for (int i = 0; i < 1001; ++i) c.add_device_filters("/job:ps");
       }},
  };
  for (const Case& c : cases) {
    pb::ConfigProto message;
    c.set(message);
    const auto config = ReadSessionConfig(message);
    EXPECT_EQ(config.status().code(), c.code) << c.field;
    EXPECT_THAT(config.status().message(), HasSubstr("config." + c.field));
  }
}

TEST(SessionConfigTest, FiltersAllowWhatTheyDoNotContradict) {
  struct Case {
    std::vector<std::string> filters;
    std::string name;
    bool allowed;
  };
  const std::vector<Case> cases = {
      {{}, "/job:ps/replica:0/task:1", true},
      {{"/job:ps"}, "/job:ps/replica:0/task:1", true},
      {{"/job:ps"}, "/job:worker/replica:0/task:1", false},
      {{"/job:ps/task:0"}, "/job:ps/replica:0/task:1", false},
      {{"/job:ps/task:0", "/job:ps/task:1"}, "/job:ps/replica:0/task:1", true},
      {{"/replica:1"}, "/job:ps/replica:0/task:1", false},
      {{"/job:ps/task:*"}, "/job:ps/replica:0/task:1", true},
      // A filter for GPUs lets every task pass, because every task may have
      // GPUs.
      {{"/device:GPU:*"}, "/job:ps/replica:0/task:1", true},
      {{"/device:GPU:*"}, "/job:ps/replica:0/task:1/device:CPU:0", false},
      {{"/device:GPU:*"}, "/job:ps/replica:0/task:1/device:GPU:3", true},
      {{"/job:ps/cpu:1"}, "/job:ps/replica:0/task:1/device:CPU:0", false},
  };
  for (const Case& c : cases) {
    std::vector<DeviceName> filters;
    for (const std::string& text : c.filters) {
      filters.push_back(DeviceName::Parse(text).value());
    }
    EXPECT_EQ(IsAllowed(filters, DeviceName::Parse(c.name).value()), c.allowed)
        << (c.filters.empty() ? "" : c.filters[0]) << " " << c.name;
  }
}

TEST(SessionConfigTest, AStepsTimeoutComesBeforeItsSessions) {
  SessionConfig config;
  pb::RunOptions options;
  const milliseconds longest(5000);
  EXPECT_EQ(StepTimeout(config, options, longest), longest);
  config.operation_timeout = milliseconds(700);
  EXPECT_EQ(StepTimeout(config, options, longest), milliseconds(700));
  options.set_timeout_in_ms(900);
  EXPECT_EQ(StepTimeout(config, options, longest), milliseconds(900));
  options.set_timeout_in_ms(9000);
  EXPECT_EQ(StepTimeout(config, options, longest), longest);
}

TEST(SessionConfigTest, TimeoutsThatNoClockCanCountAreNone) {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    pb::ConfigProto message;
    message.set_operation_timeout_in_ms(value);
    const auto config = ReadSessionConfig(message);
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_FALSE(config->operation_timeout.has_value()) << value;
  }
}

}  // namespace
}  // namespace leat::session_config_test
