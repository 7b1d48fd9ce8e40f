// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IndexRule says what the indices of a kernel mean. The error message for an
// index out of range depends on it (kernels/indices/index_errors.h).
#ifndef LEAT_KERNELS_FUNCTORS_INDEX_RULE_H_
#define LEAT_KERNELS_FUNCTORS_INDEX_RULE_H_

#include <cstdint>

namespace leat::kernels {

enum class IndexRule : int32_t {
  kRow,         // a row of a tensor, as in Gather
  kPoint,       // a row of coordinates in a tensor, as in GatherNd
  kTarget,      // a row of coordinates in the output of ScatterNd
  kSegment,     // a segment; negative segments are allowed
  kTrainedRow,  // a row of a variable, as in SparseApplyMomentum
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_FUNCTORS_INDEX_RULE_H_
