// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what the report prints for given readings.
#include "leat/tools/status_report.h"

#include <chrono>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "leat/tools/status_rates.h"
#include "nlohmann/json.hpp"

namespace leat::status_report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kKey[] =
    "/job:ps/replica:0/task:0/device:CPU:0;00000000000000aa;"
    "/job:worker/replica:0/task:1/device:CPU:0;edge_5_w/read;0:0";

pb::TaskStatusResponse Parse(const std::string& text) {
  pb::TaskStatusResponse report;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &report));
  return report;
}

TaskReading Ps() {
  return {.task = "/job:ps/replica:0/task:0",
          .address = "127.0.0.1:7001",
          .is_leat = true,
          .report = Parse(R"pb(
            task: "/job:ps/replica:0/task:0"
            version: "0.1.0 (abc)"
            incarnation: 1
            uptime_us: 12300000
            resident_bytes: 35651584
            devices {
              name: "/job:ps/replica:0/task:0/device:CPU:0"
              device_type: "CPU"
              memory_limit: 1073741824
              incarnation: 170
            }
            memory {
              live_bytes: 1048576
              kept_bytes: 2097152
              free_heap_bytes: 16777216
              free_bytes: 1073741824
              given_back_bytes: 4096
            }
            steps { running: 1 succeeded: 100 failed: 2 }
            worker_sessions {
              handle: "0123abcd"
              idle_us: 250000
              steps { running: 1 succeeded: 100 failed: 2 }
              num_graphs: 3
              master_task: "/job:worker/replica:0/task:1"
            }
            num_worker_sessions: 1
            running_steps { step: 48879 session: "0123abcd" age_us: 61000000 }
            peers {
              task: "/job:worker/replica:0/task:1"
              address: "127.0.0.1:7002"
              kind: LEAT
              state: REACHABLE
              calls_served: 204
              bytes_sent: 1048576
              bytes_received: 2048
              heard_us: -1
            }
            num_peers: 1
            waiting_recvs {
              step: 48879
              sender: "/job:ps/replica:0/task:0"
              receiver: "/job:worker/replica:0/task:1"
              age_us: 60900000
            }
            num_waiting_recvs: 1)pb")};
}

TaskReading Worker() {
  TaskReading worker = {.task = "/job:worker/replica:0/task:1",
                        .address = "127.0.0.1:7002",
                        .is_leat = true,
                        .report = Parse(R"pb(
                          task: "/job:worker/replica:0/task:1"
                          version: "0.1.0 (abc)"
                          incarnation: 2
                          uptime_us: 9000000
                          steps { running: 1 succeeded: 100 failed: 2 }
                          client_sessions {
                            handle: "0123abcd"
                            idle_us: 0
                            steps { running: 1 succeeded: 95 failed: 2 }
                            num_plans: 2
                            num_tasks: 2
                          }
                          num_client_sessions: 1
                          peers {
                            task: "/job:ps/replica:0/task:0"
                            address: "127.0.0.1:7001"
                            kind: LEAT
                            state: UNREACHABLE
                            error: "connection refused"
                            calls: 300
                            calls_under_way: 2
                            bytes_sent: 2048
                            bytes_received: 1048576
                            heard_us: 5000000
                          }
                          num_peers: 1)pb")};
  pb::WaitingRecvStatus& recv = *worker.report.add_waiting_recvs();
  recv.set_step(48879);
  recv.set_key(kKey);
  recv.set_sender("/job:ps/replica:0/task:0");
  recv.set_receiver("/job:worker/replica:0/task:1");
  recv.set_age_us(61'000'000);
  worker.report.set_num_waiting_recvs(4);
  return worker;
}

ClusterReading Cluster() {
  ClusterReading reading;
  reading.tasks = {Ps(), Worker()};
  reading.tasks[0].report.mutable_waiting_recvs(0)->set_key(kKey);
  return reading;
}

// Returns Cluster() as it was `seconds` earlier. Each counter of steps was
// lower by `steps`, and each counter of sent bytes was lower by `bytes`.
ClusterReading Earlier(int64_t seconds, int64_t steps, int64_t bytes) {
  ClusterReading reading = Cluster();
  for (TaskReading& task : reading.tasks) {
    pb::TaskStatusResponse& report = task.report;
    report.set_uptime_us(report.uptime_us() - seconds * 1'000'000);
    const auto less = [steps](pb::StepTotals* totals) {
      totals->set_succeeded(totals->succeeded() - steps);
    };
    less(report.mutable_steps());
    for (auto& s : *report.mutable_client_sessions()) less(s.mutable_steps());
    for (auto& s : *report.mutable_worker_sessions()) less(s.mutable_steps());
    for (auto& peer : *report.mutable_peers()) {
      peer.set_bytes_sent(peer.bytes_sent() - bytes);
    }
  }
  return reading;
}

std::string Text(const ClusterReading& reading,
                 const ClusterReading* before = nullptr) {
  return StatusReportText(reading, before,
                          {.min_age = std::chrono::seconds(1)});
}

TEST(StatusReportTest, ShowsTheCluster) {
  const ClusterReading before = Earlier(2, 50, 1024);
  EXPECT_EQ(Text(Cluster(), &before),
            R"(2 tasks
  task                address                            up    memory  running  done  failed  steps/s
  /job:ps/task:0      127.0.0.1:7001  Leat 0.1.0 (abc)  12s  34.0 MiB        1   100       2     25.0
  /job:worker/task:1  127.0.0.1:7002  Leat 0.1.0 (abc)   9s       0 B        1   100       2     25.0

1 session of clients
  session   task                as                      graphs   idle  running  done  failed  steps/s
  0123abcd  /job:worker/task:1  master of 2 tasks            2      0        1    95       2     25.0
  0123abcd  /job:ps/task:0      for /job:worker/task:1       3  250ms        1   100       2     25.0

traffic between tasks
  task                peer                calls  open  served     sent           received
  /job:ps/task:0      /job:worker/task:1      0     0     204  1.0 MiB  512 B/s   2.0 KiB  0 B/s  answers
  /job:worker/task:1  /job:ps/task:0        300     2       0  2.0 KiB  512 B/s   1.0 MiB  0 B/s  connection refused

steps that have run for 1s or longer
   for  step  task            session
  1m1s  beef  /job:ps/task:0  0123abcd
  and 1 more that run

Recvs that have waited for 1s or longer
   for  step  receiver            sender          key
  1m1s  beef  /job:worker/task:1  /job:ps/task:0  )" +
                std::string(kKey) + R"(
  and 3 more that wait

1 device
  device                        memory  incarnation
  /job:ps/task:0/device:CPU:0  1.0 GiB  00000000000000aa

memory of tasks
  task            in tensors  kept for steps  kept by malloc  given back  may take
  /job:ps/task:0     1.0 MiB         2.0 MiB        16.0 MiB     4.0 KiB   1.0 GiB
)");
}

TEST(StatusReportTest, SaysWhyATaskIsNotShown) {
  ClusterReading reading = Cluster();
  reading.tasks[0] = {.task = "/job:ps/replica:0/task:0",
                      .address = "127.0.0.1:7001",
                      .status = absl::UnavailableError("refu\x1bsed")};
  reading.num_unasked = 3;
  EXPECT_THAT(Text(reading),
              HasSubstr("2 tasks, 1 without answer\n"
                        "  task                address                   "));
  EXPECT_THAT(Text(reading),
              HasSubstr("  /job:ps/task:0      127.0.0.1:7001  no answer\n"));
  EXPECT_THAT(Text(reading), HasSubstr("  and 3 more\n"
                                       "  /job:ps/task:0: refu\\x1bsed\n"));
}

TEST(StatusReportTest, ShowsTasksOfTensorFlow) {
  ClusterReading reading = Cluster();
  reading.tasks[0].is_leat = false;
  reading.tasks[0].report =
      Parse(R"(devices { name: "/job:ps/replica:0/task:0/device:CPU:0"
                         memory_limit: 268435456 incarnation: 15 })");
  EXPECT_THAT(Text(reading), HasSubstr("127.0.0.1:7001  TensorFlow\n"));
  EXPECT_THAT(
      Text(reading),
      HasSubstr("/job:ps/task:0/device:CPU:0  256.0 MiB  000000000000000f"));
}

TEST(StatusReportTest, EscapesWhatATaskSays) {
  ClusterReading reading = Cluster();
  reading.tasks[0].report.mutable_waiting_recvs(0)->set_key("a\x1b[2J");
  reading.tasks[0].report.set_version("\r\n");
  EXPECT_THAT(Text(reading), Not(HasSubstr("\x1b")));
  EXPECT_THAT(Text(reading), HasSubstr("a\\x1b[2J"));
  EXPECT_THAT(Text(reading), HasSubstr("Leat \\x0d\\n"));
}

TEST(StatusReportTest, CutsLines) {
  const std::string text = StatusReportText(Cluster(), nullptr, {.width = 40});
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 40u) << text.substr(start, end - start);
    start = end + 1;
  }
}

TEST(StatusReportTest, KnowsNoRatesOfOtherProcessesAndOfNewSessions) {
  const ClusterReading now = Cluster();
  const auto rates = [&](const ClusterReading* before) {
    return StatusRates(now.tasks[0], before);
  };
  const auto& session = now.tasks[0].report.worker_sessions(0);
  const auto& peer = now.tasks[0].report.peers(0);
  EXPECT_EQ(rates(nullptr).Steps(), std::nullopt);
  ClusterReading before = Earlier(10, 5, 20);
  EXPECT_EQ(rates(&before).Steps(), 0.5);
  EXPECT_EQ(rates(&before).StepsOf(session), 0.5);
  EXPECT_EQ(rates(&before).BytesOf(peer)->sent, 2);
  EXPECT_EQ(rates(&before).BytesOf(peer)->received, 0);
  before.tasks[0].report.mutable_worker_sessions(0)->set_handle("other");
  before.tasks[0].report.mutable_peers(0)->set_task("other");
  EXPECT_EQ(rates(&before).StepsOf(session), std::nullopt);
  EXPECT_EQ(rates(&before).BytesOf(peer), std::nullopt);
  before = Earlier(10, 5, 20);
  before.tasks[0].report.set_incarnation(99);
  EXPECT_EQ(rates(&before).Steps(), std::nullopt);
  before = Earlier(10, 5, 20);
  before.tasks[0].address = "elsewhere";
  EXPECT_EQ(rates(&before).Steps(), std::nullopt);
  before = Earlier(10, -5, 20);  // a counter that went backwards
  EXPECT_EQ(rates(&before).Steps(), std::nullopt);
  before = Earlier(0, 5, 20);
  EXPECT_EQ(rates(&before).Steps(), std::nullopt);
  before = Earlier(10, 5, 20);
  before.tasks[0].status = absl::UnavailableError("");
  EXPECT_EQ(rates(&before).Steps(), std::nullopt);
}

TEST(StatusReportTest, WritesJsonInOneLine) {
  ClusterReading reading = Cluster();
  reading.tasks.push_back({.task = "/job:worker/replica:0/task:2",
                           .address = "127.0.0.1:7003",
                           .status = absl::UnavailableError("\xff refused")});
  const ClusterReading before = Earlier(2, 50, 1024);
  const std::string text = StatusReportJson(reading, &before);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto json = nlohmann::json::parse(text);
  ASSERT_EQ(json["tasks"].size(), 3u);
  const auto& ps = json["tasks"][0];
  EXPECT_EQ(ps["task"], "/job:ps/replica:0/task:0");
  EXPECT_EQ(ps["kind"], "leat");
  EXPECT_EQ(ps["error"], nullptr);
  EXPECT_EQ(ps["steps"]["succeeded"], 100);
  EXPECT_EQ(ps["steps"]["per_second"], 25.0);
  EXPECT_EQ(ps["devices"][0]["incarnation"], "00000000000000aa");
  EXPECT_EQ(ps["sessions"]["of_masters"][0]["handle"], "0123abcd");
  EXPECT_EQ(ps["sessions"]["of_masters"][0]["graphs"], 3);
  EXPECT_EQ(ps["peers"][0]["bytes_sent"], 1048576);
  EXPECT_EQ(ps["peers"][0]["bytes_sent_per_second"], 512.0);
  EXPECT_EQ(ps["peers"][0]["heard_us"], nullptr);
  EXPECT_EQ(ps["running_steps"][0]["step"], "beef");
  EXPECT_EQ(ps["waiting_recvs"][0]["key"], kKey);
  EXPECT_EQ(ps["waiting_recvs"][0]["age_us"], 60'900'000);
  const auto& worker = json["tasks"][1];
  EXPECT_EQ(worker["sessions"]["of_clients"][0]["tasks"], 2);
  EXPECT_EQ(worker["peers"][0]["state"], "unreachable");
  EXPECT_EQ(worker["peers"][0]["error"], "connection refused");
  EXPECT_EQ(json["tasks"][2]["error"]["code"], "UNAVAILABLE");
  EXPECT_EQ(json["tasks"][2]["kind"], "unknown");
}

TEST(StatusReportTest, TellsAgesAsPeopleDo) {
  using std::chrono::milliseconds;
  EXPECT_EQ(AgeText(std::chrono::nanoseconds(1)), "0");
  EXPECT_EQ(AgeText(milliseconds(7)), "7ms");
  EXPECT_EQ(AgeText(milliseconds(1234)), "1.2s");
  EXPECT_EQ(AgeText(milliseconds(12'345)), "12s");
  EXPECT_EQ(AgeText(milliseconds(61'999)), "1m1s");
  EXPECT_EQ(AgeText(std::chrono::minutes(125)), "2h5m");
}

}  // namespace
}  // namespace leat::status_report_test
