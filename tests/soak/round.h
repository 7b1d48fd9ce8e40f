// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A round of the soak is one training with one fault. Schedule chooses the
// rounds.
#ifndef LEAT_TESTS_SOAK_ROUND_H_
#define LEAT_TESTS_SOAK_ROUND_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "leat/tests/soak/cluster.h"
#include "leat/tests/soak/faults.h"
#include "leat/tests/soak/report.h"

namespace leat::soak {

struct Round {
  const Fault* fault = nullptr;
  bool is_sync = false;
  TaskId victim = {};
  uint32_t seed = 0;  // for the random numbers of the fault

  // Returns a line that says what happens.
  std::string Text() const;
};

// Chooses the rounds, which depend only on the seed. A fault is repeated only
// after all others have been chosen. Synchronous and asynchronous training
// alternate. A Schedule is not thread-safe.
class Schedule {
 public:
  explicit Schedule(uint32_t seed) : random_(seed) {}

  Round Next();
  // Returns whether each fault has come at least once.
  bool HasHadAll() const;

 private:
  std::mt19937 random_;
  std::vector<const Fault*> left_;
  size_t rounds_ = 0;
  bool was_sync_ = false;
};

// Runs a round. If something is wrong, makes the test fail. The caller sets
// `has_failed` of the result.
RoundResult Run(const Round& round, SoakCluster& cluster);

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_ROUND_H_
