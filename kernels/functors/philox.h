// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Philox is the counter-based random number generator Philox4x32-10 of Salmon,
// Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11).
// It gives the same numbers as TensorFlow's generator. The state is a counter
// of 128 bits and a key of 64 bits. Each value of the counter gives one sample
// of four 32-bit words. So threads can compute different parts of one sequence
// at the same time.
//
//   Philox philox = Philox::FromSeeds(/*seed=*/1, /*seed2=*/2);
//   philox.Skip(100);
//   Philox::Sample sample = philox.Next();  // number 100, counted from 0
#ifndef LEAT_KERNELS_FUNCTORS_PHILOX_H_
#define LEAT_KERNELS_FUNCTORS_PHILOX_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels {

// A value type. Thread-compatible.
class Philox {
 public:
  using Sample = std::array<uint32_t, 4>;  // 128 bits, the lowest word first
  using Key = std::array<uint32_t, 2>;

  // Makes a generator with counter 0 and key 0.
  Philox() = default;
  // `counter` and `key` have the lowest word first.
  LEAT_DEVICE Philox(const Sample& counter, const Key& key)
      : counter_(counter), key_(key) {}

  // Returns the generator for the attrs `seed` and `seed2` of a stateful op.
  LEAT_DEVICE static Philox FromSeeds(uint64_t seed, uint64_t seed2) {
    return Philox({0, 0, Low(seed2), High(seed2)}, {Low(seed), High(seed)});
  }
  // Returns the generator for the inputs of a stateless op: a key, and a
  // counter of two words. `counter0` is the lower word.
  LEAT_DEVICE static Philox FromWords(uint64_t key, uint64_t counter0,
                                      uint64_t counter1) {
    return Philox(
        {Low(counter0), High(counter0), Low(counter1), High(counter1)},
        {Low(key), High(key)});
  }

  // Returns the counter of the next sample.
  const Sample& counter() const { return counter_; }

  // Skips `count` samples: adds `count` to the counter, modulo 2^128.
  LEAT_DEVICE void Skip(uint64_t count) {
    const uint64_t low = Word(0) + count;
    const bool carry = low < count;
    counter_[0] = Low(low);
    counter_[1] = High(low);
    if (!carry) return;
    const uint64_t high = Word(2) + 1;
    counter_[2] = Low(high);
    counter_[3] = High(high);
  }

  // Returns the sample of the current counter and adds one to the counter.
  LEAT_DEVICE Sample Next() {
    Sample state = counter_;
    Key key = key_;
    // The ten rounds use the multipliers and key increments of the paper.
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
  // These functions return the lower and the upper half of a 64-bit number.
  LEAT_DEVICE static uint32_t Low(uint64_t word) {
    return static_cast<uint32_t>(word);
  }
  LEAT_DEVICE static uint32_t High(uint64_t word) {
    return static_cast<uint32_t>(word >> 32);
  }
  // Returns the words i and i + 1 of the counter as one number.
  LEAT_DEVICE uint64_t Word(int i) const {
    return counter_[i] | uint64_t{counter_[i + 1]} << 32;
  }

  Sample counter_ = {};
  Key key_ = {};
};

// Returns the words of a Philox sequence one by one. A value type.
// Thread-compatible.
class PhiloxWords {
 public:
  // Copies `philox`. The words begin with the next sample of `philox`.
  LEAT_DEVICE explicit PhiloxWords(const Philox& philox) : philox_(philox) {}

  // Returns the next word.
  LEAT_DEVICE uint32_t Next() {
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

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_FUNCTORS_PHILOX_H_
