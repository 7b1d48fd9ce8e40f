// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/cluster/training_worker.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace leat::testing {
namespace {

// This time limit is long enough even for a busy machine.
constexpr absl::Duration kPatience = absl::Seconds(60);

}  // namespace

SessionOptions WorkerSessionOptions(const ServedCluster& cluster, int worker) {
  return {
      .target = cluster.Target({"worker", worker}),
      .device_filters = {"/job:ps", absl::StrCat("/job:worker/task:", worker)},
      .connect_timeout = std::chrono::seconds(2)};
}

TrainingWorker::TrainingWorker(Program program)
    : program_(std::move(program)), thread_([this] { Train(); }) {}

void TrainingWorker::Stop() {
  is_ending_ = true;
  if (const auto session = this->session()) session->Close().IgnoreError();
  if (thread_.joinable()) thread_.join();
}

bool TrainingWorker::Advances(int64_t steps) const {
  const int64_t enough = done_ + steps;
  return Becomes([&] { return done_ >= enough; }, kPatience);
}

std::optional<TrainingWorker::Failure> TrainingWorker::failure() const {
  MutexLock lock(mutex_);
  return failure_;
}

void TrainingWorker::ForgetFailures() {
  MutexLock lock(mutex_);
  failure_.reset();
}

bool TrainingWorker::Fails() const {
  return Becomes([&] { return failure().has_value(); }, kPatience);
}

std::shared_ptr<RecoverableSession> TrainingWorker::session() const {
  MutexLock lock(mutex_);
  return session_;
}

void TrainingWorker::Train() {
  auto made = RecoverableSession::Create(program_.graph, program_.session);
  ASSERT_TRUE(made.ok()) << made.status();
  const std::shared_ptr<RecoverableSession> session = *std::move(made);
  {
    MutexLock lock(mutex_);
    session_ = session;
  }
  while (!is_ending_) {
    const auto result = session->Run(program_.step(begun_++));
    if (result.ok()) {
      if (program_.done != nullptr) program_.done(*result);
      ++done_;
      continue;
    }
    if (is_ending_) return;
    Record(result.status());
    ASSERT_TRUE(IsRecoverable(result.status())) << result.status();
  }
}

void TrainingWorker::Record(const absl::Status& error) {
  if (program_.failed != nullptr) program_.failed(error);
  MutexLock lock(mutex_);
  if (!failure_.has_value()) {
    failure_.emplace(Failure{error, absl::Now()});
  }
}

}  // namespace leat::testing
