// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SeedGenerator gives each pass over a dataset its seeds, and RandomWords are
// random numbers from a pair of seeds. The numbers are TensorFlow's.
#ifndef LEAT_KERNELS_PIPELINE_SEEDS_H_
#define LEAT_KERNELS_PIPELINE_SEEDS_H_

#include <cstdint>

#include "leat/core/threads/mutex.h"
#include "leat/kernels/functors/philox.h"

namespace leat::kernels {

struct Seeds {
  int64_t seed = 0;
  int64_t seed2 = 0;
};

// Returns `seeds`, or random ones if both are 0.
Seeds OrRandom(const Seeds& seeds);

// Is a sequence of random words of 32 bits. Is thread-compatible.
class RandomWords {
 public:
  explicit RandomWords(const Seeds& seeds)
      : philox_(Philox::FromSeeds(static_cast<uint64_t>(seeds.seed),
                                  static_cast<uint64_t>(seeds.seed2))) {}

  uint32_t Next() {
    if (used_ == sample_.size()) {
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

// Is thread-safe.
class SeedGenerator {
 public:
  // If `changes` is true, each call of Next returns other seeds. Otherwise all
  // calls return `seeds`.
  SeedGenerator(const Seeds& seeds, bool changes)
      : seeds_(OrRandom(seeds)), changes_(changes), words_(seeds_) {}

  Seeds Next() {
    if (!changes_) return seeds_;
    MutexLock lock(mutex_);
    Seeds seeds;
    seeds.seed = words_.Next();
    seeds.seed2 = words_.Next();
    return seeds;
  }

 private:
  const Seeds seeds_;
  const bool changes_;
  Mutex mutex_;
  RandomWords words_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_SEEDS_H_
