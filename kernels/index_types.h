// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Kernels whose indices may have any of several types without being compiled
// for each: all but int32 and int64 are converted.
#ifndef LEAT_KERNELS_INDEX_TYPES_H_
#define LEAT_KERNELS_INDEX_TYPES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Input `i`, a tensor of indices, as int32 or int64: int16 is widened.
// RESOURCE_EXHAUSTED when there is no memory for that.
absl::StatusOr<Tensor> InputIndices(KernelContext& context, int i);

// Writes indices to a tensor of int16, uint16, int32 or int64. An index that
// the type cannot hold wraps around. Borrows the tensor.
class IndexWriter {
 public:
  explicit IndexWriter(Tensor& indices)
      : dtype_(indices.dtype()), to_(indices.mutable_raw_data()) {}

  void Set(int64_t position, int64_t index) const {
    switch (dtype_) {
      case DType::kInt32:
        return SetAs<int32_t>(position, index);
      case DType::kInt64:
        return SetAs<int64_t>(position, index);
      default:  // int16 and uint16 are the same bits
        return SetAs<uint16_t>(position, index);
    }
  }

 private:
  template <class T>
  void SetAs(int64_t position, int64_t index) const {
    reinterpret_cast<T*>(to_)[position] = static_cast<T>(index);
  }

  const DType dtype_;
  char* const to_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_INDEX_TYPES_H_
