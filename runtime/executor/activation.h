// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Activation and Loop hold the state of a step that runs in one executor. The
// propagators (propagator.h) decide how this state changes.
#ifndef LEAT_RUNTIME_EXECUTOR_ACTIVATION_H_
#define LEAT_RUNTIME_EXECUTOR_ACTIVATION_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "leat/core/buffer.h"
#include "leat/core/hash64.h"
#include "leat/kernels/kernel_context.h"
#include "leat/runtime/executor/program.h"

namespace leat {

struct Loop;

// Holds the values and counts of one iteration of a loop or, for frame 0, of
// all nodes outside of loops. The FrameLayout must outlive the Activation.
//
// The threads that run the step share an Activation without a lock. The counts
// change by atomic operations. The producer of a value writes it into its slot
// before the consumers become ready. The last reader clears the slot.
struct Activation {
  explicit Activation(const Program::FrameLayout& layout)
      : layout(layout),
        slots(layout.num_slots),
        counts(layout.initial_counts) {}

  // Sets all counts to those of a new iteration. REQUIRES: all slots are empty,
  // as after Clear or after every value has been read.
  void Reset() {
    std::memcpy(counts.data(), layout.initial_counts.data(),
                counts.size() * sizeof(int32_t));
  }
  // Drops all values, for a step that has failed or an iteration that has
  // ended.
  void Clear() {
    for (Value& value : slots) {
      if (!value.IsEmpty()) value.Clear();
    }
  }

  // The four functions below return parts of `counts`, whose layout
  // FrameLayout::initial_counts describes. `i` is the local index of an
  // instruction in the frame.
  //
  // Returns the number of edges that instruction `i` still waits for. The count
  // of a Merge has the form that merge_count.h describes.
  int32_t& pending(int i) { return counts[i]; }
  // Returns an array that has, for each slot, the number of reads that are
  // still to come.
  int32_t* readers() { return counts.data() + layout.num_instructions; }
  // Returns a number that is not 0 if a dead input or a dead control edge of
  // instruction `i` has arrived. The number is always 0 for a Merge, because
  // pending(i) counts the dead inputs of a Merge. REQUIRES: the program is not
  // straight.
  int32_t& dead(int i) {
    return counts[layout.num_instructions + layout.num_slots + i];
  }
  // Returns the index of the input that Merge `i` has taken. The index is
  // merge_count::kNone or merge_count::kDead if the Merge has taken no input.
  // REQUIRES: the program is not straight.
  int32_t& taken(int i) {
    return counts[2 * layout.num_instructions + layout.num_slots + i];
  }

  const Program::FrameLayout& layout;
  std::vector<Value> slots;     // by slot number
  std::vector<int32_t> counts;  // see the functions above
  // Holds the times at which the instructions became ready, by local index. The
  // vector is empty if the step is not observed or the program is sequential.
  std::vector<std::chrono::steady_clock::time_point> scheduled;

  // The members below are used only by an iteration of a loop. `loop` is null
  // outside of loops.
  Loop* loop = nullptr;
  int64_t iteration = 0;  // counted from 0
  // Is the number of instructions of this iteration that are ready or running,
  // plus the number of loops that were entered from this iteration and have not
  // ended. The thread that brings the number down to 0 checks whether the
  // iteration has ended.
  std::atomic<int64_t> outstanding{0};
  // Holds the loops entered from this iteration. The mutex that guards Loop
  // guards them, too.
  std::vector<std::unique_ptr<Loop>> inner_loops;
};

// Describes one entry into a frame, with the iterations that have been started
// and have not ended. Is guarded by the mutex of the FramedPropagator that owns
// it.
struct Loop {
  // Is a value for an iteration that has not been started yet. `instruction` is
  // the Enter or NextIteration that the value comes from.
  struct Deferred {
    int32_t instruction = 0;
    Value value = {};
  };

  int32_t frame = 0;             // index into Program::frames()
  Activation* parent = nullptr;  // the loop was entered from here
  // Is the frame id in rendezvous keys. It is the same on every device.
  uint64_t id = 0;
  int32_t missing_enters = 0;  // Enters that have not arrived yet
  int64_t num_started = 0;     // iterations that were started, ended or not
  // Holds the iterations that were started and have not ended, in order. The
  // last one is number `num_started` - 1.
  std::deque<std::unique_ptr<Activation>> iterations;
  std::vector<Deferred> invariants;  // given to every iteration
  std::vector<Deferred> deferred;    // for iteration `num_started`
  std::vector<int32_t> live_exits;   // Exits that were live in an iteration
  // Holds the Exits that were dead in the newest iteration. If the loop ends
  // with that iteration, the consumers outside of the loop get a dead value
  // from each of these Exits that is not in `live_exits`.
  std::vector<int32_t> dead_exits;

  // Returns the iteration with this number. REQUIRES: it was started and has
  // not ended.
  Activation& at(int64_t iteration) const {
    return *iterations[iteration - (num_started - iterations.size())];
  }
};

// Returns what a node that did not run gives to its consumers.
inline Value DeadValue() {
  Value value;
  value.dead = true;
  return value;
}

// Returns Loop::id of a loop that is entered from `parent`.
inline uint64_t LoopId(const Activation& parent,
                       const Program::FrameLayout& layout) {
  return Hash64Combine(parent.loop == nullptr ? 0 : parent.loop->id,
                       Hash64Combine(static_cast<uint64_t>(parent.iteration),
                                     Hash64(layout.name)));
}

}  // namespace leat

#endif  // LEAT_RUNTIME_EXECUTOR_ACTIVATION_H_
