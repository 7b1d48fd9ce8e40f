// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LEAT_DEVICE marks functions that kernels of GPUs call. Where nvcc compiles
// them, they are code for the GPU. Everywhere else they are ordinary functions.
#ifndef LEAT_KERNELS_FUNCTORS_DEVICE_CODE_H_
#define LEAT_KERNELS_FUNCTORS_DEVICE_CODE_H_

#ifdef __CUDACC__
#define LEAT_DEVICE __device__
#else
#define LEAT_DEVICE
#endif

#endif  // LEAT_KERNELS_FUNCTORS_DEVICE_CODE_H_
