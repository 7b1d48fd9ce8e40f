// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Executor runs one Program, for many steps at the same time.
//
// An instruction is ready when all of its inputs have arrived. The executor
// counts the missing inputs (Kahn's algorithm), and resets the counts for each
// step with one memcpy.
//
// A thread runs the cheap instructions that it has made ready. It also keeps
// one of the expensive instructions, and gives the others to the compute pool.
// When a received tensor makes instructions ready, the receiving thread runs
// only the quick ones (CostClass::kQuick) and gives the others to the compute
// pool.
//
// Some programs have no expensive and no asynchronous instructions. If such a
// program has no control flow or has loops, one thread runs its instructions in
// order, without counts.
#ifndef LEAT_RUNTIME_EXECUTOR_EXECUTOR_H_
#define LEAT_RUNTIME_EXECUTOR_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/session_services.h"
#include "leat/runtime/executor/program.h"
#include "leat/runtime/executor/step.h"

namespace leat {

class FunctionCaller;

// Is thread-safe. An Executor shares the ownership of its program. It keeps the
// states of ended steps and reuses them for later steps.
class Executor {
 public:
  using Done = absl::AnyInvocable<void() &&>;

  // `session` has the program's device and the store of the device. `functions`
  // calls the functions that the program's kernels call, or is null if they
  // call none. It is borrowed and must outlive the Executor.
  Executor(std::shared_ptr<const Program> program, SessionServices session,
           FunctionCaller* functions = nullptr);
  // REQUIRES: no step is running.
  ~Executor();

  // Runs every instruction for `step`. If a kernel fails, calls step.Fail and
  // starts no further kernel. The calling thread works until no more
  // instructions are ready for it. The step may end later, on other threads.
  //
  // Calls `done` exactly once, on any thread, when every kernel that was
  // started has ended and, on a GPU, when all the work that the kernels have
  // queued has run. The call may come before Run returns. `step` and the
  // Executor must live until `done` is called.
  void Run(Step& step, Done done);

  // Does the same as Run. Use it on a thread that should not compute, such as a
  // thread of a transport. The calling thread runs at most 64 quick
  // instructions and gives the rest to the compute pool.
  void Start(Step& step, Done done);

  const Program& program() const { return *program_; }
  // Returns how many bytes a step needs for its values and counts outside of
  // loops, besides its tensors.
  int64_t step_bytes() const;

 private:
  // An Execution is the state of one step. The subclasses are for sequential
  // programs, for programs with loops that have an order, and for programs that
  // several threads may run.
  class Execution;
  class SequentialExecution;
  class OrderedExecution;
  template <class Propagator>
  class ConcurrentExecution;

  // Makes a state that fits the program's propagation.
  std::unique_ptr<Execution> NewExecution() const;
  // Returns an idle state, or a new one if all are in use.
  std::unique_ptr<Execution> Take();
  // Begins the part of `step` that this Executor runs. On a GPU, wraps `done`,
  // so that it is called only when the GPU has run all work of the step.
  StepPart Begin(Step& step, Done& done) const;
  // Must be called when the GPU has run all work of the step. `status` is the
  // result of GpuStream::Drain.
  void Drained(Step& step, LaunchedNodes& launched,
               const absl::Status& status) const;
  // Returns the error that a kernel of the step has found while it ran on the
  // GPU, such as an index that is out of range. Returns OK if there is none.
  // REQUIRES: the GPU has run all work of the step.
  absl::Status LateError(Step& step) const;
  // Returns an error if a kernel has already found an error on the GPU. This
  // error is marked as derived from the error that LateError will return.
  // Returns OK on a CPU. Must be called when an async kernel has completed, so
  // that a loop does not continue with wrong values.
  absl::Status EarlyError(Step& step) const;
  // Takes back the state of a step that has ended.
  void Give(std::unique_ptr<Execution> execution);

  const std::shared_ptr<const Program> program_;
  const SessionServices session_;
  FunctionCaller* const functions_;
  GpuStream* const stream_;  // null for a CPU

  // Holds the states of ended steps, for the next steps.
  Mutex mutex_;
  std::vector<std::unique_ptr<Execution>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_EXECUTOR_H_
