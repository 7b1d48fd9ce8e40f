// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IndexError makes the error for an index that is out of range. PositionIn
// makes the part of its text that says where the index is. The kernels for all
// devices share these functions. They are stateless.
#ifndef LEAT_KERNELS_INDICES_INDEX_ERRORS_H_
#define LEAT_KERNELS_INDICES_INDEX_ERRORS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/kernels/functors/index_rule.h"

namespace leat::kernels {

// Returns the coordinates of an element of a tensor as text, such as "[1,0]",
// or "" for a scalar. `position` is the element's position in row-major order.
std::string PositionIn(absl::Span<const int64_t> dims, int64_t position);

// Returns INVALID_ARGUMENT with TensorFlow's text. `dims` has the dimensions of
// the tensor of indices, and `position` is the position of the index in it, in
// row-major order. `index` has one number for each indexed dimension. `limits`
// has the dimensions of the indexed tensor.
absl::Status IndexError(IndexRule rule, absl::Span<const int64_t> dims,
                        int64_t position, absl::Span<const int64_t> index,
                        absl::Span<const int64_t> limits);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_INDICES_INDEX_ERRORS_H_
