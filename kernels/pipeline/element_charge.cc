// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/element_charge.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace leat::kernels {

absl::Status ElementCharge::AddBytes(int64_t bytes) {
  constexpr int64_t kMinBlock = 1 << 10;
  constexpr int64_t kMaxBlock = 64 << 10;
  while (held_bytes_ + bytes > charged_bytes_) {
    const int64_t size = std::clamp(charged_bytes_, kMinBlock, kMaxBlock);
    BufferRef memory = pipeline_->allocator().Reserve(size);
    if (memory == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "there is no memory to hold more elements or records; those that are "
          "held take ",
          held_bytes_, " bytes of ", pipeline_->allocator().name(),
          " besides their tensors"));
    }
    blocks_.push_back({.memory = std::move(memory), .bytes = size});
    charged_bytes_ += size;
  }
  held_bytes_ += bytes;
  return absl::OkStatus();
}

void ElementCharge::RemoveBytes(int64_t bytes) {
  held_bytes_ -= bytes;
  // The last block stays while half of it is used or could soon be, so that a
  // buffer does not take and give back memory all the time.
  while (!blocks_.empty() && held_bytes_ + blocks_.back().bytes / 2 <
                                 charged_bytes_ - blocks_.back().bytes) {
    charged_bytes_ -= blocks_.back().bytes;
    blocks_.pop_back();
  }
}

}  // namespace leat::kernels
