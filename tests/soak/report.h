// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Report collects what the soak has seen and prints it as a table.
#ifndef LEAT_TESTS_SOAK_REPORT_H_
#define LEAT_TESTS_SOAK_REPORT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "leat/tests/soak/cluster.h"

namespace leat::soak {

// Holds the results of one round, which is a training with one fault.
struct RoundResult {
  bool is_sync = false;
  bool has_failed = false;
  // Is the time from the end of the fault until every worker has run a correct
  // step.
  absl::Duration recovery = absl::ZeroDuration();
  Usage highest = {};
  int64_t steps = 0;   // steps that have succeeded
  int64_t errors = 0;  // errors of steps
  int64_t sessions = 0;
};

// Is not thread-safe.
class Report {
 public:
  void Add(const std::string& fault, const RoundResult& result);

  int failed_rounds() const { return failed_; }
  // Returns the table, the lines with the sums, the time and the seed.
  std::string Text(absl::Duration time, uint32_t seed) const;

 private:
  struct Row {
    int synchronous = 0;
    int asynchronous = 0;
    int failed = 0;
    int64_t errors = 0;
    absl::Duration longest = absl::ZeroDuration();
    Usage highest = {};
  };

  std::map<std::string, Row> rows_;
  int rounds_ = 0;
  int failed_ = 0;
  int64_t steps_ = 0;
  int64_t sessions_ = 0;
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_REPORT_H_
