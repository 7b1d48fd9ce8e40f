// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/cluster/served_cluster.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/wire/methods.h"
#include "leat/tests/testing/task_client.h"

namespace leat::testing {
namespace {

// On a busy machine, a task may need this much time to notice that a peer is
// gone. If the request to delete a session was lost, the task may also need
// this much time to delete the session.
constexpr absl::Duration kIdle = absl::Seconds(60);
constexpr int kManySeeds = 5;

std::unique_ptr<LocalCluster> NewLocalCluster(
    const std::vector<TaskId>& tasks) {
  auto cluster = LocalCluster::Create(tasks);
  EXPECT_TRUE(cluster.ok()) << cluster.status();
  return *std::move(cluster);
}

}  // namespace

int NumSeeds(int few) {
  const char* text = std::getenv("LEAT_TEST_SEEDS");
  int seeds = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &seeds)) return few;
  return std::clamp(seeds, few, kManySeeds);
}

bool IsQuiet(const pb::TaskStatusResponse& status) {
  return status.steps().running() == 0 && status.num_waiting_recvs() == 0 &&
         std::all_of(status.peers().begin(), status.peers().end(),
                     [](const pb::PeerTrafficStatus& peer) {
                       return peer.calls_under_way() == 0;
                     });
}

bool IsIdle(const pb::TaskStatusResponse& status) {
  return IsQuiet(status) && status.num_open_steps() == 0 &&
         status.num_client_sessions() == 0 && status.num_worker_sessions() == 0;
}

bool Becomes(absl::FunctionRef<bool()> condition, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return true;
}

ServedCluster::ServedCluster(const std::string& jobs,
                             ServedClusterOptions options)
    : options_(std::move(options)) {
  const auto tasks = ParseJobs(jobs);
  EXPECT_TRUE(tasks.ok()) << tasks.status();
  cluster_ = NewLocalCluster(*tasks);
  if (options_.is_behind_proxies) listening_ = NewLocalCluster(*tasks);
  for (const TaskId& task : *tasks) {
    processes_[Key(task)] = nullptr;
    Start(task);
  }
}

void ServedCluster::Start(const TaskId& task) {
  std::vector<std::string> args = {"serve"};
  args.insert(args.end(), options_.flags.begin(), options_.flags.end());
  if (listening_ != nullptr) {
    args.insert(args.end(), {"--bind", ListeningAddress(task)});
  }
  std::string program = LEAT_PROGRAM_LEAT;
  if (!options_.limit.empty()) {
    args = ArgsUnder(options_.limit, program, args);
    program = "/bin/sh";
  }
  auto process = std::make_unique<Process>(
      program, args,
      std::vector<std::string>{absl::StrCat("TF_CONFIG=", TfConfig(task))},
      options_.has_own_groups);
  EXPECT_TRUE(absl::StartsWith(process->FirstLine(),
                               absl::StrCat("ready ", task.ToString())));
  processes_[Key(task)] = std::move(process);
}

void ServedCluster::Kill(const TaskId& task) {
  process(task).Signal(SIGKILL);
  EXPECT_EQ(process(task).Wait(), -SIGKILL) << process(task).Err();
}

absl::StatusOr<pb::TaskStatusResponse> ServedCluster::TryStatus(
    const TaskId& task) {
  pb::TaskStatusResponse status;
  LEAT_RETURN_IF_ERROR(
      TaskClient(*transport_, ListeningAddress(task))
          .Call(methods::kTaskStatus, pb::TaskStatusRequest(), status));
  return status;
}

pb::TaskStatusResponse ServedCluster::Status(const TaskId& task) {
  const auto status = TryStatus(task);
  EXPECT_TRUE(status.ok()) << status.status();
  return status.value_or(pb::TaskStatusResponse());
}

void ServedCluster::ExpectBecomes(
    const TaskId& task, bool (*condition)(const pb::TaskStatusResponse&)) {
  absl::StatusOr<pb::TaskStatusResponse> status;
  // When a stopped task continues, a call to it may still fail, because the
  // caller may have given up its connection to the task.
  const auto is_so = [&] {
    status = TryStatus(task);
    return status.ok() && condition(*status);
  };
  EXPECT_TRUE(Becomes(is_so, kIdle))
      << status.status() << "\n"
      << (status.ok() ? status->DebugString() : "");
}

void ServedCluster::ExpectQuiet(const TaskId& task) {
  ExpectBecomes(task, IsQuiet);
}

void ServedCluster::ExpectIdle() {
  for (const auto& [key, process] : processes_) {
    ExpectBecomes({key.first, key.second}, IsIdle);
  }
}

void ServedCluster::End() {
  for (const auto& [key, process] : processes_) process->Signal(SIGTERM);
  for (const auto& [key, process] : processes_) {
    EXPECT_EQ(process->Wait(), 128 + SIGTERM)
        << key.first << key.second << ": " << process->Err();
  }
}

std::vector<TaskId> ServedCluster::tasks() const {
  std::vector<TaskId> tasks;
  for (const auto& [key, process] : processes_) {
    tasks.push_back({key.first, key.second});
  }
  return tasks;
}

std::string ServedCluster::ListeningAddress(const TaskId& task) const {
  if (listening_ == nullptr) return Address(task);
  return listening_->spec().AddressOf(task).value_or("");
}

std::string ServedCluster::Address(const TaskId& task) const {
  return cluster_->spec().AddressOf(task).value_or("");
}

std::string ServedCluster::Target(const TaskId& task) const {
  return absl::StrCat("grpc://", Address(task));
}

}  // namespace leat::testing
