// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/round.h"

#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "leat/tests/soak/training.h"

namespace leat::soak {
namespace {

// Each worker must succeed in kStepsBefore steps before the fault, and in
// kStepsAfter steps after it.
constexpr int64_t kStepsBefore = 5;
constexpr int64_t kStepsAfter = 5;

}  // namespace

std::string Round::Text() const {
  return absl::StrCat(is_sync ? "synchronous" : "asynchronous", " training, ",
                      fault->name,
                      victim.job.empty() ? "" : ": " + victim.ToString());
}

bool Schedule::HasHadAll() const { return rounds_ >= AllFaults().size(); }

Round Schedule::Next() {
  ++rounds_;
  if (left_.empty()) {
    for (const Fault& fault : AllFaults()) left_.push_back(&fault);
  }
  const size_t chosen = random_() % left_.size();
  Round round = {.fault = left_[chosen], .is_sync = !was_sync_};
  left_.erase(left_.begin() + static_cast<ptrdiff_t>(chosen));
  was_sync_ = round.is_sync;
  const uint32_t task = random_() % (kWorkers + kPs);
  std::string job = round.fault->job;
  if (job.empty()) job = task < kWorkers ? "worker" : "ps";
  static_assert(kWorkers == kPs);
  round.victim = {job, static_cast<int>(task % kWorkers)};
  round.seed = static_cast<uint32_t>(random_());
  return round;
}

RoundResult Run(const Round& round, SoakCluster& cluster) {
  RoundResult result = {.is_sync = round.is_sync};
  std::mt19937 random(round.seed);
  Scene scene = {cluster, random, round.victim};
  CheckedTraining training(cluster, round.is_sync);
  if (!training.ExpectAdvances(kStepsBefore)) return result;
  absl::SleepFor(scene.Between(absl::ZeroDuration(), absl::Milliseconds(200)));
  round.fault->happen(scene);
  const absl::Time end = absl::Now();
  if (!cluster.ExpectRunning() || !training.ExpectAdvances(1)) return result;
  result.recovery = absl::Now() - end;
  training.ExpectAdvances(kStepsAfter);
  cluster.ExpectServing();
  std::optional<TaskId> victim;
  if (round.fault->is_named) victim = round.victim;
  training.Finish(victim, round.fault->is_noticed);
  result.steps = training.steps();
  result.errors = training.errors();
  result.sessions = training.sessions();
  cluster.served().ExpectIdle();
  cluster.ExpectNothingLeaked();
  cluster.RemovePlans();
  result.highest = cluster.TakeHighest();
  return result;
}

}  // namespace leat::soak
