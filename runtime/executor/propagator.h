// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// After an instruction has run, a propagator finds the instructions that have
// become ready. There are three propagators, from the cheapest to the most
// general. The compiler picks one of them for each Program
// (Program::propagation).
//
// - StraightPropagator counts edges. Nothing can be dead.
// - FlatPropagator also tracks what is dead, and which input a Merge has taken.
// - FramedPropagator also tracks the loops that are entered, and their
//   iterations.
//
// All three have the same functions. The program and the runner are borrowed
// and must outlive the propagator. A propagator serves one step at a time, and
// is thread-safe between the start and the end of a step.
#ifndef LEAT_RUNTIME_EXECUTOR_PROPAGATOR_H_
#define LEAT_RUNTIME_EXECUTOR_PROPAGATOR_H_

#include <cstdint>
#include <vector>

#include "leat/core/threads/mutex.h"
#include "leat/runtime/executor/activation.h"
#include "leat/runtime/executor/instruction_runner.h"
#include "leat/runtime/executor/program.h"

namespace leat {

// Describes an instruction that is ready, the iteration in which it is ready,
// and whether it is dead.
struct Ready {
  int32_t instruction = 0;
  bool dead = false;
  Activation* activation = nullptr;
};
using ReadyList = std::vector<Ready>;

// Propagates in programs in which nothing can be dead. It counts the edges that
// are still to come, and keeps nothing else.
class StraightPropagator {
 public:
  StraightPropagator(const Program& program, const InstructionRunner& runner)
      : program_(program), runner_(runner) {}

  // Runs a ready synchronous instruction. If the instruction fails, the step
  // fails, and Run returns false.
  bool Run(const Ready& item) const {
    return runner_.Run<true>(program_.instruction(item.instruction),
                             *item.activation);
  }
  // Must be called when an instruction has run or is dead. Appends to `ready`
  // the instructions that have become ready as a result.
  void Propagate(const Ready& done, ReadyList& ready) const;

  // Must be called when the step has ended and no thread works on it any more.
  void Clear() {}

 private:
  const Program& program_;
  const InstructionRunner& runner_;
};

// Propagates in programs with branches. A dead instruction does not run and
// makes its consumers dead; a Merge takes its first live input.
class FlatPropagator {
 public:
  FlatPropagator(const Program& program, const InstructionRunner& runner)
      : program_(program), runner_(runner) {}

  // These functions do the same as in StraightPropagator.
  bool Run(const Ready& item) const;
  void Propagate(const Ready& done, ReadyList& ready) const;
  void Clear() {}

  // Tells the consumers in `activation` that the outputs of `from` have come,
  // and appends the consumers that became ready to `ready`. If `all_dead` is
  // true, all outputs are dead. If `entering` is true, `from` is an Enter.
  void Deliver(const Program::Instruction& from, Activation& activation,
               bool all_dead, bool entering, ReadyList& ready) const;

 private:
  // Counts an edge that has come to a Merge. Returns true if that makes the
  // Merge ready.
  bool ArriveAtMerge(const Program::Instruction& merge,
                     const Program::Successor& edge, Activation& activation,
                     bool dead, bool entering) const;

  const Program& program_;
  const InstructionRunner& runner_;
};

// Propagates in programs with loops. Enter, Exit and NextIteration carry values
// from one activation to another. The iterations of a loop run in parallel and
// end in order.
class FramedPropagator {
 public:
  FramedPropagator(const Program& program, const InstructionRunner& runner)
      : program_(program),
        runner_(runner),
        flat_(program, runner),
        spare_(program.frames().size()) {}

  // These functions do the same as in StraightPropagator. Clear also drops the
  // loops of a step that has failed.
  bool Run(const Ready& item) const;
  void Propagate(const Ready& done, ReadyList& ready);
  void Clear();

 private:
  using Instruction = Program::Instruction;

  // Takes the value that an Enter, Exit or NextIteration hands on. The value
  // may have to be read from a variable. If that fails, makes the step fail and
  // returns false.
  bool TakeValue(const Ready& done, Value& value) const;
  // Puts the value into the first iteration of a loop, or into all iterations
  // if the value is loop-invariant. The first Enter that comes starts the loop.
  void Enter(const Ready& done, ReadyList& ready);
  // Puts the value into the activation from which the loop was entered.
  void Exit(const Ready& done, ReadyList& ready);
  // Does the work of Exit. Returns false if this Exit has already passed a
  // value out of the loop.
  bool PlaceExit(const Ready& done, const Value& value, ReadyList& ready);
  // Puts the value into the next iteration, and starts that iteration if it has
  // not been started. If too many iterations are under way, defers the value
  // instead.
  void NextIteration(const Ready& done, ReadyList& ready);

  // Puts a value into the output slot of `instruction` in `activation`, and
  // tells the consumers in `activation`.
  void Place(int32_t instruction, const Value& value, Activation& activation,
             ReadyList& ready);
  // Returns the loop that `enter` enters from the activation `parent`. Starts
  // the loop if this is the first of its Enters to arrive.
  Loop& FindOrAddLoop(const Instruction& enter, Activation& parent)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts the next iteration of a loop, and gives it the loop invariants.
  Activation& StartIteration(Loop& loop, ReadyList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns a fresh activation of a frame.
  std::unique_ptr<Activation> TakeActivation(int32_t frame)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Keeps an activation for later iterations of the frame.
  void GiveActivation(int32_t frame, std::unique_ptr<Activation> activation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the iterations of `loop` that have nothing left to do. If this ends
  // the loop, does the same for the loop around it, and so on.
  void EndIterations(Loop* loop, ReadyList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends a loop. All of its iterations must have ended. If the loop was entered
  // from an iteration of an outer loop, and that iteration now has nothing left
  // to do, returns the outer loop. Otherwise returns null.
  Loop* EndLoop(Loop& loop, ReadyList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Program& program_;
  const InstructionRunner& runner_;
  const FlatPropagator flat_;

  Mutex mutex_;  // guards all loops
  // Holds the loops that were not entered from another loop.
  std::vector<std::unique_ptr<Loop>> root_loops_ ABSL_GUARDED_BY(mutex_);
  // Holds the activations of ended iterations, by frame. Later iterations of
  // this step and of later steps reuse them.
  std::vector<std::vector<std::unique_ptr<Activation>>> spare_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_PROPAGATOR_H_
