// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/variable_bytes.h"

#include "leat/core/shape.h"

namespace leat {
namespace {

// Returns the size of a tensor, or 0 if it is not known.
int64_t KnownBytes(DType dtype, const PartialShape& shape) {
  if (!shape.IsFullyKnown()) return 0;
  const absl::StatusOr<Shape> known = shape.ToShape();
  if (!known.ok()) return 0;
  return CheckedMultiply(known->num_elements(),
                         static_cast<int64_t>(SizeOf(dtype)))
      .value_or(0);
}

}  // namespace

int64_t VariableBytes(const Node& node,
                      absl::Span<const InferredOutput> outputs) {
  int64_t sum = 0;
  if (node.num_inputs() > 0) return sum;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (static_cast<size_t>(i) >= outputs.size()) break;
    const DType type = node.output_type(i);
    int64_t bytes = 0;
    if (IsRef(type)) {
      bytes = KnownBytes(BaseOf(type), outputs[i].shape);
    } else if (type == DType::kResource && outputs[i].handle.has_value()) {
      bytes = KnownBytes(outputs[i].handle->dtype, outputs[i].handle->shape);
    }
    sum = CheckedAdd(sum, bytes).value_or(sum);
  }
  return sum;
}

}  // namespace leat
