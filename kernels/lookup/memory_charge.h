// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MemoryCharge charges an allocator for memory that a table takes from
// somewhere else, such as the nodes of a hash map and the characters of
// strings. So the limit of the device also limits what a table holds.
#ifndef LEAT_KERNELS_LOOKUP_MEMORY_CHARGE_H_
#define LEAT_KERNELS_LOOKUP_MEMORY_CHARGE_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/saturating.h"

namespace leat::kernels {

// Is not thread-safe. Gives the charged memory back when it is destroyed. The
// allocator must outlive it.
class MemoryCharge {
 public:
  // Must be called before the table holds `bytes` bytes in all. Charges half as
  // much again as was charged before, so that a growing table seldom charges.
  // Returns RESOURCE_EXHAUSTED if there is no memory.
  absl::Status Cover(int64_t bytes, Allocator& allocator) {
    if (bytes <= charged_bytes_) return absl::OkStatus();
    const int64_t wanted =
        std::max(bytes, SaturatingAdd(charged_bytes_, charged_bytes_ / 2));
    BufferRef more = allocator.Reserve(wanted - charged_bytes_);
    if (more == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "There is not enough memory for a table of ", bytes, " bytes"));
    }
    parts_.push_back(std::move(more));
    charged_bytes_ = wanted;
    return absl::OkStatus();
  }

 private:
  std::vector<BufferRef> parts_;
  int64_t charged_bytes_ = 0;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_MEMORY_CHARGE_H_
