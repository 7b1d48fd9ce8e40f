// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TestGpu is a GPU for tests of kernels: QueuedGpu, whose kernels run on the
// host, or CudartGpu.
#ifndef LEAT_TESTS_TESTING_GPU_TEST_GPU_H_
#define LEAT_TESTS_TESTING_GPU_TEST_GPU_H_

#include "leat/core/devices/device.h"
#include "leat/core/tensor.h"

namespace leat::testing {

// Must outlive its tensors.
class TestGpu : public Device {
 public:
  using Device::Device;

  // Return a copy of a tensor in the other memory. A tensor whose elements are
  // objects stays as it is, and so does one that is there already. ToHost waits
  // for the queued work first.
  virtual Tensor ToDevice(const Tensor& tensor) = 0;
  virtual Tensor ToHost(const Tensor& tensor) = 0;
  // Waits for the queued work. Returns its error.
  virtual absl::Status RunAll() = 0;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_TEST_GPU_H_
