// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BundleOptions holds the options of readers and writers of checkpoints.
#ifndef LEAT_CHECKPOINT_BUNDLE_OPTIONS_H_
#define LEAT_CHECKPOINT_BUNDLE_OPTIONS_H_

#include "leat/core/buffer.h"
#include "leat/core/threads/cancellation.h"

namespace leat {

// A value. The objects that it points to must outlive all readers and writers
// that use it.
struct BundleOptions {
  // Counts the memory that indexes take (Allocator::Reserve).
  Allocator* allocator = &HostAllocator();
  // If this is not null and is cancelled, reading and writing stop and return
  // its status.
  const Cancellation* cancellation = nullptr;
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_OPTIONS_H_
