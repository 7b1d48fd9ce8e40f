// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/philox.h"

#include <unistd.h>

namespace leat::kernels {

SharedPhilox::SharedPhilox(int64_t seed, int64_t seed2) {
  uint64_t seeds[2] = {static_cast<uint64_t>(seed),
                       static_cast<uint64_t>(seed2)};
  if (seed == 0 && seed2 == 0 && getentropy(seeds, sizeof(seeds)) != 0) {
    // The operating system gives no random numbers. The addresses are random
    // enough to make generators differ.
    seeds[0] = reinterpret_cast<uintptr_t>(this);
    seeds[1] = reinterpret_cast<uintptr_t>(&seeds);
  }
  MutexLock lock(mutex_);
  philox_ = Philox::FromSeeds(seeds[0], seeds[1]);
}

}  // namespace leat::kernels
