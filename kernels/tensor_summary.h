// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A tensor's first values as text, as TensorFlow's Assert and Print show them:
// "1 2 3...", "[1 2][3...".
#ifndef LEAT_KERNELS_TENSOR_SUMMARY_H_
#define LEAT_KERNELS_TENSOR_SUMMARY_H_

#include <cstdint>
#include <string>

#include "leat/core/tensor.h"

namespace leat::kernels {

// At most `max_values` values, all when it is negative; the text ends in "..."
// when some are left out. Strings are escaped.
std::string SummarizeValues(const Tensor& tensor, int64_t max_values);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_TENSOR_SUMMARY_H_
