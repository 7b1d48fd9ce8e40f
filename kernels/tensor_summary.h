// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SummarizeInputs formats the first values of tensors as text, in the form that
// TensorFlow's Assert and Print use: "1 2 3..." for a vector, "[1 2][3..." for
// a matrix. FormatTensor does it in the form of StringFormat and PrintV2. They
// are stateless.
#ifndef LEAT_KERNELS_TENSOR_SUMMARY_H_
#define LEAT_KERNELS_TENSOR_SUMMARY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns the values of all inputs except the first, each input as "[values]",
// with `separator` between inputs. Shows at most `max_values` values of an
// input, or all if `max_values` is negative. An input's text ends in "..." if
// values are left out. Strings are escaped.
//
// The whole text ends in "..." after some megabytes, because a graph can pass
// one long string as very many inputs.
std::string SummarizeInputs(const KernelContext& context, int64_t max_values,
                            absl::string_view separator);

// Returns the values of a tensor in the form of TensorFlow's StringFormat: "[1
// 2
// ... 8 9]" for a vector, and a row on each line for a matrix. Of each axis,
// shows the first and the last `max_values` elements, or all if `max_values` is
// negative. Strings are escaped, with quotes around them.
std::string FormatTensor(const Tensor& tensor, int64_t max_values);

// Returns an upper bound for the size of FormatTensor's text.
int64_t MostFormattedBytes(const Tensor& tensor, int64_t max_values);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_TENSOR_SUMMARY_H_
