// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/element_charge.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace leat::kernels {

absl::Status ElementCharge::Add(const Element& element) {
  const int64_t bytes = BytesOf(element);
  while (held_bytes_ + bytes >
         static_cast<int64_t>(blocks_.size()) * kBlockBytes) {
    BufferRef block = pipeline_->allocator().Reserve(kBlockBytes);
    if (block == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "there is no memory to hold more elements of a dataset; those that "
          "are held take ",
          held_bytes_, " bytes of ", pipeline_->allocator().name(),
          " besides their tensors"));
    }
    blocks_.push_back(std::move(block));
  }
  held_bytes_ += bytes;
  return absl::OkStatus();
}

void ElementCharge::RemoveBytes(int64_t bytes) {
  held_bytes_ -= bytes;
  // One block stays, so that a buffer that is nearly empty does not take and
  // give back blocks all the time.
  while (static_cast<int64_t>(blocks_.size()) * kBlockBytes >
         held_bytes_ + 2 * kBlockBytes) {
    blocks_.pop_back();
  }
}

}  // namespace leat::kernels
