// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StartedStep starts a step without waiting for it, and records how it ended.
#ifndef LEAT_TESTS_RUNTIME_STARTED_STEP_H_
#define LEAT_TESTS_RUNTIME_STARTED_STEP_H_

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/tests/testing/event.h"

namespace leat::testing {

// Owns the step, its rendezvous, its arguments and its results. This object
// must outlive the step. A StartedStep is thread-safe after Start, except for
// step().
class StartedStep {
 public:
  // Prepares a step with the arguments `args` and with `num_returns` results.
  explicit StartedStep(std::vector<Tensor> args, size_t num_returns = 1)
      : args_(std::move(args)),
        returns_(num_returns),
        step_(std::make_shared<Step>(1, rendezvous_, args_,
                                     absl::MakeSpan(returns_), nullptr)) {}

  // Starts the step. May be called once. `runner` must outlive the step.
  void Start(GraphRunner& runner, std::shared_ptr<CompiledGraph> graph) {
    Step& step = *step_;
    runner.Start(std::move(graph), step, [this, &runner](absl::Status end) {
      step_ = nullptr;
      was_on_pool_ = runner.devices().compute_queue().IsWorkerThread();
      end_ = std::move(end);
      ++calls_;
      ended_.Set();
    });
  }
  // Returns true if the step has ended. Does not wait.
  bool HasEnded() { return ended_.IsSet(); }
  // Waits for the end of the step and returns its status, or DEADLINE_EXCEEDED
  // if it does not end in time.
  absl::Status End() {
    return ended_.Wait() ? end_ : absl::DeadlineExceededError("has not ended");
  }

  // Returns the step. Must not be called after Start, because the end of the
  // step resets the pointer. A test that makes the step fail later calls this
  // function before Start and keeps the pointer.
  std::shared_ptr<Step> step() const { return step_; }

  // returns() has the results of a step that has ended. was_on_pool() tells
  // whether a thread of the compute pool reported the end.
  const std::vector<Tensor>& returns() const { return returns_; }
  bool was_on_pool() const { return was_on_pool_; }
  // Returns how often the end of the step was reported.
  int calls() const { return calls_; }

 private:
  LocalRendezvous rendezvous_;
  const std::vector<Tensor> args_;
  std::vector<Tensor> returns_;
  std::shared_ptr<Step> step_;  // null after the end of the step
  std::atomic<int> calls_ = 0;
  bool was_on_pool_ = false;
  absl::Status end_;
  Event ended_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_RUNTIME_STARTED_STEP_H_
