// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Steps is a session that runs one case again and again, for benchmarks.
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

// Is thread-compatible. An error prints a message and ends the program.
class Steps {
 public:
  // Makes a session on `num_cpus` CPU devices and runs the case's initializer,
  // if it has one.
  explicit Steps(const Case& c, int num_cpus = 1);

  // Runs one step.
  void Run() {
    auto out = callable_(feeds_);
    if (!out.ok()) Die(out.status());
    benchmark::DoNotOptimize(out);
  }

  // Returns the number of nodes that one step runs on all devices, according to
  // its RunMetadata.
  int64_t CountNodes() const { return num_nodes_; }

  // Returns the number by which benchmarks divide the time of a step, which is
  // Case::per or, if that is 0, the number of nodes.
  int64_t per() const { return per_ == 0 ? num_nodes_ : per_; }

  // Returns the number of blocks that the devices' allocators have taken from
  // the system so far.
  int64_t SystemRequests() const;

 private:
  // Prints the error and ends the program.
  [[noreturn]] static void Die(const absl::Status& status);

  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<Session> session_;
  Callable callable_;
  std::vector<Tensor> feeds_;
  int64_t num_nodes_ = 0;
  int64_t per_ = 1;
};

// Keeps the Steps of the current benchmark. Google Benchmark calls the function
// of each benchmark several times, but a large graph should be made only once.
class LastSteps {
 public:
  // Returns the Steps named `name`. If the last call had another name, destroys
  // the Steps of that call and makes new ones from the case that `make`
  // returns.
  Steps& Get(const std::string& name, absl::FunctionRef<Case()> make,
             int num_cpus = 1);

 private:
  std::string name_;
  std::unique_ptr<Steps> steps_;
};

// Runs a step in each iteration of a benchmark. Sets the counter "nodes" and,
// if per() is not 1, "per_op", which is the time of a step in seconds divided
// by per().
void RunSteps(benchmark::State& state, Steps& steps);

}  // namespace leat::bench

#endif  // LEAT_BENCH_STEPS_H_
