// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/cluster.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/wire/methods.h"
#include "leat/protos/health.pb.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/task_client.h"

namespace leat::soak {
namespace {

using testing::Becomes;
using testing::TaskClient;

// A task gives back unused memory within 30 seconds. This is twice as long,
// because a busy machine is slow.
constexpr absl::Duration kPatience = absl::Seconds(60);

// An idle process may use this much more than at earlier times when it was
// idle. It may keep connections to all other tasks, threads that wait for work,
// and pages that malloc or a pool has not yet returned to the system.
constexpr int kMoreDescriptors = 8;
constexpr int kMoreThreads = 8;
constexpr int64_t kMoreBytes = 64 << 20;

// After a failure, this many bytes at the end of each log are shown.
constexpr size_t kShownBytes = 2000;

std::string MadeFolder(const std::string& path) {
  std::filesystem::create_directory(path);
  return path;
}

}  // namespace

void Usage::Raise(const Usage& other) {
  descriptors = std::max(descriptors, other.descriptors);
  threads = std::max(threads, other.threads);
  resident_bytes = std::max(resident_bytes, other.resident_bytes);
  live_bytes = std::max(live_bytes, other.live_bytes);
}

void Usage::Lower(const Usage& other) {
  descriptors = std::min(descriptors, other.descriptors);
  threads = std::min(threads, other.threads);
  resident_bytes = std::min(resident_bytes, other.resident_bytes);
  live_bytes = std::min(live_bytes, other.live_bytes);
}

std::string Usage::Text() const {
  return absl::StrCat(descriptors, " descriptors, ", threads, " threads, ",
                      resident_bytes, " bytes and ", live_bytes,
                      " bytes in tensors");
}

testing::ServedClusterOptions SoakCluster::Options(
    const std::string& dump_folder) {
  return {.flags = {"--dump-dir", dump_folder, "--grace", "1",
                    // Tensors of the training are sent in pieces.
                    "--max-inline-bytes", "64KiB", "--chunk-bytes", "16KiB",
                    "--max-message-bytes", absl::StrCat(kMaxMessageBytes),
                    "--max-transport-bytes", absl::StrCat(kMaxTransportBytes),
                    "--max-graph-nodes", absl::StrCat(kMaxGraphNodes),
                    "--max-connections", absl::StrCat(kMaxConnections),
                    "--max-connections-per-address",
                    absl::StrCat(kMaxConnections), "--handshake-timeout", "2",
                    // The tasks soon drop what clients and masters leave
                    // behind. But a slow machine must not lose a session that
                    // is in use.
                    "--session-idle", "15", "--master-silence", "8",
                    "--max-tombstones", "1000", "--max-request-ids", "1000",
                    "--max-dumped-plans", "1000000"},
          .limit = "-n 400",
          .is_behind_proxies = true,
          .has_own_groups = true};
}

SoakCluster::SoakCluster()
    : served_(absl::StrCat("worker=", kWorkers, ",ps=", kPs),
              Options(MadeFolder(dump_folder()))) {
  for (const TaskId& task : tasks()) {
    proxies_[Key(task)] = std::make_unique<testing::TcpProxy>(
        served_.Address(task), served_.ListeningAddress(task));
  }
}

void SoakCluster::Kill(const TaskId& task) {
  served_.Kill(task);
  least_.erase(Key(task));
}

Usage SoakCluster::UsageOf(const TaskId& task) {
  const testing::Process& process = served_.process(task);
  return {.descriptors = process.NumOpenFiles(),
          .threads = process.NumThreads(),
          .resident_bytes = process.ResidentBytes()};
}

absl::StatusOr<Usage> SoakCluster::IdleUsageOf(const TaskId& task) {
  LEAT_ASSIGN_OR_RETURN(const pb::TaskStatusResponse status,
                        served_.TryStatus(task));
  Usage usage = UsageOf(task);
  usage.live_bytes = status.memory().live_bytes();
  return usage;
}

void SoakCluster::Measure() {
  for (const TaskId& task : tasks()) highest_.Raise(UsageOf(task));
}

Usage SoakCluster::TakeHighest() {
  Measure();
  return std::exchange(highest_, Usage());
}

int64_t SoakCluster::NumRefused(const TaskId& task) {
  return served_.Status(task).connections().refused();
}

void SoakCluster::ExpectRefuses(const TaskId& task, int64_t before) {
  // TryStatus uses the connection that NumRefused has opened, so it needs no
  // new connection.
  const auto has_refused = [&] {
    const auto status = served_.TryStatus(task);
    return status.ok() && status->connections().refused() > before;
  };
  EXPECT_TRUE(Becomes(has_refused, kPatience))
      << task.ToString() << " has refused no connection";
}

bool SoakCluster::ExpectRunning() {
  bool all = true;
  for (const TaskId& task : tasks()) {
    testing::Process& process = served_.process(task);
    if (process.IsRunning()) continue;
    ADD_FAILURE() << task.ToString() << " has ended with " << process.Wait();
    all = false;
  }
  return all;
}

void SoakCluster::ExpectServing() {
  for (const TaskId& task : tasks()) {
    absl::Status called;
    pb::HealthCheckResponse health;
    // A call may fail because it uses an old connection that the fault has
    // broken. Then the next call must succeed.
    const auto is_serving = [&] {
      called =
          TaskClient(*transport_, served_.Address(task))
              .Call(methods::kHealthCheck, pb::HealthCheckRequest(), health);
      return called.ok() && health.status() == pb::HealthCheckResponse::SERVING;
    };
    EXPECT_TRUE(Becomes(is_serving, kPatience))
        << task.ToString() << " does not serve: " << called << " "
        << health.ShortDebugString();
  }
}

void SoakCluster::ExpectNothingLeaked() {
  for (const TaskId& task : tasks()) {
    absl::StatusOr<Usage> now;
    const auto is_back = [&] {
      now = IdleUsageOf(task);
      if (!now.ok()) return false;
      const Usage least = least_.emplace(Key(task), *now).first->second;
      return now->descriptors <= least.descriptors + kMoreDescriptors &&
             now->threads <= least.threads + kMoreThreads &&
             now->resident_bytes <= least.resident_bytes + kMoreBytes &&
             now->live_bytes <= least.live_bytes;
    };
    if (Becomes(is_back, kPatience)) {
      least_[Key(task)].Lower(*now);
    } else {
      ADD_FAILURE() << task.ToString() << " has "
                    << (now.ok() ? now->Text() : now.status().ToString())
                    << "; when it was idle earlier, it had "
                    << least_[Key(task)].Text();
    }
  }
}

void SoakCluster::RemovePlans() const {
  // A task may write another plan while this loop runs. That plan may remain.
  std::error_code error;
  for (const auto& each :
       std::filesystem::directory_iterator(dump_folder(), error)) {
    std::filesystem::remove_all(each.path(), error);
  }
}

std::string SoakCluster::Logs() {
  std::string logs;
  for (const TaskId& task : tasks()) {
    const std::string log = served_.process(task).Err();
    const size_t hidden = log.size() - std::min(log.size(), kShownBytes);
    absl::StrAppend(&logs, "---- ", task.ToString(), "\n", log.substr(hidden),
                    "\n");
  }
  return logs;
}

}  // namespace leat::soak
