// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchTraining applies a step of an optimizer to a variable and its slots.
#ifndef LEAT_KERNELS_CUDA_DEVICE_TRAINING_H_
#define LEAT_KERNELS_CUDA_DEVICE_TRAINING_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// The op that has the rule. kernels/cpu/training_rules.h describes the rules.
enum class TrainingRule : uint8_t {
  kGradientDescent,
  kMomentum,
  kAdagrad,
  kAdam,
  kRMSProp,
  kCenteredRMSProp,
};

// All pointers point to memory of the GPU. A plain value.
struct TrainingOperands {
  // The variable and its slots, and the scalars, both in the order of the op's
  // inputs.
  void* variables[4] = {};
  const void* scalars[6] = {};
  const void* gradient = nullptr;
  int64_t n = 0;
  bool use_nesterov = false;
  bool update_slots = true;
};

// Updates n elements of each variable. Has code for half, bfloat16, float and
// double. Returns false, and launches nothing, for other types.
bool LaunchTraining(CUstream_st* stream, TrainingRule rule, ElementType type,
                    const TrainingOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_TRAINING_H_
