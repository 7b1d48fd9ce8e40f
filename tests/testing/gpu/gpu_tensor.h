// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GpuTensor makes a tensor that says that it is in the memory of a GPU, for
// tests of code of the host that must not read such a tensor.
#ifndef LEAT_TESTS_TESTING_GPU_GPU_TENSOR_H_
#define LEAT_TESTS_TESTING_GPU_GPU_TENSOR_H_

#include "leat/core/buffer.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"

namespace leat::testing {

// Returns a float[2] whose buffer says that it is in "gpu:1".
inline Tensor GpuTensor() {
  class GpuBuffer final : public Buffer {
   public:
    GpuBuffer()
        : Buffer(bytes_, sizeof bytes_, Memory{MemoryKind::kDevice, 1}) {}
    void Dispose() override { delete this; }

   private:
    alignas(kBufferAlignment) char bytes_[2 * sizeof(float)] = {};
  };
  auto* const buffer = new GpuBuffer;  // belongs to the tensor
  return Tensor::FromBuffer(DType::kFloat, Shape{2}, BufferRef(buffer),
                            buffer->data());
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_GPU_TENSOR_H_
