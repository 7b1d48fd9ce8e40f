// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the resolvers of this library and the order in which they are asked.
#include "leat/distributed/cluster/resolver.h"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::resolver_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Jobs = ClusterSpec::Jobs;

constexpr char kCluster[] =
    R"({"chief": ["c:1"], "ps": ["p:1", "p:2"], "worker": {"0": "w:1",
        "3": "w:2"}})";

// Returns an input without flags. If `tf_config` is not empty, the input has
// one environment variable, TF_CONFIG.
ResolverInput Input(const std::string& tf_config = "") {
  ResolverInput input;
  input.environment = [tf_config](const std::string& name) {
    EXPECT_EQ(name, "TF_CONFIG");
    return tf_config.empty() ? std::nullopt : std::optional(tf_config);
  };
  return input;
}

ResolverInput Flags(const std::string& cluster, const std::string& job = "",
                    std::optional<int64_t> task = std::nullopt) {
  ResolverInput input = Input();
  input.cluster = cluster;
  input.job = job;
  input.task = task;
  return input;
}

ResolverInput Hosts(const std::string& ps, const std::string& worker,
                    const std::string& job, std::optional<int64_t> task) {
  ResolverInput input = Flags("", job, task);
  input.ps_hosts = ps;
  input.worker_hosts = worker;
  return input;
}

TaskConfig Resolve(const ResolverInput& input) {
  auto config = ResolveTask(input);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.value_or(TaskConfig());
}

std::string ErrorOf(const ResolverInput& input) {
  const auto config = ResolveTask(input);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(config.status().message());
}

TEST(ResolverTest, FlagsGiveTheClusterAndTheTask) {
  const TaskConfig config = Resolve(Flags(kCluster, "worker", 3));
  EXPECT_EQ(config.task, (TaskId{"worker", 3}));
  EXPECT_TRUE(config.in_cluster);
  EXPECT_EQ(config.source, "--cluster");
  EXPECT_EQ(config.cluster, *ClusterSpec::FromJson(kCluster));
  EXPECT_EQ(Resolve(Flags(absl::StrCat("\n ", kCluster), "ps", 1)).cluster,
            config.cluster);
}

TEST(ResolverTest, FlagsReadAFile) {
  const std::string path = ::testing::TempDir() + "/resolver_test_cluster";
  std::ofstream(path) << kCluster;
  EXPECT_EQ(Resolve(Flags(path, "ps", 0)).cluster,
            *ClusterSpec::FromJson(kCluster));
  std::ofstream(path) << "{\"ps\":\n[}";
  EXPECT_THAT(ErrorOf(Flags(path, "ps", 0)),
              HasSubstr(absl::StrCat("--cluster: file '", path,
                                     "': the JSON text is wrong at byte 9, "
                                     "line 2: unexpected '}'")));
  std::remove(path.c_str());
  const auto missing = ResolveTask(Flags(path, "ps", 0));
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()),
              HasSubstr(absl::StrCat("--cluster: file '", path, "'")));
}

TEST(ResolverTest, HostListsGivePsAndWorkers) {
  const TaskConfig config = Resolve(Hosts("a:1,b:1", "[::1]:1", "ps", 1));
  EXPECT_EQ(config.cluster.jobs(), (Jobs{{"ps", {{0, "a:1"}, {1, "b:1"}}},
                                         {"worker", {{0, "[::1]:1"}}}}));
  EXPECT_EQ(config.task, (TaskId{"ps", 1}));
  EXPECT_EQ(config.source, "--ps_hosts and --worker_hosts");
  EXPECT_EQ(Resolve(Hosts("", "a:1", "worker", 0)).cluster.jobs(),
            (Jobs{{"worker", {{0, "a:1"}}}}));
}

TEST(ResolverTest, TfConfigGivesTheClusterAndTheTask) {
  const TaskConfig config = Resolve(Input(
      absl::StrCat(R"({"cluster": )", kCluster,
                   R"(, "task": {"type": "worker", "index": 3, "trial": "1"},
          "environment": "cloud", "rpc_layer": "grpc"})")));
  EXPECT_EQ(config.cluster, *ClusterSpec::FromJson(kCluster));
  EXPECT_EQ(config.task, (TaskId{"worker", 3}));
  EXPECT_TRUE(config.in_cluster);
  EXPECT_EQ(config.source, "TF_CONFIG");
}

// Python's int(), which TensorFlow uses, accepts digits in a string.
TEST(ResolverTest, TfConfigsIndexMayBeItsDigits) {
  EXPECT_EQ(Resolve(Input(R"({"cluster": {"ps": ["a:1", "b:1"]},
                              "task": {"type": "ps", "index": "1"}})"))
                .task,
            (TaskId{"ps", 1}));
}

TEST(ResolverTest, AnEvaluatorIsOutsideOfTheCluster) {
  for (const ResolverInput& input :
       {Input(R"({"cluster": {"ps": ["p:1"]},
                  "task": {"type": "evaluator", "index": 2}})"),
        Flags(R"({"ps": ["p:1"]})", "evaluator", 2),
        Hosts("p:1", "", "evaluator", 2),
        Flags(R"({"ps": ["p:1"], "evaluator": ["e:1"]})", "evaluator", 2)}) {
    const TaskConfig config = Resolve(input);
    EXPECT_FALSE(config.in_cluster);
    EXPECT_EQ(config.task, (TaskId{"evaluator", 2}));
    EXPECT_EQ(config.cluster.jobs(), (Jobs{{"ps", {{0, "p:1"}}}}));
  }
}

// Kubeflow's TFJob writes a "sparseCluster" if the number of workers may
// change. The "sparseCluster" lists only the process's own task and the tasks
// that this task needs.
TEST(ResolverTest, ASparseClusterHasTheTasksThatThisOneSees) {
  const TaskConfig worker = Resolve(
      Input(R"({"sparseCluster": {"worker": {"4": "w:1"}, "ps": ["p:1"]},
                "task": {"type": "worker", "index": 4}})"));
  EXPECT_EQ(worker.cluster.jobs(),
            (Jobs{{"ps", {{0, "p:1"}}}, {"worker", {{4, "w:1"}}}}));
  const TaskConfig ps =
      Resolve(Input(R"({"sparseCluster": {"worker": {}, "ps": ["p:2"]},
                        "task": {"type": "ps", "index": 1}})"));
  EXPECT_EQ(ps.task, (TaskId{"ps", 1}));
  EXPECT_EQ(ps.cluster.jobs(), (Jobs{{"ps", {{1, "p:2"}}}}));
}

TEST(ResolverTest, FlagsComeBeforeHostListsBeforeTfConfig) {
  ResolverInput input = Input(R"({"cluster": {"ps": ["t:1"]},
                                  "task": {"type": "ps", "index": 0}})");
  EXPECT_EQ(Resolve(input).source, "TF_CONFIG");
  input.job = "ps";
  input.task = 0;
  EXPECT_EQ(Resolve(input).source, "TF_CONFIG with --job and --task");
  input.ps_hosts = "h:1";
  EXPECT_EQ(Resolve(input).source, "--ps_hosts and --worker_hosts");
  input.ps_hosts = "";
  input.cluster = R"({"ps": ["f:1"]})";
  EXPECT_EQ(Resolve(input).cluster.jobs(), (Jobs{{"ps", {{0, "f:1"}}}}));
}

TEST(ResolverTest, JobAndTaskComeBeforeWhatTfConfigSays) {
  ResolverInput input = Input(R"({"cluster": {"ps": ["a:1", "b:1"]},
                                  "task": {"type": "ps", "index": 0}})");
  input.job = "ps";
  input.task = 1;
  EXPECT_EQ(Resolve(input).task, (TaskId{"ps", 1}));
  input.task = 2;
  EXPECT_EQ(ErrorOf(input),
            "TF_CONFIG with --job and --task: task 2 is not in job 'ps', which "
            "has the tasks 0, 1");
}

TEST(ResolverTest, WrongFlagsAreRefused) {
  const std::pair<ResolverInput, const char*> cases[] = {
      {Flags(kCluster, "worker", 1),
       "--cluster: task 1 is not in job 'worker', which has the tasks 0, 3"},
      {Flags(kCluster, "wrker", 0),
       "--cluster: there is no job 'wrker'; the cluster has chief, ps, "
       "worker"},
      {Flags(kCluster, "worker", -1),
       "--cluster: task index -1 of job 'worker' is not in [0, 1048576]"},
      {Flags(kCluster, "evaluator", 1048577),
       "--cluster: task index 1048577 of job 'evaluator' is not in [0, "
       "1048576]"},
      {Flags(kCluster, "ps", int64_t{1} << 32),
       "--cluster: task index 4294967296 of job 'ps' is not in [0, 1048576]"},
      {Flags(kCluster),
       "--cluster: it does not say which task this process is; give --job "
       "and --task"},
      {Flags(kCluster, "ps"), "--job is given without --task"},
      {Flags(kCluster, "", 0), "--task is given without --job"},
      {Flags("{}", "ps", 0), "--cluster: the cluster has no tasks"},
      {Flags("{\"ps\": [\"a:1\",\n \"b:1\" \"c:1\"]}", "ps", 0),
       "--cluster: the JSON text is wrong at byte 27, line 2: unexpected "
       "string literal; expected ']'"},
      {Flags(R"({"ps": ["a:1"], "worker": ["b:1", "a:1"]})", "ps", 0),
       "--cluster: address 'a:1' is given to /job:ps/task:0 and to "
       "/job:worker/task:1; each task needs its own"},
      {Flags(R"({"evaluator": ["b:1"]})", "evaluator", 0),
       "--cluster: the cluster has no tasks"},
      {Flags(R"({"ps": ["a:1", "b:0"]})", "ps", 0),
       "--cluster: address 'b:0' of /job:ps/task:1 has port 0, which only this "
       "process's own task may have"},
      {Flags(R"({"ps": ["a:0"]})", "evaluator", 0),
       "--cluster: address 'a:0' of /job:ps/task:0 has port 0, which only this "
       "process's own task may have"},
      {Hosts("a:1,", "", "ps", 0),
       "--ps_hosts and --worker_hosts: /job:ps/task:1: address '' is none of "
       "HOST:PORT, [IPV6]:PORT and unix:/PATH"},
      {Hosts("a:1", "b:1,a:1", "ps", 0),
       "--ps_hosts and --worker_hosts: address 'a:1' is given to "
       "/job:ps/task:0 and to /job:worker/task:1; each task needs its own"},
      {Hosts("a:1", "b:1", "worker", 1),
       "--ps_hosts and --worker_hosts: task 1 is not in job 'worker', which "
       "has the task 0"},
      {Hosts("a:70000", "", "ps", 0),
       "--ps_hosts and --worker_hosts: /job:ps/task:0: address 'a:70000' has "
       "port '70000', which is not a number from 0 to 65535"},
      {Flags("", "ps", 0),
       "nothing describes a cluster; use one of these: --cluster; --ps_hosts "
       "and --worker_hosts; TF_CONFIG"},
  };
  for (const auto& [input, message] : cases) {
    EXPECT_EQ(ErrorOf(input), message);
  }
  ResolverInput both = Flags(kCluster, "ps", 0);
  both.worker_hosts = "a:1";
  EXPECT_EQ(ErrorOf(both),
            "--cluster: --ps_hosts and --worker_hosts describe a cluster, too; "
            "give either them or --cluster");
}

TEST(ResolverTest, TheTaskItselfMayHavePort0) {
  EXPECT_EQ(Resolve(Flags(R"({"ps": ["a:1", "b:0"]})", "ps", 1)).task,
            (TaskId{"ps", 1}));
}

TEST(ResolverTest, AWrongTfConfigIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\n\"cluster\": {\"ps\" [\"a:1\"]}}",
       "TF_CONFIG: the JSON text is wrong at byte 20, line 2: unexpected '['; "
       "expected ':'"},
      {"[]", "TF_CONFIG: it is an array, not an object"},
      {R"({"cluster": ["a:1"], "task": {}})",
       "TF_CONFIG: the cluster is an array, not an object of jobs"},
      {R"({"cluster": {}, "task": {"type": "ps", "index": 0}})",
       "TF_CONFIG: the cluster has no tasks"},
      {R"({"cluster": {"ps": []}, "sparseCluster": {}})",
       "TF_CONFIG: it has both a 'cluster' and a 'sparseCluster'"},
      {R"({"task": {"type": "ps", "index": 0}})",
       "TF_CONFIG: it has a 'task' but no 'cluster'"},
      {R"({"cluster": {"ps": ["a:1"]}})",
       "TF_CONFIG: it does not say which task this process is; give --job "
       "and --task"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": "ps"})",
       "TF_CONFIG: 'task' is a string, not an object"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"index": 0}})",
       "TF_CONFIG: 'task' has no 'type'"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": 0, "index": 0}})",
       "TF_CONFIG: the 'type' of 'task' is a number, not the name of a job"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "", "index": 0}})",
       "TF_CONFIG: the 'type' of 'task' is empty, not the name of a job"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps"}})",
       "TF_CONFIG: 'task' has no 'index'"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0.5}})",
       "TF_CONFIG: the 'index' of 'task' is a number, not an integer"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": "x"}})",
       "TF_CONFIG: the 'index' of 'task' is 'x', not an integer"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 1}})",
       "TF_CONFIG: task 1 is not in job 'ps', which has the task 0"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": -1}})",
       "TF_CONFIG: task index -1 of job 'ps' is not in [0, 1048576]"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "p", "index": 0}})",
       "TF_CONFIG: there is no job 'p'; the cluster has ps"},
      {R"({"sparseCluster": {"ps": ["a:1", "b:1"]},
           "task": {"type": "ps", "index": 2}})",
       "TF_CONFIG: task 2 is not in job 'ps', which has the tasks 0, 1"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0},
           "task": {"type": "ps", "index": 0}})",
       "TF_CONFIG: the JSON text is wrong at byte 82, line 2: the key 'task' "
       "is twice in an object"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(ErrorOf(Input(text)), message) << text;
  }
}

// As in TensorFlow, a TF_CONFIG without a cluster means that the process is not
// part of a cluster.
TEST(ResolverTest, ATfConfigWithoutAClusterSaysNothing) {
  for (const char* text : {"{}", R"({"environment": "cloud"})"}) {
    EXPECT_THAT(ErrorOf(Input(text)), HasSubstr("nothing describes a cluster"));
  }
}

TEST(ResolverTest, ReadsTheEnvironmentOfTheProcess) {
  ASSERT_EQ(setenv("TF_CONFIG", "{]", 1), 0);
  EXPECT_THAT(ErrorOf(ResolverInput{}),
              HasSubstr("TF_CONFIG: the JSON text is wrong at byte 2"));
  ASSERT_EQ(setenv("TF_CONFIG", "", 1), 0);
  EXPECT_EQ(ResolverInput{}.Variable("TF_CONFIG"), std::nullopt);
  ASSERT_EQ(unsetenv("TF_CONFIG"), 0);
  EXPECT_EQ(ResolverInput{}.Variable("TF_CONFIG"), std::nullopt);
}

TEST(ResolverTest, TheClusterAloneNeedsNoTask) {
  const auto cluster = ResolveCluster(Flags(R"({"ps": ["a:0", "b:0"]})"));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->Tasks().size(), 2u);
  EXPECT_EQ(ResolveCluster(Flags("{}")).status().message(),
            "--cluster: the cluster has no tasks");
}

TEST(ResolverRegistryTest, AsksByRankThenName) {
  std::vector<std::string> names;
  for (const Resolver& resolver : BuiltinResolvers().resolvers()) {
    names.push_back(resolver.name);
  }
  EXPECT_THAT(names, ElementsAre("flags", "host_lists", "tf_config"));
  const ResolveFunction never =
      [](const ResolverInput&) -> absl::StatusOr<std::optional<Resolved>> {
    return std::nullopt;
  };
  ResolverRegistry registry;
  registry.Add({.name = "b", .rank = 1, .source = "B", .resolve = never});
  registry.Add({.name = "c", .rank = 0, .source = "C", .resolve = never});
  registry.Add({.name = "a", .rank = 1, .source = "A", .resolve = never});
  EXPECT_EQ(ResolveTask(Input(), registry).status().message(),
            "nothing describes a cluster; use one of these: C; A; B");
}

}  // namespace
}  // namespace leat::resolver_test
