// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These helpers are for kernels whose indices may have one of several integer
// types. Such a kernel is compiled for int32 and int64 only. Indices of other
// types are converted.
#ifndef LEAT_KERNELS_INDICES_INDEX_TYPES_H_
#define LEAT_KERNELS_INDICES_INDEX_TYPES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns input `i`, a tensor of int16, int32 or int64 indices, as int32 or
// int64. It widens int16 to int32, and returns other tensors as they are.
// Returns RESOURCE_EXHAUSTED if there is no memory for the widened copy.
absl::StatusOr<Tensor> InputIndices(KernelContext& context, int i);

// Writes indices to a tensor of int16, uint16, int32 or int64. An index that
// the type cannot hold wraps around. An IndexWriter borrows the tensor's bytes,
// so the tensor must outlive the writer. An IndexWriter is thread-safe if no
// two threads write the same position.
class IndexWriter {
 public:
  // REQUIRES: the dtype of `indices` is int16, uint16, int32 or int64.
  explicit IndexWriter(Tensor& indices)
      : dtype_(indices.dtype()), to_(indices.mutable_raw_data()) {}

  // Sets element `position`, counted in row-major order, to `index`.
  void Set(int64_t position, int64_t index) const {
    switch (dtype_) {
      case DType::kInt32:
        return SetAs<int32_t>(position, index);
      case DType::kInt64:
        return SetAs<int64_t>(position, index);
      default:  // int16 and uint16 have the same bits
        return SetAs<uint16_t>(position, index);
    }
  }

 private:
  // Sets one element as a T.
  template <class T>
  void SetAs(int64_t position, int64_t index) const {
    reinterpret_cast<T*>(to_)[position] = static_cast<T>(index);
  }

  const DType dtype_;
  char* const to_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_INDICES_INDEX_TYPES_H_
