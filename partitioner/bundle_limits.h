// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BundleLimits says how large the bundles of tensors (bundles.h) may become.
#ifndef LEAT_PARTITIONER_BUNDLE_LIMITS_H_
#define LEAT_PARTITIONER_BUNDLE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace leat {

// Is a plain value. The code that sends bundles sets the limits, because it
// knows what fits into a message.
struct BundleLimits {
  size_t max_tensors = 0;  // below 2 there are no bundles
  // The tensors of one bundle may have at most this many bytes in total. A
  // tensor with more than half as many bytes is sent alone.
  int64_t max_bytes = 0;
};

}  // namespace leat

#endif  // LEAT_PARTITIONER_BUNDLE_LIMITS_H_
