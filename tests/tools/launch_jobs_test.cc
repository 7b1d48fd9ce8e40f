// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/launch_jobs.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/cluster/resolver.h"

namespace leat::launch_jobs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<TaskId> Tasks(const std::string& text) {
  const auto tasks = ParseJobs(text);
  EXPECT_TRUE(tasks.ok()) << tasks.status();
  return tasks.value_or(std::vector<TaskId>());
}

std::string Refusal(const std::string& text) {
  const auto tasks = ParseJobs(text);
  EXPECT_EQ(tasks.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(tasks.status().message());
}

// Returns whether a socket can listen at the IPv4 address "host:port". If
// `reuse` is true, sets SO_REUSEADDR. Then the socket can listen even if
// another socket is bound to the port.
bool CanListen(const std::string& address, bool reuse) {
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address.substr(address.find(':') + 1), &port));
  const FileDescriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int value = reuse ? 1 : 0;
  setsockopt(server.number(), SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value));
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(port));
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return bind(server.number(), reinterpret_cast<const sockaddr*>(&name),
              sizeof(name)) == 0 &&
         listen(server.number(), 1) == 0;
}

TEST(LaunchJobsTest, CountsTasksOfJobs) {
  EXPECT_THAT(
      Tasks("chief=1,worker=2,ps=1,evaluator=1"),
      ElementsAre(TaskId{"chief", 0}, TaskId{"worker", 0}, TaskId{"worker", 1},
                  TaskId{"ps", 0}, TaskId{"evaluator", 0}));
  EXPECT_EQ(Tasks("ps=255,worker=1").size(), size_t{kMaxLaunchedTasks});
  EXPECT_EQ(ShortName({"worker", 12}), "worker-12");
}

TEST(LaunchJobsTest, RefusesWhatIsNoList) {
  EXPECT_THAT(Refusal(""), HasSubstr("'' is not JOB=COUNT"));
  EXPECT_THAT(Refusal("ps"), HasSubstr("'ps' is not JOB=COUNT"));
  EXPECT_THAT(Refusal("ps=1,"), HasSubstr("'' is not JOB=COUNT"));
  EXPECT_THAT(Refusal("ps=two"), HasSubstr("'ps=two'"));
  EXPECT_THAT(Refusal("ps=0"), HasSubstr("'ps=0'"));
  EXPECT_THAT(Refusal("ps=-1"), HasSubstr("'ps=-1'"));
  EXPECT_THAT(Refusal("ps=99999999999999999999"), HasSubstr("ps=9999"));
  EXPECT_THAT(Refusal("=1"), HasSubstr("job"));
  EXPECT_THAT(Refusal("a b=1"), HasSubstr("a b"));
  EXPECT_THAT(Refusal("ps=1,ps=2"), HasSubstr("'ps' is listed twice"));
  EXPECT_THAT(Refusal("chief=2,ps=1"), HasSubstr("one chief at most"));
  EXPECT_THAT(Refusal("evaluator=1"), HasSubstr("outside"));
  EXPECT_THAT(Refusal("ps=257"), HasSubstr("256"));
  EXPECT_THAT(Refusal("ps=200,worker=2147483647"), HasSubstr("256"));
}

TEST(LaunchJobsTest, ChiefOrFirstWorkerIsTheMainTask) {
  EXPECT_EQ(MainTask(Tasks("ps=2,worker=2,chief=1")), 4u);
  EXPECT_EQ(MainTask(Tasks("ps=2,worker=2")), 2u);
  EXPECT_EQ(MainTask(Tasks("ps=2")), std::nullopt);
}

TEST(LaunchJobsTest, EveryTaskIsToldTheClusterAndItself) {
  const std::vector<TaskId> tasks = Tasks("chief=1,ps=2,evaluator=1");
  const auto cluster = LocalCluster::Create(tasks);
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ((*cluster)->spec().Tasks().size(), 3u);
  for (const TaskId& task : tasks) {
    const std::string text = (*cluster)->TfConfig(task);
    ResolverInput input;
    input.environment = [&text](const std::string& name) {
      return name == "TF_CONFIG" ? std::optional<std::string>(text)
                                 : std::nullopt;
    };
    const auto config = ResolveTask(input);
    ASSERT_TRUE(config.ok()) << config.status() << text;
    EXPECT_EQ(config->cluster, (*cluster)->spec());
    EXPECT_EQ(config->task, task);
    EXPECT_EQ(config->in_cluster, task.job != "evaluator");
  }
}

TEST(LaunchJobsTest, KeepsPortsForItsTasks) {
  std::string address;
  {
    const auto cluster = LocalCluster::Create(Tasks("worker=2"));
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    address = *(*cluster)->spec().AddressOf({"worker", 1});
    EXPECT_NE(address, *(*cluster)->spec().AddressOf({"worker", 0}));
    EXPECT_FALSE(CanListen(address, /*reuse=*/false));
    EXPECT_TRUE(CanListen(address, /*reuse=*/true));
    EXPECT_TRUE(CanListen(address, /*reuse=*/true));  // as after a restart
  }
  EXPECT_TRUE(CanListen(address, /*reuse=*/false));
}

}  // namespace
}  // namespace leat::launch_jobs_test
