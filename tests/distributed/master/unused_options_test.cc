// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/unused_options.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/protos/config.pb.h"

namespace leat::unused_options_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(UnusedOptionsTest, NamesWhatIsSetAndNotUsed) {
  pb::ConfigProto config;
  EXPECT_THAT(UnusedIn(config), IsEmpty());
  config.set_allow_soft_placement(true);
  config.set_log_device_placement(true);
  config.mutable_experimental()->set_disable_optimize_for_static_graph(true);
  config.mutable_graph_options()->mutable_rewrite_options()->set_remapping(
      pb::RewriterConfig::OFF);
  EXPECT_THAT(UnusedIn(config), IsEmpty());
  config.set_intra_op_parallelism_threads(2);
  config.mutable_gpu_options()->set_allow_growth(true);
  config.mutable_graph_options()->set_build_cost_model(5);
  config.mutable_experimental()->set_executor_type("fast");
  EXPECT_THAT(UnusedIn(config),
              UnorderedElementsAre("config.intra_op_parallelism_threads",
                                   "config.gpu_options.allow_growth",
                                   "config.graph_options.build_cost_model",
                                   "config.experimental.executor_type"));
}

TEST(UnusedOptionsTest, CountsNewerFieldsAsOne) {
  pb::ConfigProto config;
  // The bytes encode the fields 900 and 901, which ConfigProto does not have.
  ASSERT_TRUE(config.ParseFromString("\xa0\x38\x01\xa8\x38\x01"));
  EXPECT_THAT(UnusedIn(config), ElementsAre("config.(newer fields)"));
}

TEST(UnusedOptionsTest, NamesEachOptionOnce) {
  std::vector<std::string> said;
  UnusedOptions options(
      [&](absl::string_view message) { said.emplace_back(message); });
  pb::RunOptions run;
  run.set_trace_level(pb::RunOptions::FULL_TRACE);
  options.Note(run);
  EXPECT_THAT(said, IsEmpty());
  run.set_inter_op_thread_pool(1);
  options.Note(run);
  run.mutable_experimental()->set_use_run_handler_pool(true);
  options.Note(run);
  options.Note(run);
  const std::string begin =
      "a client sets options that this server accepts but does not use: ";
  EXPECT_THAT(said,
              ElementsAre(begin + "options.inter_op_thread_pool",
                          begin + "options.experimental.use_run_handler_pool"));
}

}  // namespace
}  // namespace leat::unused_options_test
