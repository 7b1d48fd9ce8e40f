// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "leat/core/check.h"
#include "leat/runtime/executor/merge_count.h"
#include "leat/runtime/executor/propagator.h"

namespace leat {

using Instruction = Program::Instruction;
using Successor = Program::Successor;

namespace {

// Returns Activation::taken of a Merge. The read is atomic, because another
// thread may deliver a live input to the Merge at the same time and try to
// change the number.
int32_t TakenBy(const Instruction& merge, Activation& activation) {
  return std::atomic_ref<int32_t>(activation.taken(merge.local_index))
      .load(std::memory_order_acquire);
}

}  // namespace

bool FlatPropagator::Run(const Ready& item) const {
  const Instruction& instruction = program_.instruction(item.instruction);
  Activation& activation = *item.activation;
  if (instruction.kind == InstructionKind::kMerge) {
    // The Merge took its input when that input arrived (ArriveAtMerge). Other
    // inputs may arrive now.
    if (!item.dead) {
      return runner_.RunMerge(instruction, TakenBy(instruction, activation),
                              activation);
    }
    runner_.SetOutputsDead(instruction, activation);
    return true;
  }
  if (item.dead && instruction.kind != InstructionKind::kSend) {
    runner_.SetOutputsDead(instruction, activation);
    runner_.ReleaseInputs<true>(instruction, activation);
    return true;
  }
  return runner_.Run<true>(instruction, activation, item.dead);
}

void FlatPropagator::Propagate(const Ready& done, ReadyList& ready) const {
  Deliver(program_.instruction(done.instruction), *done.activation, done.dead,
          /*entering=*/false, ready);
}

void FlatPropagator::Deliver(const Instruction& from, Activation& activation,
                             bool all_dead, bool entering,
                             ReadyList& ready) const {
  for (const Successor& edge : program_.Successors(from)) {
    const Instruction& to = program_.instruction(edge.instruction);
    const bool is_control = edge.input == Successor::kControl;
    const bool dead =
        all_dead || (!is_control && activation.slots[edge.slot].dead);
    bool is_dead = false;
    if (to.kind == InstructionKind::kMerge) {
      if (!ArriveAtMerge(to, edge, activation, dead, entering)) continue;
      is_dead = TakenBy(to, activation) < 0;
    } else {
      int32_t& dead_mark = activation.dead(to.local_index);
      if (dead) {
        std::atomic_ref<int32_t>(dead_mark).store(1, std::memory_order_relaxed);
      }
      if (!TakeLast<true>(activation.pending(to.local_index))) continue;
      is_dead = dead_mark != 0 && to.kind != InstructionKind::kControlTrigger;
    }
    ready.push_back({.instruction = edge.instruction,
                     .dead = is_dead,
                     .activation = &activation});
  }
}

bool FlatPropagator::ArriveAtMerge(const Instruction& merge,
                                   const Successor& edge,
                                   Activation& activation, bool dead,
                                   bool entering) const {
  int32_t& count = activation.pending(merge.local_index);
  int32_t& taken = activation.taken(merge.local_index);
  if (edge.input == Successor::kControl) {
    return merge_count::Control(count, merge.num_inputs);
  }
  if (!dead) return merge_count::LiveInput(count, taken, edge.input);
  if (entering) {
    return merge_count::DeadEnter(count, taken, merge.num_inputs);
  }
  return merge_count::DeadInput(count, merge.num_inputs);
}

}  // namespace leat
