// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/ordered_runner.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace leat {
using Successor = Program::Successor;

OrderedRunner::OrderedRunner(const Program& program,
                             const InstructionRunner& runner)
    : program_(program),
      runner_(runner),
      root_(program.frames()[0]),
      turns_(program.frames().size()) {
  for (size_t i = 1; i < turns_.size(); ++i) {
    turns_[i] = std::make_unique<Turn>(program.frames()[i]);
    turns_[i]->activation.loop = &turns_[i]->loop;
    for (const int32_t item : program.frames()[i].order) {
      if (item >= 0 &&
          program.instruction(item).kind == InstructionKind::kExit) {
        turns_[i]->exits.push_back(item);
      }
    }
  }
}

void OrderedRunner::Run() {
  root_.Reset();
  if (!RunIteration(0, root_)) Clear();
  root_.Clear();  // what a dead or late consumer has left
}

bool OrderedRunner::RunIteration(int32_t frame, Activation& activation) {
  for (const int32_t item : program_.frames()[frame].order) {
    if (!runner_.step().IsRunning()) return false;
    if (!(item >= 0 ? RunOne(item, activation) : RunLoop(-item, activation))) {
      return false;
    }
  }
  return true;
}

bool OrderedRunner::RunLoop(int32_t frame, Activation& parent) {
  Turn& turn = *turns_[frame];
  turn.loop.parent = &parent;
  turn.loop.id = LoopId(parent, program_.frames()[frame]);
  turn.activation.iteration = 0;
  do {
    BeginIteration(turn);
    if (!RunIteration(frame, turn.activation)) return false;
    ++turn.activation.iteration;
  } while (!turn.incoming.empty());
  EndLoop(turn);
  return true;
}

void OrderedRunner::BeginIteration(Turn& turn) {
  turn.activation.Clear();
  turn.activation.Reset();
  for (const Incoming& each : turn.invariants) {
    Place(each.instruction, each.value, turn.activation);
  }
  for (const Incoming& each : turn.incoming) {
    Place(each.instruction, each.value, turn.activation);
  }
  turn.incoming.clear();
}

void OrderedRunner::EndLoop(Turn& turn) {
  for (const int32_t exit : turn.exits) {
    if (!absl::c_linear_search(turn.live_exits, exit)) {
      Place(exit, DeadValue(), *turn.loop.parent);
    }
  }
  turn.live_exits.clear();
  turn.invariants.clear();
  turn.activation.Clear();
}

bool OrderedRunner::RunOne(int32_t index, Activation& activation) {
  const Instruction& instruction = program_.instruction(index);
  if (IsTransfer(instruction.kind)) return Transfer(index, activation);
  if (instruction.kind == InstructionKind::kMerge) {
    return RunMerge(instruction, activation);
  }
  const bool dead = activation.dead(instruction.local_index) != 0 &&
                    instruction.kind != InstructionKind::kControlTrigger;
  if (dead && instruction.kind != InstructionKind::kSend) {
    runner_.SetOutputsDead(instruction, activation);
    runner_.ReleaseInputs<false>(instruction, activation);
    MarkDead(instruction, activation, /*all_dead=*/true);
    return true;
  }
  if (!runner_.Run<false>(instruction, activation, dead)) return false;
  for (int i = 0; i < instruction.num_outputs; ++i) {
    if (activation.slots[instruction.first_output + i].dead) {
      MarkDead(instruction, activation, /*all_dead=*/false);
      break;
    }
  }
  return true;
}

bool OrderedRunner::RunMerge(const Instruction& merge, Activation& activation) {
  const absl::Span<const int32_t> inputs = program_.InputSlots(merge);
  for (int i = 0; i < merge.num_inputs; ++i) {
    const Value& value = activation.slots[inputs[i]];
    if (!value.dead && !value.IsEmpty()) {
      return runner_.RunMerge(merge, i, activation);
    }
  }
  runner_.SetOutputsDead(merge, activation);
  MarkDead(merge, activation, /*all_dead=*/true);
  return true;
}

bool OrderedRunner::Transfer(int32_t index, Activation& activation) {
  const Instruction& transfer = program_.instruction(index);
  Value value = DeadValue();
  if (activation.dead(transfer.local_index) != 0) {
    runner_.ReleaseInputs<false>(transfer, activation);
  } else {
    if (runner_.IsObserved()) {
      runner_.Observe(transfer, activation, std::chrono::steady_clock::now());
    }
    if (!runner_.TakeInput(transfer, 0, activation, value)) return false;
  }
  switch (transfer.kind) {
    case InstructionKind::kEnter: {
      Turn& turn = *turns_[transfer.output_frame];
      auto& values =
          transfer.is_loop_invariant ? turn.invariants : turn.incoming;
      values.push_back({index, std::move(value)});
      return true;
    }
    case InstructionKind::kExit:
      return Exit(index, activation, std::move(value));
    default:
      // A loop ends when no NextIteration is live.
      if (!value.dead) {
        turns_[transfer.frame]->incoming.push_back({index, std::move(value)});
      }
      return true;
  }
}

bool OrderedRunner::Exit(int32_t index, Activation& activation, Value value) {
  if (value.dead) return true;  // EndLoop gives the dead value
  const Instruction& exit = program_.instruction(index);
  std::vector<int32_t>& live = turns_[exit.frame]->live_exits;
  if (absl::c_linear_search(live, index)) {
    runner_.Fail(exit, activation,
                 absl::InvalidArgumentError(
                     "a value left the loop in more than one iteration"));
    return false;
  }
  live.push_back(index);
  Place(index, value, *activation.loop->parent);
  return true;
}

void OrderedRunner::Place(int32_t index, const Value& value,
                          Activation& activation) {
  const Instruction& from = program_.instruction(index);
  if (activation.readers()[from.first_output] != 0) {
    activation.slots[from.first_output] = value;
  }
  if (value.dead) MarkDead(from, activation, /*all_dead=*/true);
}

void OrderedRunner::MarkDead(const Instruction& from, Activation& activation,
                             bool all_dead) {
  for (const Successor& edge : program_.Successors(from)) {
    const Instruction& to = program_.instruction(edge.instruction);
    if (to.kind == InstructionKind::kMerge) continue;  // see RunMerge
    if (all_dead || (edge.input != Successor::kControl &&
                     activation.slots[edge.slot].dead)) {
      activation.dead(to.local_index) = 1;
    }
  }
}

void OrderedRunner::Clear() {
  for (size_t i = 1; i < turns_.size(); ++i) {
    Turn& turn = *turns_[i];
    turn.activation.Clear();
    turn.invariants.clear();
    turn.incoming.clear();
    turn.live_exits.clear();
  }
}

}  // namespace leat
