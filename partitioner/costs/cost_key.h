// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CostKey names what the time of a kernel depends on, apart from the device:
//
//   MatMul(float[32,784], float[784,100]){T=float, transpose_a=false,
//   transpose_b=false}
//
// It is stateless and thread-safe.
#ifndef LEAT_PARTITIONER_COSTS_COST_KEY_H_
#define LEAT_PARTITIONER_COSTS_COST_KEY_H_

#include <cstddef>
#include <string>

#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/work.h"

namespace leat {

// Limits the size of a key, in bytes.
inline constexpr size_t kMaxCostKey = 1024;

// Returns the key of `node` with these inputs, in printable ASCII. It has the
// attrs that the op declares, except numbers that are not integers, functions,
// seeds, and texts that name something, such as a variable or a device. Of a
// tensor it has the dtype and the shape only. References count as values. The
// end of a text that would be too long is replaced by its hash.
std::string CostKey(const NodeDef& node, absl::Span<const TensorSpec> inputs);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_COST_KEY_H_
