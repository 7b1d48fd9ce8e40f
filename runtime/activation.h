// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Activation: the values and counts of one iteration of a loop, or of the step
// outside of loops. Loop: one entry into a frame, with its iterations.
#ifndef LEAT_RUNTIME_ACTIVATION_H_
#define LEAT_RUNTIME_ACTIVATION_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "leat/core/buffer.h"
#include "leat/kernels/kernel_context.h"
#include "leat/runtime/program.h"

namespace leat {

struct Loop;

struct Activation {
  explicit Activation(const Program::FrameLayout& layout)
      : layout(layout),
        slots(layout.num_slots),
        counts(layout.initial_counts) {}

  void Reset() {
    std::memcpy(counts.data(), layout.initial_counts.data(),
                counts.size() * sizeof(int32_t));
  }
  void Clear() {
    for (Value& value : slots) {
      if (!value.IsEmpty()) value.Clear();
    }
  }

  // See Program::FrameLayout::initial_counts. Indexed by local index, or slot.
  int32_t& pending(int i) { return counts[i]; }
  int32_t* readers() { return counts.data() + layout.num_instructions; }
  int32_t& dead(int i) {
    return counts[layout.num_instructions + layout.num_slots + i];
  }
  int32_t& taken(int i) {
    return counts[2 * layout.num_instructions + layout.num_slots + i];
  }

  const Program::FrameLayout& layout;
  std::vector<Value> slots;
  std::vector<int32_t> counts;
  // When instructions became ready, by local index; empty unless the step is
  // observed and several threads work on it.
  std::vector<std::chrono::steady_clock::time_point> scheduled;

  // Of a loop's iteration only.
  Loop* loop = nullptr;
  int64_t iteration = 0;
  // Ready and running instructions, and loops entered from here. Whoever takes
  // the last one away looks whether the iteration has ended.
  std::atomic<int64_t> outstanding{0};
  std::vector<std::unique_ptr<Loop>> inner_loops;  // guarded as Loop is
};

// One entry into a frame. Guarded by the mutex of the execution's loops.
struct Loop {
  // A value that came too early: its iteration waits for an earlier one to end.
  struct Deferred {
    int32_t instruction = 0;
    Value value = {};
  };

  int32_t frame = 0;
  Activation* parent = nullptr;
  uint64_t id = 0;  // in rendezvous keys: equal on every device
  int32_t missing_enters = 0;
  int64_t num_started = 0;  // iterations
  // Those started and not ended: the last is number num_started - 1.
  std::deque<std::unique_ptr<Activation>> iterations;
  std::vector<Deferred> invariants;  // given to every iteration
  std::vector<Deferred> deferred;    // into the iteration not yet started
  std::vector<int32_t> live_exits;   // that have left the loop
  // Exits that were dead in the newest iteration: dead if the loop ends so.
  std::vector<int32_t> dead_exits;

  // REQUIRES: it has started and not ended.
  Activation& at(int64_t iteration) const {
    return *iterations[iteration - (num_started - iterations.size())];
  }
};

}  // namespace leat

#endif  // LEAT_RUNTIME_ACTIVATION_H_
