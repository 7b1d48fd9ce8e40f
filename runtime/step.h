// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Step: one run of a plan: its id, rendezvous, cancellation, temporary
// resources, feeds, fetches and outcome. Shared by all devices that take part.
#ifndef LEAT_RUNTIME_STEP_H_
#define LEAT_RUNTIME_STEP_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/core/rendezvous.h"
#include "leat/core/step_observer.h"
#include "leat/core/tensor.h"
#include "leat/kernels/resource_store.h"

namespace leat {

class Step {
 public:
  // `rendezvous`, `args` (feeds by position), `returns` (fetches by position)
  // and `observer` (may be null) are borrowed until the step has ended.
  Step(int64_t id, Rendezvous& rendezvous, absl::Span<const Tensor> args,
       absl::Span<Tensor> returns, StepObserver* observer)
      : id_(id),
        rendezvous_(rendezvous),
        args_(args),
        returns_(returns),
        observer_(observer) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  int64_t id() const { return id_; }
  Rendezvous& rendezvous() { return rendezvous_; }
  Cancellation& cancellation() { return cancellation_; }
  ResourceStore& resources() { return resources_; }  // end with the step
  absl::Span<const Tensor> args() const { return args_; }
  absl::Span<Tensor> returns() const { return returns_; }
  StepObserver* observer() const { return observer_; }

  // Records an error; the first that is not derived from another's abort
  // decides. Then cancels what waits and aborts the rendezvous. Thread-safe.
  void Fail(const absl::Status& status);

  // Nothing has failed, so it is worth going on.
  bool IsRunning() const { return !cancellation_.IsCancelled(); }

  // The outcome, once nothing of it runs any more.
  absl::Status status() const;

 private:
  const int64_t id_;
  Rendezvous& rendezvous_;
  const absl::Span<const Tensor> args_;
  const absl::Span<Tensor> returns_;
  StepObserver* const observer_;
  Cancellation cancellation_;
  ResourceStore resources_;

  mutable Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_H_
