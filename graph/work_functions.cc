// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/work_functions.h"

#include <algorithm>

namespace leat {

double TotalBytes(absl::Span<const TensorSpec> tensors) {
  double bytes = 0;
  for (const TensorSpec& tensor : tensors) bytes += tensor.num_bytes();
  return bytes;
}

double WindowElements(absl::Span<const int64_t> sizes,
                      absl::Span<const int64_t> extents) {
  double elements = 1;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    int64_t size = std::max<int64_t>(sizes[axis], 0);
    if (axis < extents.size()) size = std::min(size, extents[axis]);
    elements *= static_cast<double>(size);
  }
  return elements;
}

namespace works {

Work Nothing(const WorkContext& /*context*/) { return {}; }

Work Move(const WorkContext& context) {
  return {.bytes_read = TotalBytes(context.inputs()),
          .bytes_written = TotalBytes(context.outputs())};
}

Work Take(const WorkContext& context) {
  Work work = Move(context);
  work.bytes_read += work.bytes_written - context.input(0).num_bytes();
  return work;
}

Work UpdateVariable(const WorkContext& context) {
  const TensorSpec& value = context.input(1);
  return {.flops = FlopsOf(value),
          .bytes_read = 2 * value.num_bytes(),
          .bytes_written = value.num_bytes()};
}

Work UpdateRows(const WorkContext& context) {
  const TensorSpec& variable = context.variable(0);
  const TensorSpec& indices = context.input(1);
  const TensorSpec& updates = context.input(2);
  const double rows = variable.shape.rank() == 0
                          ? 1
                          : static_cast<double>(variable.shape.dim(0));
  const double row_bytes = variable.num_bytes() / std::max(rows, 1.0);
  // The updates may be one number for all rows.
  const double touched =
      std::max(updates.num_bytes(), indices.num_elements() * row_bytes);
  const double share = touched / std::max(updates.num_bytes(), 1.0);
  return {.flops = FlopsOf(updates) * share,
          .bytes_read = indices.num_bytes() + updates.num_bytes() + touched,
          .bytes_written = touched};
}

}  // namespace works
}  // namespace leat
