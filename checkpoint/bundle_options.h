// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BundleOptions says which limits those who read and write checkpoints obey.
#ifndef LEAT_CHECKPOINT_BUNDLE_OPTIONS_H_
#define LEAT_CHECKPOINT_BUNDLE_OPTIONS_H_

#include "leat/core/buffer.h"
#include "leat/core/threads/cancellation.h"

namespace leat {

// A value. What it points to must outlive those who have got it.
struct BundleOptions {
  // Counts the memory that indexes take (Allocator::Reserve).
  Allocator* allocator = &HostAllocator();
  // If it is not null, reading and writing end with its status once it is
  // cancelled.
  const Cancellation* cancellation = nullptr;
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_BUNDLE_OPTIONS_H_
