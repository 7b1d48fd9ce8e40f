// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OrderedRunner runs a step of a program with loops on one thread. It takes the
// instructions of each iteration in the order that the compiler has found
// (Program::FrameLayout::order), so it counts no edges and keeps no lists of
// ready instructions. A program runs like this if none of its instructions is
// asynchronous or expensive, because several threads would not run it faster.
#ifndef LEAT_RUNTIME_EXECUTOR_ORDERED_RUNNER_H_
#define LEAT_RUNTIME_EXECUTOR_ORDERED_RUNNER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "leat/runtime/executor/activation.h"
#include "leat/runtime/executor/instruction_runner.h"
#include "leat/runtime/executor/program.h"

namespace leat {

// Serves one step at a time, on one thread. The program and the runner are
// borrowed and must outlive this object. The memory of an iteration is reused
// for later iterations and steps.
class OrderedRunner {
 public:
  // REQUIRES: program.has_order().
  OrderedRunner(const Program& program, const InstructionRunner& runner);

  // Runs all instructions of the program once, and the loops as often as they
  // turn. Stops when the step fails or is cancelled. Then no values are left.
  void Run();

 private:
  using Instruction = Program::Instruction;

  // Is a value on its way into an iteration. `instruction` is the Enter or
  // NextIteration that the value comes from.
  struct Incoming {
    int32_t instruction = 0;
    Value value = {};
  };

  // Holds the current iteration of the loop with one frame. A frame has one
  // iteration at a time.
  struct Turn {
    explicit Turn(const Program::FrameLayout& layout) : activation(layout) {}

    Activation activation;
    Loop loop = {};
    std::vector<int32_t> exits = {};        // all Exits of the frame
    std::vector<Incoming> invariants = {};  // given to every iteration
    std::vector<Incoming> incoming = {};    // given to the next iteration
    std::vector<int32_t> live_exits = {};   // Exits that have passed a value on
  };

  // These functions return false when the step has failed or was cancelled.
  //
  // Runs the instructions and the inner loops of one iteration.
  bool RunIteration(int32_t frame, Activation& activation);
  // Runs the iterations of a loop that was entered from `parent`.
  bool RunLoop(int32_t frame, Activation& parent);
  // Runs one instruction, or marks its outputs dead.
  bool RunOne(int32_t index, Activation& activation);
  bool RunMerge(const Instruction& merge, Activation& activation);
  // Takes the value of an Enter, Exit or NextIteration to where it goes.
  bool Transfer(int32_t index, Activation& activation);
  bool Exit(int32_t index, Activation& activation, Value value);

  // Gives an iteration its invariants and the values that were passed to it.
  void BeginIteration(Turn& turn);
  // Gives `parent` a dead value for each Exit through which no value came.
  void EndLoop(Turn& turn);
  // Puts a value into the slot of an instruction's output.
  void Place(int32_t index, const Value& value, Activation& activation);
  // Marks the instructions as dead that read a dead output of `from`. If
  // `all_dead` is true, marks everything that waits for `from`.
  void MarkDead(const Instruction& from, Activation& activation, bool all_dead);
  // Drops all values of a step that has failed.
  void Clear();

  const Program& program_;
  const InstructionRunner& runner_;
  Activation root_;
  std::vector<std::unique_ptr<Turn>> turns_;  // by frame; null for frame 0
};

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_ORDERED_RUNNER_H_
