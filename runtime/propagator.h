// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Propagators: after an instruction, which ones have all they wait for? Three,
// from the cheapest to the most general; the compiler picks one per Program.
// All are thread-safe between Start and the step's end.
#ifndef LEAT_RUNTIME_PROPAGATOR_H_
#define LEAT_RUNTIME_PROPAGATOR_H_

#include <cstdint>
#include <vector>

#include "leat/core/mutex.h"
#include "leat/runtime/activation.h"
#include "leat/runtime/instruction_runner.h"
#include "leat/runtime/program.h"

namespace leat {

// An instruction that is ready, where, and whether it is dead.
struct Ready {
  int32_t instruction = 0;
  bool dead = false;
  Activation* activation = nullptr;
};
using ReadyList = std::vector<Ready>;

// Nothing is ever dead: counts only.
class StraightPropagator {
 public:
  StraightPropagator(const Program& program, const InstructionRunner& runner)
      : program_(program), runner_(runner) {}

  // Runs a ready synchronous instruction; false when the step failed.
  bool Run(const Ready& item) const {
    return runner_.Run<true>(program_.instruction(item.instruction),
                             *item.activation);
  }
  // Adds to `ready` what an instruction that has run, or is dead, makes ready.
  void Propagate(const Ready& done, ReadyList& ready) const;

  // The step has ended; nothing else runs.
  void Clear() {}

 private:
  const Program& program_;
  const InstructionRunner& runner_;
};

// Branches: a dead instruction does not run and makes its consumers dead; a
// Merge takes the first live input.
class FlatPropagator {
 public:
  FlatPropagator(const Program& program, const InstructionRunner& runner)
      : program_(program), runner_(runner) {}

  bool Run(const Ready& item) const;
  void Propagate(const Ready& done, ReadyList& ready) const;
  void Clear() {}

  // The outputs of `from` have come to `activation`: adds what became ready.
  // `all_dead`: `from` did not run; `entering`: it is an Enter.
  void Deliver(const Program::Instruction& from, Activation& activation,
               bool all_dead, bool entering, ReadyList& ready) const;

 private:
  bool RunMerge(const Program::Instruction& merge,
                Activation& activation) const;
  bool ArriveAtMerge(const Program::Instruction& merge,
                     const Program::Successor& edge, Activation& activation,
                     bool dead, bool entering) const;

  const Program& program_;
  const InstructionRunner& runner_;
};

// Loops: Enter, Exit and NextIteration carry values from one activation to
// another; iterations run in parallel and end in order.
class FramedPropagator {
 public:
  FramedPropagator(const Program& program, const InstructionRunner& runner)
      : program_(program),
        runner_(runner),
        flat_(program, runner),
        spare_(program.frames().size()) {}

  bool Run(const Ready& item) const;
  void Propagate(const Ready& done, ReadyList& ready);
  void Clear();

 private:
  using Instruction = Program::Instruction;

  bool TakeValue(const Ready& done, Value& value) const;
  void Enter(const Ready& done, ReadyList& ready);
  void Exit(const Ready& done, ReadyList& ready);
  bool PlaceExit(const Ready& done, const Value& value, ReadyList& ready);
  void NextIteration(const Ready& done, ReadyList& ready);

  // Puts a value into an activation's slot and tells its consumers.
  void Place(int32_t instruction, const Value& value, Activation& activation,
             ReadyList& ready);
  Loop& FindOrAddLoop(const Instruction& enter, Activation& parent)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Activation& StartIteration(Loop& loop, ReadyList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::unique_ptr<Activation> TakeActivation(int32_t frame)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void GiveActivation(int32_t frame, std::unique_ptr<Activation> activation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends what has nothing left to do, from this loop outwards.
  void EndIterations(Loop* loop, ReadyList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends a loop; returns the one that it was entered from, null for none.
  Loop* EndLoop(Loop& loop, ReadyList& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Program& program_;
  const InstructionRunner& runner_;
  const FlatPropagator flat_;

  Mutex mutex_;  // of all loops
  std::vector<std::unique_ptr<Loop>> root_loops_ ABSL_GUARDED_BY(mutex_);
  // By frame: of ended iterations, for the next ones, of later steps too.
  std::vector<std::vector<std::unique_ptr<Activation>>> spare_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_PROPAGATOR_H_
