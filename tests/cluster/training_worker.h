// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A worker's program, or an in-graph client's, on a thread of a test: one step
// after the other on a RecoverableSession, through the loss of tasks.
#ifndef LEAT_TESTS_CLUSTER_TRAINING_WORKER_H_
#define LEAT_TESTS_CLUSTER_TRAINING_WORKER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "leat/core/mutex.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"

namespace leat::testing {

// Of between-graph training: that worker's own task is its master, and it needs
// no other worker.
SessionOptions WorkerSessionOptions(const ServedCluster& cluster, int worker);

// Thread-safe, but for Stop, which is for one thread.
class TrainingWorker {
 public:
  struct Program {
    Graph graph;
    RecoverableSessionOptions session = {};
    // What step number `i` of this program runs: 0, 1, ... Each is run once,
    // whatever became of it.
    std::function<RunArgs(int64_t i)> step = {};
    // Optional: gets what a step has fetched.
    std::function<void(const std::vector<Tensor>& fetched)> done = {};
  };
  struct Failure {
    absl::Status status;
    absl::Time when;
  };

  explicit TrainingWorker(Program program);
  ~TrainingWorker() { Stop(); }

  // Breaks off the step that runs. Idempotent.
  void Stop();

  int64_t begun() const { return begun_; }
  int64_t done() const { return done_; }
  // Made so far. REQUIRES: a step is done.
  int64_t num_sessions() const { return session()->num_sessions(); }
  // So many more steps are done in time.
  bool Advances(int64_t steps) const;

  // The first error of a step since the last ForgetFailures.
  std::optional<Failure> failure() const;
  void ForgetFailures();
  // There is one in time.
  bool Fails() const;

 private:
  void Train();
  std::shared_ptr<RecoverableSession> session() const;

  const Program program_;
  std::atomic<bool> is_ending_{false};
  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> done_{0};
  mutable Mutex mutex_;
  std::shared_ptr<RecoverableSession> session_ ABSL_GUARDED_BY(mutex_);
  std::optional<Failure> failure_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_CLUSTER_TRAINING_WORKER_H_
