// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepResource is the base class of TensorArray and Stack, which live until
// their step ends. It keeps the memory of the object itself, of its names and
// of its shapes counted as memory of the device, because a loop may make any
// number of such resources.
#ifndef LEAT_KERNELS_ARRAYS_STEP_RESOURCE_H_
#define LEAT_KERNELS_ARRAYS_STEP_RESOURCE_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/shape.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {

// Counts `bytes` as memory of the allocator while the result exists. Returns
// RESOURCE_EXHAUSTED if the limit of the allocator does not allow the bytes.
inline absl::StatusOr<BufferRef> CountBytes(int64_t bytes,
                                            Allocator& allocator) {
  BufferRef counted = allocator.Reserve(bytes);
  if (counted != nullptr) return counted;
  return absl::ResourceExhaustedError(
      absl::StrCat("The memory of '", allocator.name(), "' has no room for ",
                   bytes, " bytes of a TensorArray or a stack"));
}

// Counts what two shapes of this rank hold outside of their objects: that of a
// tensor, and a copy. Fails as CountBytes does. Returns null for the usual
// shapes, which hold nothing.
inline absl::StatusOr<BufferRef> CountLongShape(int rank,
                                                Allocator& allocator) {
  if (static_cast<size_t>(rank) <= Dims().capacity()) return BufferRef();
  constexpr int64_t kCopies = 2, kHeader = 16;
  return CountBytes(
      kCopies * (rank * static_cast<int64_t>(sizeof(int64_t)) + kHeader),
      allocator);
}

// Is thread-compatible, but the classes that derive from it are thread-safe.
// Each has a member kMostBytes, which bounds the bytes of the object and of its
// entry in the ResourceStore, without names and elements.
class StepResource : public Resource {
 public:
  // Keeps `counted`, the result of CountBytes, while the resource exists. Must
  // be called before other threads use the resource.
  void Hold(BufferRef counted) { counted_ = std::move(counted); }

 private:
  BufferRef counted_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ARRAYS_STEP_RESOURCE_H_
