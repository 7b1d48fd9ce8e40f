// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TrainingWorker runs the program of a worker, or of an in-graph client, on a
// thread of the test. It runs one step after the other on a RecoverableSession,
// which recovers from the loss of tasks.
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
#include "leat/core/threads/mutex.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"

namespace leat::testing {

// Returns session options for between-graph training: the worker's own task is
// the master, and the device filters leave out all other workers.
SessionOptions WorkerSessionOptions(const ServedCluster& cluster, int worker);

// Runs steps from construction to Stop. A step may fail only with a recoverable
// error; any other error fails the test. A TrainingWorker is thread-safe,
// except for Stop, which must be called by one thread only.
class TrainingWorker {
 public:
  struct Program {
    Graph graph;
    RecoverableSessionOptions session = {};
    // Returns the arguments of step number `i` (0, 1, ...) of this program. Is
    // called once for each number. A failed step is not repeated.
    std::function<RunArgs(int64_t i)> step = {};
    // Is optional. Is called with the fetched tensors of each step that
    // succeeds.
    std::function<void(const std::vector<Tensor>& fetched)> done = {};
    // Is optional. Is called with the error of each step that fails before
    // Stop.
    std::function<void(const absl::Status& error)> failed = {};
  };
  // Holds the error of a step, and when the step returned it.
  struct Failure {
    absl::Status status;
    absl::Time when;
  };

  explicit TrainingWorker(Program program);
  ~TrainingWorker() { Stop(); }

  // Aborts the current step, closes the session and ends the thread. Is
  // idempotent.
  void Stop();

  // begun() returns the number of steps that have begun. done() returns the
  // number of steps that have succeeded.
  int64_t begun() const { return begun_; }
  int64_t done() const { return done_; }
  // Returns the number of sessions that have been made. REQUIRES: a step has
  // succeeded.
  int64_t num_sessions() const { return session()->num_sessions(); }
  // Waits up to 60 s until `steps` further steps have succeeded. Returns false
  // if they have not.
  bool Advances(int64_t steps) const;

  // Returns the first error of a step since the last call of ForgetFailures.
  std::optional<Failure> failure() const;
  void ForgetFailures();
  // Waits up to 60 s until there is a failure. Returns false if there is none.
  bool Fails() const;

 private:
  void Train();
  void Record(const absl::Status& error);
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
