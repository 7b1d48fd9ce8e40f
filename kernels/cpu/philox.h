// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10: the counter-based generator of Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (SC'11), laid out as in
// TensorFlow, whose numbers it gives. A value type; a 128-bit sample is four
// 32-bit words.
#ifndef LEAT_KERNELS_CPU_PHILOX_H_
#define LEAT_KERNELS_CPU_PHILOX_H_

#include <array>
#include <cstdint>

#include "leat/core/mutex.h"

namespace leat::kernels::cpu {

class Philox {
 public:
  using Sample = std::array<uint32_t, 4>;
  using Key = std::array<uint32_t, 2>;

  Philox() = default;
  Philox(const Sample& counter, const Key& key)
      : counter_(counter), key_(key) {}

  // As a stateful op's `seed` and `seed2` choose it.
  static Philox FromSeeds(uint64_t seed, uint64_t seed2) {
    return Philox({0, 0, Low(seed2), High(seed2)}, {Low(seed), High(seed)});
  }
  // As stateless ops pass it: one word of key, two of counter.
  static Philox FromWords(uint64_t key, uint64_t counter0, uint64_t counter1) {
    return Philox(
        {Low(counter0), High(counter0), Low(counter1), High(counter1)},
        {Low(key), High(key)});
  }

  const Sample& counter() const { return counter_; }

  // Leaves out `count` samples.
  void Skip(uint64_t count) {
    const uint64_t low = Word(0) + count;
    const bool carry = low < count;
    counter_[0] = Low(low);
    counter_[1] = High(low);
    if (!carry) return;
    const uint64_t high = Word(2) + 1;
    counter_[2] = Low(high);
    counter_[3] = High(high);
  }

  Sample Next() {
    Sample state = counter_;
    Key key = key_;
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * state[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * state[2];
      state = {High(b) ^ state[1] ^ key[0], Low(b), High(a) ^ state[3] ^ key[1],
               Low(a)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    Skip(1);
    return state;
  }

 private:
  static uint32_t Low(uint64_t word) { return static_cast<uint32_t>(word); }
  static uint32_t High(uint64_t word) {
    return static_cast<uint32_t>(word >> 32);
  }
  uint64_t Word(int i) const {
    return counter_[i] | uint64_t{counter_[i + 1]} << 32;
  }

  Sample counter_ = {};
  Key key_ = {};
};

// Gives single 32-bit words.
class PhiloxWords {
 public:
  explicit PhiloxWords(const Philox& philox) : philox_(philox) {}

  uint32_t Next() {
    if (used_ == 4) {
      sample_ = philox_.Next();
      used_ = 0;
    }
    return sample_[used_++];
  }

 private:
  Philox philox_;
  Philox::Sample sample_ = {};
  size_t used_ = 4;
};

// A stateful op's generator: each run takes its share. Thread-safe.
class SharedPhilox {
 public:
  // Seeds of zero mean: not deterministic.
  SharedPhilox(int64_t seed, int64_t seed2);

  // The generator for the next `samples` samples, which nobody else gets.
  Philox Reserve(uint64_t samples) {
    MutexLock lock(mutex_);
    const Philox result = philox_;
    philox_.Skip(samples);
    return result;
  }

 private:
  Mutex mutex_;
  Philox philox_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_PHILOX_H_
