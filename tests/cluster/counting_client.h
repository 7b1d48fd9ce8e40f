// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A client that trains, so to say: each of its steps adds exactly 1 to every
// element of a variable on each parameter server. What the variables hold tells
// how often a step had effects.
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
#include "leat/core/mutex.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/train/session.h"

namespace leat::testing {

// Variables on each of `num_ps`; what is added to them is made by `worker`
// ("/job:worker/task:0") of what it reads of them, so that tensors travel both
// ways. All of such graphs share the variables of a cluster.
struct CountingModel {
  Graph graph;
  std::string step = {};
  std::vector<std::string> values = {};  // to fetch
};
absl::StatusOr<CountingModel> MakeCountingModel(int num_ps,
                                                const std::string& worker);

// What the variables hold. An error, too, when the elements of one differ: an
// update was torn.
absl::StatusOr<std::vector<float>> Counts(Session& session,
                                          const CountingModel& model);

// Runs steps on a thread of its own, one after the other; after an error it
// makes a new session and goes on. Thread-safe.
class CountingClient {
 public:
  struct Failure {
    absl::Status status;
    absl::Time when;
    bool in_step = false;  // else no session could be made
  };

  // `options` has the target and how long to wait for it.
  CountingClient(CountingModel model, SessionOptions options);
  ~CountingClient() { Stop(); }

  // Waits for the step that runs. Idempotent; by one thread.
  void Stop();

  int64_t begun() const { return begun_; }
  int64_t done() const { return done_; }
  std::vector<Failure> failures() const;
  // The first of a step after `since`, once there is one within `timeout`.
  std::optional<Failure> AwaitFailure(absl::Time since,
                                      absl::Duration timeout) const;
  // So many more steps are done within `timeout`.
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
