// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Executor: runs one Program, for many steps at once.
//
// A node is ready when all its inputs are there (Kahn's algorithm on counts
// that a step resets with one memcpy). Cheap successors run on the thread that
// made them ready; of several expensive ones all but one go to the pool. What
// a tensor makes ready that was received goes there too, but for what is quick.
// A program without expensive or waiting nodes is run in order, without counts.
#ifndef LEAT_RUNTIME_EXECUTOR_H_
#define LEAT_RUNTIME_EXECUTOR_H_

#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "leat/core/mutex.h"
#include "leat/kernels/resource_store.h"
#include "leat/runtime/program.h"
#include "leat/runtime/step.h"

namespace leat {

// Thread-safe.
class Executor {
 public:
  using Done = absl::AnyInvocable<void() &&>;

  // `resources` is borrowed and outlives this.
  Executor(std::shared_ptr<const Program> program, ResourceStore& resources);
  // REQUIRES: no step is running.
  ~Executor();

  // Runs every node for `step`, which it tells of errors. The calling thread
  // works until there is nothing more for it to do. `done` is called exactly
  // once, when every kernel has called done, perhaps before this returns;
  // `step` and this outlive it.
  void Run(Step& step, Done done);

  // The same for a thread that is not to compute, of a transport: there it runs
  // a few quick instructions, which may be all there are, and leaves the rest
  // to the pool.
  void Start(Step& step, Done done);

  const Program& program() const { return *program_; }

 private:
  class Execution;
  class SequentialExecution;
  template <class Propagator>
  class ConcurrentExecution;

  std::unique_ptr<Execution> NewExecution() const;
  std::unique_ptr<Execution> Take();
  void Give(std::unique_ptr<Execution> execution);

  const std::shared_ptr<const Program> program_;
  ResourceStore& resources_;

  // The state of ended steps, kept for the next ones.
  Mutex mutex_;
  std::vector<std::unique_ptr<Execution>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_H_
