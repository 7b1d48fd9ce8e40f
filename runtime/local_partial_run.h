// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LocalPartialRun is one partial run on the devices of this process. The graph
// of its plan has client-terminated _Recvs and _Sends for feeds and fetches
// (partitioner/client_terminated.h). The rendezvous of the step takes the feeds
// whenever they come, and keeps the fetches until they are taken.
#ifndef LEAT_RUNTIME_LOCAL_PARTIAL_RUN_H_
#define LEAT_RUNTIME_LOCAL_PARTIAL_RUN_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/compiled_step.h"
#include "leat/runtime/executor/step.h"
#include "leat/runtime/executor/step_allocations.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/partial_run_progress.h"
#include "leat/runtime/session.h"
#include "leat/runtime/step_deadline.h"

namespace leat {

// Is thread-safe. The destructor ends the step and waits until it has ended.
class LocalPartialRun final : public PartialRun::Implementation {
 public:
  // Describes where a partial run runs. `runner` and `clock` are borrowed from
  // `session`, which the partial run keeps alive.
  struct Place {
    std::shared_ptr<Session> session = {};
    GraphRunner* runner = nullptr;
    Clock* clock = nullptr;
  };

  // Prepares a step with the id `step_id`. `plan` is the plan of a partial run.
  LocalPartialRun(Place place, std::shared_ptr<const CompiledStep> plan,
                  int64_t step_id, const RunOptions& options);
  ~LocalPartialRun() override;

  // Starts the step. REQUIRES: called exactly once.
  void Start();

  absl::StatusOr<std::vector<Tensor>> Run(
      const std::vector<Feed>& feeds,
      const std::vector<TensorName>& fetches) override;
  absl::Status Finish() override;

  // Ends the step with the error `why`, and waits until it has ended. Later
  // calls of Run return `later`.
  void Cancel(const absl::Status& why, const absl::Status& later);

 private:
  // Describes the fetches that one call of Run waits for. Is guarded by
  // `mutex_`, but lives on the stack of Run.
  struct Fetched {
    size_t num_missing = 0;
    absl::Status status = {};
    std::vector<Tensor> tensors = {};
  };

  // Hands the feeds of `call` to the step.
  absl::Status Send(PartialRunCall& call);
  // Asks the step for the fetches of `call`.
  void Receive(const PartialRunCall& call, Fetched& fetched);
  // Waits until no fetch is missing and, if `until_end` is true, the step has
  // ended. Returns false if the deadline passes first.
  bool WaitUntil(const Fetched& fetched, bool until_end,
                 const std::optional<StepDeadline>& deadline);
  // Does the same as WaitUntil. If the deadline passes first, makes the step
  // fail and continues to wait.
  void Wait(const Fetched& fetched, bool until_end,
            const std::optional<StepDeadline>& deadline);

  const Place place_;
  const std::shared_ptr<const CompiledStep> plan_;
  const std::optional<std::chrono::nanoseconds> timeout_;
  PartialRunProgress progress_;
  LocalRendezvous rendezvous_;
  const std::unique_ptr<StepAllocations> allocations_;  // null if not asked for
  Step step_;

  Mutex mutex_;
  CondVar changed_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  // Is the error that calls return after the partial run has ended. It is OK
  // before that.
  absl::Status over_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_LOCAL_PARTIAL_RUN_H_
