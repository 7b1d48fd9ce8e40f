// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IndexError makes the error of an index that is out of range, which the
// kernels for all devices share, and PositionIn a part of its text. Stateless.
#ifndef LEAT_KERNELS_INDICES_INDEX_ERRORS_H_
#define LEAT_KERNELS_INDICES_INDEX_ERRORS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "leat/kernels/functors/index_rule.h"

namespace leat::kernels {

// Returns the place of an element of a tensor as text, such as "[1,0]", or ""
// for a scalar. `position` is where it stands in row-major order.
std::string PositionIn(absl::Span<const int64_t> dims, int64_t position);

// Returns INVALID_ARGUMENT with TensorFlow's text. `position` is where the
// index stands, in row-major order, in a tensor with the dimensions `dims`.
// `index` has a number for each dimension that is indexed. `limits` are the
// dimensions of the tensor that is indexed.
absl::Status IndexError(IndexRule rule, absl::Span<const int64_t> dims,
                        int64_t position, absl::Span<const int64_t> index,
                        absl::Span<const int64_t> limits);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_INDICES_INDEX_ERRORS_H_
