// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// KernelsRunOnHost says whether the kernels for GPUs were compiled for the
// host.
#ifndef LEAT_KERNELS_CUDA_DEVICE_FORM_H_
#define LEAT_KERNELS_CUDA_DEVICE_FORM_H_

namespace leat::cuda {

// Returns true if the launch functions add work to a HostStream, and false if
// nvcc compiled them for a GPU.
bool KernelsRunOnHost();

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_FORM_H_
