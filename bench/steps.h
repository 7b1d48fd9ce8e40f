// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Steps: a session that runs one case over and over.
#ifndef LEAT_BENCH_STEPS_H_
#define LEAT_BENCH_STEPS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session.h"

namespace leat::bench {

// Failures end the program.
class Steps {
 public:
  explicit Steps(const Case& c, int num_cpus = 1);

  void Run() {
    auto out = callable_(feeds_);
    if (!out.ok()) Die(out.status());
    benchmark::DoNotOptimize(out);
  }

  // How many nodes one step runs, on all devices (RunMetadata tells).
  int64_t CountNodes() const { return num_nodes_; }

  // What a step's time is divided by; see Case.
  int64_t per() const { return per_ == 0 ? num_nodes_ : per_; }

  // Blocks that the devices' allocators have taken from the system so far.
  int64_t SystemRequests() const;

 private:
  [[noreturn]] static void Die(const absl::Status& status);

  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<Session> session_;
  Callable callable_;
  std::vector<Tensor> feeds_;
  int64_t num_nodes_ = 0;
  int64_t per_ = 1;
};

// Google Benchmark calls a benchmark several times; a large graph is made once.
class LastSteps {
 public:
  Steps& Get(const std::string& name, absl::FunctionRef<Case()> make,
             int num_cpus = 1);

 private:
  std::string name_;
  std::unique_ptr<Steps> steps_;
};

// The benchmark of a case: a step per iteration; counters nodes and, where a
// step's time is to be divided, per_op (seconds).
void RunSteps(benchmark::State& state, Steps& steps);

}  // namespace leat::bench

#endif  // LEAT_BENCH_STEPS_H_
