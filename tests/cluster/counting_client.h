// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CountingClient runs training steps against a cluster while a test disturbs
// it. Each step adds exactly 1 to every element of a variable on each parameter
// server, so the values of the variables show how many steps took effect.
#ifndef LEAT_TESTS_CLUSTER_COUNTING_CLIENT_H_
#define LEAT_TESTS_CLUSTER_COUNTING_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/train/session.h"

namespace leat::testing {

// Describes a graph with one variable on each parameter server. A worker reads
// each variable and computes the variable's update from the value. So tensors
// travel in both directions. All models on one cluster share their variables.
struct CountingModel {
  Graph graph;
  std::string step = {};
  std::vector<std::string> values = {};  // the variables' values, to be fetched
};
// Returns a model with `num_ps` parameter servers, or an error of
// GraphBuilder::Build. `worker` is the device of the worker, such as
// "/job:worker/task:0".
absl::StatusOr<CountingModel> MakeCountingModel(int num_ps,
                                                const std::string& worker);

// Returns the value of each variable of `model`, or the error of the step. All
// elements of a variable must be equal. If they differ, an update was applied
// only in part, and the result is DATA_LOSS.
absl::StatusOr<std::vector<float>> Counts(Session& session,
                                          const CountingModel& model);

// Runs steps one after the other on a thread of its own, from construction to
// Stop. After an error, makes a new session and goes on. Is thread-safe, except
// for Stop.
class CountingClient {
 public:
  // Describes an error of a step, or of making a session.
  struct Failure {
    absl::Status status;
    absl::Time when;
    bool in_step = false;  // false: no session could be made
  };

  // `options` gives the target, and the time limit for connecting to the
  // target.
  CountingClient(CountingModel model, SessionOptions options);
  ~CountingClient() { Stop(); }

  // Waits for the current step to end, then ends the thread. Is idempotent.
  // Must be called by one thread only.
  void Stop();

  // begun() returns the number of steps that have begun. done() returns the
  // number of steps that have succeeded.
  int64_t begun() const { return begun_; }
  int64_t done() const { return done_; }
  std::vector<Failure> failures() const;
  // Waits up to `timeout` for a failure at or after the time `since`. Returns
  // the first such failure, or nullopt if there was none.
  std::optional<Failure> AwaitFailure(absl::Time since,
                                      absl::Duration timeout) const;
  // Waits up to `timeout` until `more` further steps have succeeded. Returns
  // false if they have not.
  bool AwaitSteps(int64_t more, absl::Duration timeout) const;

 private:
  void Train();
  void RunSteps(Session& session);
  void Record(const absl::Status& status, bool in_step);

  const CountingModel model_;
  const SessionOptions options_;
  std::atomic<bool> is_ending_{false};
  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> done_{0};
  mutable Mutex mutex_;
  std::vector<Failure> failures_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_CLUSTER_COUNTING_CLIENT_H_
