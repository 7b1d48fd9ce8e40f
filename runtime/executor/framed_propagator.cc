// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "leat/runtime/executor/propagator.h"

namespace leat {
namespace {

// If `count` is above 1, subtracts one and returns true. Otherwise returns
// false. Only a thread that holds the lock may change the count to 0, because
// an iteration can end as soon as its count is 0.
bool DecrementUnlessLast(std::atomic<int64_t>& count) {
  int64_t value = count.load(std::memory_order_relaxed);
  while (value > 1) {
    if (count.compare_exchange_weak(value, value - 1,
                                    std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;
}

bool Contains(const std::vector<int32_t>& list, int32_t element) {
  return std::find(list.begin(), list.end(), element) != list.end();
}

}  // namespace

bool FramedPropagator::Run(const Ready& item) const {
  const Instruction& instruction = program_.instruction(item.instruction);
  if (!IsTransfer(instruction.kind)) return flat_.Run(item);
  // Enter, Exit and NextIteration have no kernels: Propagate does their work.
  if (runner_.IsObserved() && !item.dead) {
    runner_.Observe(instruction, *item.activation,
                    std::chrono::steady_clock::now());
  }
  return true;
}

void FramedPropagator::Propagate(const Ready& done, ReadyList& ready) {
  const size_t first_new = ready.size();
  switch (program_.instruction(done.instruction).kind) {
    case InstructionKind::kEnter:
      Enter(done, ready);
      break;
    case InstructionKind::kExit:
      Exit(done, ready);
      break;
    case InstructionKind::kNextIteration:
      NextIteration(done, ready);
      break;
    default:
      flat_.Propagate(done, ready);
      // In the count of outstanding instructions, the first new instruction
      // takes the place of the one that is done.
      if (const size_t added = ready.size() - first_new; added > 0) {
        if (added > 1) {
          done.activation->outstanding.fetch_add(
              static_cast<int64_t>(added) - 1, std::memory_order_relaxed);
        }
        return;
      }
  }
  if (done.activation->loop == nullptr ||
      DecrementUnlessLast(done.activation->outstanding)) {
    return;
  }
  MutexLock lock(mutex_);
  if (done.activation->outstanding.fetch_sub(1, std::memory_order_acq_rel) ==
      1) {
    EndIterations(done.activation->loop, ready);
  }
}

void FramedPropagator::Clear() {
  MutexLock lock(mutex_);
  root_loops_.clear();
}

bool FramedPropagator::TakeValue(const Ready& done, Value& value) const {
  const Instruction& transfer = program_.instruction(done.instruction);
  if (!done.dead) {
    return runner_.TakeInput(transfer, 0, *done.activation, value);
  }
  runner_.ReleaseInputs<true>(transfer, *done.activation);
  value = DeadValue();
  return true;
}

void FramedPropagator::Enter(const Ready& done, ReadyList& ready) {
  const Instruction& enter = program_.instruction(done.instruction);
  Value value;
  if (!TakeValue(done, value)) return;
  MutexLock lock(mutex_);
  Loop& loop = FindOrAddLoop(enter, *done.activation);
  --loop.missing_enters;
  if (enter.is_loop_invariant) {
    for (const auto& iteration : loop.iterations) {
      Place(done.instruction, value, *iteration, ready);
    }
    loop.invariants.push_back({done.instruction, std::move(value)});
  } else {
    // Iteration 0 cannot have ended, because this value was missing.
    Place(done.instruction, value, loop.at(0), ready);
  }
  EndIterations(&loop, ready);
}

void FramedPropagator::Exit(const Ready& done, ReadyList& ready) {
  Value value;
  if (!TakeValue(done, value)) return;
  if (!PlaceExit(done, value, ready)) {
    runner_.Fail(program_.instruction(done.instruction), *done.activation,
                 absl::InvalidArgumentError(
                     "a value left the loop in more than one iteration"));
  }
}

bool FramedPropagator::PlaceExit(const Ready& done, const Value& value,
                                 ReadyList& ready) {
  MutexLock lock(mutex_);
  Loop& loop = *done.activation->loop;
  if (done.dead) {
    if (done.activation->iteration == loop.num_started - 1) {
      loop.dead_exits.push_back(done.instruction);
    }
    return true;
  }
  if (Contains(loop.live_exits, done.instruction)) return false;
  loop.live_exits.push_back(done.instruction);
  Place(done.instruction, value, *loop.parent, ready);
  return true;
}

void FramedPropagator::NextIteration(const Ready& done, ReadyList& ready) {
  Activation& activation = *done.activation;
  Value value;
  if (!TakeValue(done, value)) return;
  if (done.dead) return;  // a loop ends when no NextIteration is live
  MutexLock lock(mutex_);
  Loop& loop = *activation.loop;
  if (activation.iteration == loop.num_started - 1) {
    const int32_t most = program_.frames()[loop.frame].parallel_iterations;
    if (static_cast<int32_t>(loop.iterations.size()) >= most) {
      loop.deferred.push_back({done.instruction, std::move(value)});
      return;
    }
    StartIteration(loop, ready);
  }
  Place(done.instruction, value, loop.at(activation.iteration + 1), ready);
}

void FramedPropagator::Place(int32_t instruction, const Value& value,
                             Activation& activation, ReadyList& ready) {
  const Instruction& from = program_.instruction(instruction);
  if (activation.readers()[from.first_output] != 0) {
    activation.slots[from.first_output] = value;
  }
  const size_t first_new = ready.size();
  flat_.Deliver(from, activation, value.dead,
                from.kind == InstructionKind::kEnter, ready);
  activation.outstanding.fetch_add(ready.size() - first_new,
                                   std::memory_order_relaxed);
}

Loop& FramedPropagator::FindOrAddLoop(const Instruction& enter,
                                      Activation& parent) {
  auto& loops = parent.loop == nullptr ? root_loops_ : parent.inner_loops;
  for (const auto& loop : loops) {
    if (loop->frame == enter.output_frame) return *loop;
  }
  const Program::FrameLayout& layout = program_.frames()[enter.output_frame];
  auto loop = std::make_unique<Loop>();
  loop->frame = enter.output_frame;
  loop->parent = &parent;
  loop->missing_enters = layout.num_enters;
  loop->id = LoopId(parent, layout);
  // The iteration that encloses the loop does not end before the loop.
  parent.outstanding.fetch_add(1, std::memory_order_relaxed);
  ReadyList none;
  StartIteration(*loop, none);
  loops.push_back(std::move(loop));
  return *loops.back();
}

Activation& FramedPropagator::StartIteration(Loop& loop, ReadyList& ready) {
  std::unique_ptr<Activation> activation = TakeActivation(loop.frame);
  activation->loop = &loop;
  activation->iteration = loop.num_started++;
  activation->scheduled.resize(
      runner_.IsObserved() ? activation->layout.num_instructions : 0);
  loop.iterations.push_back(std::move(activation));
  loop.dead_exits.clear();
  Activation& started = *loop.iterations.back();
  for (const Loop::Deferred& invariant : loop.invariants) {
    Place(invariant.instruction, invariant.value, started, ready);
  }
  return started;
}

std::unique_ptr<Activation> FramedPropagator::TakeActivation(int32_t frame) {
  std::vector<std::unique_ptr<Activation>>& spare = spare_[frame];
  if (spare.empty()) {
    return std::make_unique<Activation>(program_.frames()[frame]);
  }
  std::unique_ptr<Activation> activation = std::move(spare.back());
  spare.pop_back();
  activation->Reset();
  return activation;
}

void FramedPropagator::GiveActivation(int32_t frame,
                                      std::unique_ptr<Activation> activation) {
  constexpr size_t kMostSpare = 32;
  if (spare_[frame].size() >= kMostSpare) return;
  activation->Clear();
  spare_[frame].push_back(std::move(activation));
}

void FramedPropagator::EndIterations(Loop* loop, ReadyList& ready) {
  while (loop != nullptr) {
    while (!loop->iterations.empty() && loop->missing_enters == 0 &&
           loop->iterations.front()->outstanding.load(
               std::memory_order_acquire) == 0) {
      GiveActivation(loop->frame, std::move(loop->iterations.front()));
      loop->iterations.pop_front();
      if (loop->deferred.empty()) continue;
      Activation& started = StartIteration(*loop, ready);
      for (const Loop::Deferred& value : std::exchange(loop->deferred, {})) {
        Place(value.instruction, value.value, started, ready);
      }
    }
    if (!loop->iterations.empty()) return;
    loop = EndLoop(*loop, ready);
  }
}

Loop* FramedPropagator::EndLoop(Loop& loop, ReadyList& ready) {
  Activation& parent = *loop.parent;
  for (int32_t exit : loop.dead_exits) {
    if (!Contains(loop.live_exits, exit)) {
      Place(exit, DeadValue(), parent, ready);
    }
  }
  auto& loops = parent.loop == nullptr ? root_loops_ : parent.inner_loops;
  loops.erase(std::find_if(loops.begin(), loops.end(), [&](const auto& entry) {
    return entry.get() == &loop;
  }));
  const bool was_last =
      parent.outstanding.fetch_sub(1, std::memory_order_acq_rel) == 1;
  return was_last ? parent.loop : nullptr;
}

}  // namespace leat
