// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SharedPhilox is the random number generator of a stateful op.
#ifndef LEAT_KERNELS_PHILOX_H_
#define LEAT_KERNELS_PHILOX_H_

#include <cstdint>

#include "leat/core/threads/mutex.h"
#include "leat/kernels/functors/philox.h"

namespace leat::kernels {

// A SharedPhilox is the generator of a stateful op. Each run of the kernel
// takes the next part of one sequence. A SharedPhilox is thread-safe.
class SharedPhilox {
 public:
  // If both seeds are zero, the generator starts with random seeds.
  SharedPhilox(int64_t seed, int64_t seed2);

  // Returns a generator for the next `samples` samples, which no other call
  // gets.
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

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PHILOX_H_
