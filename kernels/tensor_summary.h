// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A tensor's first values as text, as TensorFlow's Assert and Print show them:
// "1 2 3...", "[1 2][3...".
#ifndef LEAT_KERNELS_TENSOR_SUMMARY_H_
#define LEAT_KERNELS_TENSOR_SUMMARY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// The inputs from the second on, each as "[values]", with `separator` between
// them. At most `max_values` values of each, all when it is negative; the text
// of an input ends in "..." when some are left out. Strings are escaped.
//
// Ends in "..." after some megabytes: a graph can name one long string very
// often.
std::string SummarizeInputs(const KernelContext& context, int64_t max_values,
                            absl::string_view separator);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_TENSOR_SUMMARY_H_
