// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/cluster/cluster.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::cluster_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Jobs = ClusterSpec::Jobs;

ClusterSpec FromJson(absl::string_view text) {
  auto cluster = ClusterSpec::FromJson(text);
  EXPECT_TRUE(cluster.ok()) << text << "\n" << cluster.status();
  return cluster.value_or(ClusterSpec());
}

std::string ErrorOf(const absl::StatusOr<ClusterSpec>& cluster) {
  EXPECT_EQ(cluster.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(cluster.status().message());
}

std::vector<std::string> TaskNames(const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (const TaskId& task : cluster.Tasks()) names.push_back(task.ToString());
  return names;
}

TEST(ClusterSpecTest, ReadsListsAndSparseTasks) {
  const ClusterSpec cluster = FromJson(
      R"({"worker": {"5": "c:1", "0": "b:1"}, "ps": ["a:1", "a:2"],
          "idle": [], "none": {}})");
  EXPECT_EQ(cluster.jobs(), (Jobs{{"ps", {{0, "a:1"}, {1, "a:2"}}},
                                  {"worker", {{0, "b:1"}, {5, "c:1"}}}}));
  EXPECT_THAT(TaskNames(cluster), ElementsAre("/job:ps/replica:0/task:0",
                                              "/job:ps/replica:0/task:1",
                                              "/job:worker/replica:0/task:0",
                                              "/job:worker/replica:0/task:5"));
  EXPECT_EQ(cluster.AddressOf({"worker", 5}).value_or(""), "c:1");
}

TEST(ClusterSpecTest, ReadsWhatTfConfigHolds) {
  const ClusterSpec plain = FromJson(R"({"ps": ["a:1"]})");
  EXPECT_EQ(FromJson(R"({"cluster": {"ps": ["a:1"]}, "task": 1})"), plain);
  EXPECT_EQ(FromJson(R"({"sparseCluster": {"ps": ["a:1"]}})"), plain);
  EXPECT_EQ(FromJson(R"({"cluster": ["a:1"]})").jobs(),
            (Jobs{{"cluster", {{0, "a:1"}}}}));
}

TEST(ClusterSpecTest, AcceptsAnyNameOfAJobAndTheBoundsOfIndices) {
  const ClusterSpec cluster =
      FromJson(R"({"a_B9": {"1048576": "a:1"}, "evaluator": {"007": "b:1"}})");
  EXPECT_THAT(TaskNames(cluster),
              ElementsAre("/job:a_B9/replica:0/task:1048576",
                          "/job:evaluator/replica:0/task:7"));
}

TEST(ClusterSpecTest, MayHaveNoTasks) {
  EXPECT_TRUE(FromJson("{}").empty());
  EXPECT_TRUE(FromJson(R"({"ps": []})").empty());
  EXPECT_EQ(FromJson("{}"), ClusterSpec());
}

TEST(ClusterSpecTest, RefusesWrongJsonNamingTheValue) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"ps" ["a:1"]})",
       "the JSON text is wrong at byte 7, line 1: unexpected '['; expected "
       "':'"},
      {R"({"ps": ["a:1"], "ps": ["b:1"]})",
       "byte 20, line 1: the key 'ps' is twice in an object"},
      {"[1]", "the cluster is an array, not an object of jobs"},
      {"\"ps\"", "the cluster is a string, not an object of jobs"},
      {R"({"ps": "a:1"})",
       "job 'ps' is a string, neither an array of addresses nor an object "
       "from task index to address"},
      {R"({"ps": null})", "job 'ps' is null, neither"},
      {R"({"ps": ["a:1", 7]})",
       "the address of task 1 of job 'ps' is a number, not a string"},
      {R"({"ps": {"3": ["a:1"]}})",
       "the address of task 3 of job 'ps' is an array, not a string"},
      {R"({"ps": {"one": "a:1"}})",
       "job 'ps' has 'one' where the index of a task should be"},
      {R"({"ps": {"": "a:1"}})", "job 'ps' has '' where the index"},
      {R"({"ps": {"-1": "a:1"}})", "job 'ps' has '-1' where the index"},
      {R"({"ps": {" 1": "a:1"}})", "job 'ps' has ' 1' where the index"},
      {R"({"ps": {"99999999999999999999": "a:1"}})",
       "job 'ps' has '99999999999999999999' where the index"},
      {R"({"ps": {"1048577": "a:1"}})",
       "task index 1048577 of job 'ps' is not in [0, 1048576]"},
      {R"({"ps": {"1": "a:1", "01": "b:1"}})",
       "task 1 of job 'ps' is listed twice"},
      {R"({"p s": ["a:1"]})",
       "the job's name 'p s' is not of the form [a-zA-Z][_a-zA-Z0-9]*"},
      {R"({"": ["a:1"]})", "the job's name '' is not of the form"},
      {R"({"0": ["a:1"]})", "the job's name '0' is not of the form"},
      {R"({"_a": []})", "the job's name '_a' is not of the form"},
      {R"({"cluster": {"p/s": ["a:1"]}})", "the job's name 'p/s' is not"},
      {R"({"ps": ["a:1", "nohost"]})",
       "/job:ps/task:1: address 'nohost' is none of HOST:PORT, [IPV6]:PORT "
       "and unix:/PATH"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(ErrorOf(ClusterSpec::FromJson(text)), HasSubstr(message))
        << text;
  }
}

TEST(ClusterSpecTest, RefusesAnAddressThatStandsForTwoTasks) {
  EXPECT_EQ(
      ErrorOf(ClusterSpec::FromJson(R"({"worker": ["b:1", "a:1"],
                                        "ps": ["a:1"]})")),
      "address 'a:1' is given to /job:ps/task:0 and to /job:worker/task:1; "
      "each task needs its own");
  EXPECT_EQ(ErrorOf(ClusterSpec::FromJson(R"({"ps": ["a:1", "A:1"]})")),
            "address 'A:1' is given to /job:ps/task:0 and to /job:ps/task:1; "
            "each task needs its own");
  EXPECT_THAT(
      ErrorOf(ClusterSpec::FromJson(R"({"ps": ["[::1]:5", "[0::1]:5"]})")),
      HasSubstr("is given to"));
  // With port 0, each task gets a port of its own.
  EXPECT_TRUE(ClusterSpec::FromJson(R"({"ps": ["a:0", "a:0"]})").ok());
}

TEST(ClusterSpecTest, RefusesIndicesOutOfRange) {
  EXPECT_EQ(ErrorOf(ClusterSpec::Create({{"ps", {{-1, "a:1"}}}})),
            "task index -1 of job 'ps' is not in [0, 1048576]");
  EXPECT_EQ(ErrorOf(ClusterSpec::Create({{"ps", {{1048577, "a:1"}}}})),
            "task index 1048577 of job 'ps' is not in [0, 1048576]");
}

TEST(ClusterSpecTest, RefusesMoreThan100000Tasks) {
  Jobs jobs;
  for (int i = 0; i < kMaxTasks; ++i) {
    jobs["worker"][i] = absl::StrCat("h", i, ":1");
  }
  EXPECT_TRUE(ClusterSpec::Create(jobs).ok());
  jobs["ps"][0] = "ps:1";
  EXPECT_EQ(ErrorOf(ClusterSpec::Create(jobs)),
            "the cluster has more than 100000 tasks");
}

TEST(ClusterSpecTest, NamesTheTasksThereAreWhenOneIsNot) {
  const ClusterSpec cluster = FromJson(
      R"({"ps": ["a:1"], "chief": ["b:1"], "worker": {"0": "c:1", "3": "c:2"},
          "many": ["d:1", "d:2", "d:3", "d:4", "d:5", "d:6", "d:7", "d:8",
                   "d:9"]})");
  const std::pair<TaskId, const char*> cases[] = {
      {{"worker", 1},
       "task 1 is not in job 'worker', which has the tasks 0, 3"},
      {{"worker", -1},
       "task -1 is not in job 'worker', which has the tasks 0, 3"},
      {{"ps", 1}, "task 1 is not in job 'ps', which has the task 0"},
      {{"many", 9},
       "task 9 is not in job 'many', which has the tasks 0, 1, 2, 3, 4, 5, 6, "
       "7, ... (9 in all)"},
      {{"wrker", 0},
       "there is no job 'wrker'; the cluster has chief, many, ps, worker"},
      {{"", 0}, "there is no job ''; the cluster has chief, many, ps, worker"},
  };
  for (const auto& [task, message] : cases) {
    const auto address = cluster.AddressOf(task);
    EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(address.status().message(), message);
  }
  EXPECT_EQ(ClusterSpec().AddressOf({"ps", 0}).status().message(),
            "there is no job 'ps'; the cluster has none");
}

}  // namespace
}  // namespace leat::cluster_test
