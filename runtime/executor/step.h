// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Step is one run of a planned graph. It holds what every device that takes
// part in the run shares: the step's id, its rendezvous, its cancellation, its
// temporary resources, its feeds and fetches, and its outcome.
#ifndef LEAT_RUNTIME_EXECUTOR_STEP_H_
#define LEAT_RUNTIME_EXECUTOR_STEP_H_

#include <cstdint>
#include <list>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/devices/step_observer.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/resource_store.h"
#include "leat/runtime/executor/launched_nodes.h"

namespace leat {

class CollectiveResolver;
class StepAllocations;

// Describes the call of a function for which a step runs.
struct StepCall {
  // Says in how many calls, one inside the other, the step runs. The step of a
  // client has depth 0.
  int depth = 0;
  // Holds the temporary resources of the calling step, which the step shares.
  // Is borrowed. Is null if the step has its own.
  ResourceStore* resources = nullptr;
};

// A Step is the state of one step on one task. LocalSession makes one per call
// of Run, and a worker makes one for its part of a step. A Step is thread-safe:
// the kernels of all devices use it at the same time. It must outlive every
// kernel of the step.
class Step {
 public:
  // Borrows the arguments until the step has ended. `args` are the fed tensors,
  // by position. `returns` are the places of the fetched tensors, by position.
  // `observer` is null if nobody watches the step. `allocations` is null if
  // nobody counts allocations. `call` describes the call for which the step
  // runs, if it runs for one. `collectives` is null if the step cannot run
  // collectives.
  Step(int64_t id, Rendezvous& rendezvous, absl::Span<const Tensor> args,
       absl::Span<Tensor> returns, StepObserver* observer,
       StepAllocations* allocations = nullptr, const StepCall& call = {},
       CollectiveResolver* collectives = nullptr)
      : id_(id),
        rendezvous_(rendezvous),
        args_(args),
        returns_(returns),
        observer_(observer),
        allocations_(allocations),
        collectives_(collectives),
        call_depth_(call.depth),
        resources_(call.resources != nullptr ? *call.resources
                                             : own_resources_) {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // Returns an id that differs from the ids of the other steps of the session.
  int64_t id() const { return id_; }
  // Returns the rendezvous, which carries the tensors that cross devices in
  // this step.
  Rendezvous& rendezvous() { return rendezvous_; }
  // Returns the cancellation, which wakes the waiting kernels when the step
  // fails.
  Cancellation& cancellation() { return cancellation_; }
  // Returns the store of the resources that are deleted when the step ends,
  // such as temporary variables. If the step runs for a call, they are deleted
  // when the calling step ends.
  ResourceStore& resources() { return resources_; }
  // Returns StepCall::depth.
  int call_depth() const { return call_depth_; }
  // Returns the fed tensors. `_Arg` with index i reads element i.
  absl::Span<const Tensor> args() const { return args_; }
  // Returns the fetched tensors. `_Retval` with index i writes element i, and
  // no other node does. An element stays invalid if its fetch is dead.
  absl::Span<Tensor> returns() const { return returns_; }
  // Returns the observer that is called after each run of a node, or null if
  // nobody watches the step.
  StepObserver* observer() const { return observer_; }
  // Returns the object that counts the memory that each node allocates, or null
  // if nobody counts it.
  StepAllocations* allocations() const { return allocations_; }
  // Returns the object that finds the groups of collectives, or null.
  CollectiveResolver* collectives() const { return collectives_; }

  // Records the error `status`, then cancels the kernels that wait and aborts
  // the rendezvous. The outcome of the step is the first error that is not
  // derived from the abort of another part of the step
  // (core/status_payloads.h), or the first error if all are derived. If the
  // outcome is DEADLINE_EXCEEDED, its message names the GPUs that the step
  // waits for. REQUIRES: `status` is not OK.
  void Fail(const absl::Status& status);
  // Does the same as Fail, but `cause` becomes the outcome even if the step has
  // failed before. Use it for an error that is found late and may have caused
  // the earlier errors.
  void FailWithCause(const absl::Status& cause);

  // BeginOnGpu must be called when the step begins on a GPU. It borrows the
  // name of the device, which must outlive the step. Its result belongs to the
  // step. EndOnGpu must be called when the GPU has run all work that the step
  // launched.
  LaunchedNodes& BeginOnGpu(absl::string_view device);
  void EndOnGpu(LaunchedNodes& launched);

  // Returns true while no error has been recorded. When this is false, no more
  // kernels should be started.
  bool IsRunning() const { return !cancellation_.IsCancelled(); }

  // Returns the outcome: OK or the error that Fail describes. It is final when
  // no kernel of the step runs any more.
  absl::Status status() const;

 private:
  // Returns `error` with each GPU for whose work the step waits now, and with
  // the nodes that launched last there.
  absl::Status WithAwaitedGpus(const absl::Status& error) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t id_;
  Rendezvous& rendezvous_;
  const absl::Span<const Tensor> args_;
  const absl::Span<Tensor> returns_;
  StepObserver* const observer_;
  StepAllocations* const allocations_;
  CollectiveResolver* const collectives_;
  const int call_depth_;
  Cancellation cancellation_;
  ResourceStore own_resources_;
  ResourceStore& resources_;

  mutable Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  std::list<LaunchedNodes> on_gpus_ ABSL_GUARDED_BY(mutex_);
};

// Describes the part of a step that runs on one device. Both members are
// borrowed.
struct StepPart {
  Step& step;
  LaunchedNodes* launched = nullptr;  // null if the device is not a GPU
};

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_STEP_H_
