// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The count of a Merge: it runs when its control edges and one live input have
// come, or is dead when all inputs are. One word, so that threads need no lock:
//   bit 0       no live input has come
//   bits 1-15   control edges still to come
//   bits 16-31  dead inputs that have come, unsigned
#ifndef LEAT_RUNTIME_MERGE_COUNT_H_
#define LEAT_RUNTIME_MERGE_COUNT_H_

#include <atomic>
#include <cstdint>

namespace leat::merge_count {

inline constexpr int kMaxEdges = (1 << 14) - 1;  // of either kind
inline constexpr int32_t kNoLiveInput = 1;
inline constexpr int32_t kOneControl = 2;
inline constexpr int32_t kControlMask = 0xfffe;
inline constexpr int32_t kOneDead = 1 << 16;

constexpr int32_t Initial(int num_controls) {
  return kNoLiveInput + num_controls * kOneControl;
}

inline bool IsReady(int32_t count, int num_inputs) {
  if ((count & kControlMask) != 0) return false;
  return (count & kNoLiveInput) == 0 || count / kOneDead >= num_inputs;
}

// Which input the Merge takes: none yet, or none ever (it is dead).
inline constexpr int32_t kNone = -1;
inline constexpr int32_t kDead = -2;

// Each returns whether the Merge became ready by this edge.

// The first live input is `taken`; later ones are not used.
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
inline bool DeadInput(int32_t& count, int num_inputs) {
  const int32_t before = std::atomic_ref<int32_t>(count).fetch_add(
      kOneDead, std::memory_order_acq_rel);
  // After a dead Enter the count is above num_inputs: it was ready by that.
  return (before & kNoLiveInput) != 0 && before / kOneDead < num_inputs &&
         IsReady(before + kOneDead, num_inputs);
}
// A loop that is not entered: its Merge need not wait for the back edge.
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
inline bool Control(int32_t& count, int num_inputs) {
  const int32_t before = std::atomic_ref<int32_t>(count).fetch_sub(
      kOneControl, std::memory_order_acq_rel);
  return IsReady(before - kOneControl, num_inputs);
}

}  // namespace leat::merge_count

#endif  // LEAT_RUNTIME_MERGE_COUNT_H_
