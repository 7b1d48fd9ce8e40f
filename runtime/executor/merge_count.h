// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions update the count of a Merge instruction. A Merge is ready
// when all of its control edges and one live input have arrived. It is also
// ready when all of its control edges and all of its inputs have arrived and
// every input is dead. In that case the Merge is dead, too. The count is one
// word, so that threads need no lock:
//
//   bit 0       set while no live input has arrived
//   bits 1-15   number of control edges still to come
//   bits 16-31  number of dead inputs that have arrived, unsigned
//
// The functions that change a count are thread-safe. Callers pass references to
// two words of an Activation: `count` and `taken`.
//
// For example, a Merge with one control edge begins with the count 3. A dead
// input changes the count to 3 + 2^16, the control edge to 1 + 2^16, and a live
// input to 2^16. Now the Merge is ready.
#ifndef LEAT_RUNTIME_EXECUTOR_MERGE_COUNT_H_
#define LEAT_RUNTIME_EXECUTOR_MERGE_COUNT_H_

#include <atomic>
#include <cstdint>

namespace leat::merge_count {

// Limits the number of inputs of a Merge. The number of its control edges has
// the same limit.
inline constexpr int kMaxEdges = (1 << 14) - 1;
// These are the parts of a count. An edge that arrives subtracts kNoLiveInput
// or kOneControl from the count, or adds kOneDead.
inline constexpr int32_t kNoLiveInput = 1;
inline constexpr int32_t kOneControl = 2;
inline constexpr int32_t kControlMask = 0xfffe;
inline constexpr int32_t kOneDead = 1 << 16;

// Returns the count with which an iteration begins.
constexpr int32_t Initial(int num_controls) {
  return kNoLiveInput + num_controls * kOneControl;
}

// Returns true if a Merge with this count and number of inputs is ready.
inline bool IsReady(int32_t count, int num_inputs) {
  if ((count & kControlMask) != 0) return false;
  return (count & kNoLiveInput) == 0 || count / kOneDead >= num_inputs;
}

// These are values of `taken` that are not the index of an input. kNone says
// that no input has been taken. kDead says that no input will ever be taken,
// because a dead Enter has arrived.
inline constexpr int32_t kNone = -1;
inline constexpr int32_t kDead = -2;

// Each of the functions below records the arrival of one edge and returns
// whether that edge made the Merge ready.

// Records a live input, whose index is `input`. The Merge takes the first live
// input and does not use later ones.
inline bool LiveInput(int32_t& count, int32_t& taken, int32_t input) {
  int32_t none = kNone;
  if (!std::atomic_ref<int32_t>(taken).compare_exchange_strong(
          none, input, std::memory_order_acq_rel)) {
    return false;
  }
  const int32_t before = std::atomic_ref<int32_t>(count).fetch_sub(
      kNoLiveInput, std::memory_order_acq_rel);
  return (before & kControlMask) == 0;
}
// Records a dead input.
inline bool DeadInput(int32_t& count, int num_inputs) {
  const int32_t before = std::atomic_ref<int32_t>(count).fetch_add(
      kOneDead, std::memory_order_acq_rel);
  // After a dead Enter the number of dead inputs may exceed `num_inputs`. The
  // Merge became ready by that Enter, not by this edge.
  return (before & kNoLiveInput) != 0 && before / kOneDead < num_inputs &&
         IsReady(before + kOneDead, num_inputs);
}
// Records a dead Enter. It counts as if all inputs were dead: the loop is not
// entered, so the Merge need not wait for the back edge.
inline bool DeadEnter(int32_t& count, int32_t& taken, int num_inputs) {
  int32_t none = kNone;
  if (!std::atomic_ref<int32_t>(taken).compare_exchange_strong(
          none, kDead, std::memory_order_acq_rel)) {
    return false;
  }
  const int32_t before = std::atomic_ref<int32_t>(count).fetch_add(
      num_inputs * kOneDead, std::memory_order_acq_rel);
  return (before & kControlMask) == 0;
}
// Records a control edge.
inline bool Control(int32_t& count, int num_inputs) {
  const int32_t before = std::atomic_ref<int32_t>(count).fetch_sub(
      kOneControl, std::memory_order_acq_rel);
  return IsReady(before - kOneControl, num_inputs);
}

}  // namespace leat::merge_count

#endif  // LEAT_RUNTIME_EXECUTOR_MERGE_COUNT_H_
