// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A round of the soak is one training with one fault. Schedule says which
// rounds there are.
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
  uint32_t seed = 0;  // of the random numbers of the fault

  // Returns a line that says what happens.
  std::string Text() const;
};

// The rounds are a function of the seed alone. Each fault comes once before any
// comes again, and synchronous and asynchronous training take turns. Used by
// one thread.
class Schedule {
 public:
  explicit Schedule(uint32_t seed) : random_(seed) {}

  Round Next();
  // Returns whether each fault has come.
  bool HasHadAll() const;

 private:
  std::mt19937 random_;
  std::vector<const Fault*> left_;
  size_t rounds_ = 0;
  bool was_sync_ = false;
};

// Runs a round, and fails the test if something is wrong. The caller sets
// `has_failed` of the result.
RoundResult Run(const Round& round, SoakCluster& cluster);

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_ROUND_H_
