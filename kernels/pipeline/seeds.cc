// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/seeds.h"

#include "leat/core/random_id.h"

namespace leat::kernels {

Seeds OrRandom(const Seeds& seeds) {
  if (seeds.seed != 0 || seeds.seed2 != 0) return seeds;
  return {.seed = static_cast<int64_t>(RandomId()),
          .seed2 = static_cast<int64_t>(RandomId())};
}

}  // namespace leat::kernels
