// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IndexMemory counts the memory that the index of a checkpoint takes, so that
// the memory limit of a task covers the index, too.
//
//   IndexMemory memory(allocator);
//   LEAT_RETURN_IF_ERROR(memory.Count(entry_bytes));
#ifndef LEAT_CHECKPOINT_INDEX_MEMORY_H_
#define LEAT_CHECKPOINT_INDEX_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"

namespace leat {

// An index may take at most this many bytes of memory.
inline constexpr int64_t kMaxIndexBytes = int64_t{1} << 30;

// Reserves the counted bytes at the allocator (Allocator::Reserve) until this
// object is destroyed. Movable. Not thread-safe.
class IndexMemory {
 public:
  explicit IndexMemory(Allocator& allocator, int64_t max_bytes = kMaxIndexBytes)
      : allocator_(&allocator), left_(max_bytes) {}

  // Counts bytes that are about to be allocated. Returns RESOURCE_EXHAUSTED if
  // the total would exceed the constructor's `max_bytes` or the limit of the
  // allocator.
  absl::Status Count(int64_t bytes) {
    if (bytes > left_) {
      return absl::ResourceExhaustedError(
          "the entries of the index need too much memory");
    }
    left_ -= bytes;
    if (bytes > reserved_) {
      // Reserve makes an object. So one reservation covers many small counts.
      const int64_t more = std::max(bytes, kLeastReservation);
      reservations_.push_back(allocator_->Reserve(more));
      if (reservations_.back() == nullptr) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the entries of the index need more memory than ",
                         allocator_->name(), " has"));
      }
      reserved_ = more;
    }
    reserved_ -= bytes;
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kLeastReservation = 64 << 10;

  Allocator* allocator_;
  int64_t left_;
  int64_t reserved_ = 0;  // reserved, but not counted yet
  std::vector<BufferRef> reservations_;
};

}  // namespace leat

#endif  // LEAT_CHECKPOINT_INDEX_MEMORY_H_
