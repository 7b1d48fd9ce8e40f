// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TestGpu is the interface of the GPUs that tests of kernels use. A QueuedGpu
// runs the kernels on the host. A CudartGpu runs them on a real GPU.
#ifndef LEAT_TESTS_TESTING_GPU_TEST_GPU_H_
#define LEAT_TESTS_TESTING_GPU_TEST_GPU_H_

#include "leat/core/devices/device.h"
#include "leat/core/tensor.h"

namespace leat::testing {

// Must outlive its tensors.
class TestGpu : public Device {
 public:
  using Device::Device;

  // ToDevice returns a copy of a tensor in GPU memory. ToHost waits for the
  // queued work, and then returns a copy in host memory. Both return the tensor
  // itself if it is there already, or if its elements are objects.
  virtual Tensor ToDevice(const Tensor& tensor) = 0;
  virtual Tensor ToHost(const Tensor& tensor) = 0;
  // Waits for the queued work and returns its error.
  virtual absl::Status RunAll() = 0;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_TEST_GPU_H_
