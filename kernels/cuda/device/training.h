// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions apply a step of an optimizer to a variable and its slots, or
// to some of their rows.
#ifndef LEAT_KERNELS_CUDA_DEVICE_TRAINING_H_
#define LEAT_KERNELS_CUDA_DEVICE_TRAINING_H_

#include <cstdint>

#include "leat/kernels/cuda/device/checked_indices.h"
#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Names each rule after its op. The files kernels/cpu/training_*.cc describe
// the rules.
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

// Describes the rows that a sparse op updates. `gradient` of the operands has a
// row for each index. Is a plain value.
struct TrainedRows {
  CheckedIndices indices = {};
  int64_t count = 0;  // number of indices
  int64_t inner = 1;  // elements of a row
  // These arrays are scratch memory: a hash table of `table_size` rows, the
  // head of the list of each row in the table, and `count` links. All entries
  // must be -1. `table_size` is a power of two that is at least 2 * count.
  int64_t table_size = 0;
  int64_t* rows = nullptr;
  int64_t* heads = nullptr;
  int64_t* links = nullptr;
};

// Updates rows of each variable. If an index occurs several times, its row is
// updated that many times, in an order that is not fixed. If an index is out of
// range, the step fails. Has code for half, bfloat16, float and double, and for
// kMomentum, kAdagrad and kRMSProp. Returns false, and launches nothing, for
// other types and rules.
bool LaunchSparseTraining(CUstream_st* stream, TrainingRule rule,
                          ElementType type, const TrainingOperands& operands,
                          const TrainedRows& rows);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_TRAINING_H_
