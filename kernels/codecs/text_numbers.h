// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ParseNumber reads the text of a number, in the forms that TensorFlow accepts.
// It is stateless and thread-safe.
#ifndef LEAT_KERNELS_CODECS_TEXT_NUMBERS_H_
#define LEAT_KERNELS_CODECS_TEXT_NUMBERS_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace leat {

// Sets `value` to the number in `text`, which may have white space around it.
// Returns false if `text` is no number. For integers, the number must fit into
// the type, and must not have a plus sign. For floats, forms such as "-inf",
// "nan" and "0x1f" are numbers, too, and so is white space alone, which is 0.
// Large numbers become infinite. Texts of 32 bytes or more are no floats.
bool ParseNumber(absl::string_view text, int32_t& value);
bool ParseNumber(absl::string_view text, int64_t& value);
bool ParseNumber(absl::string_view text, float& value);
bool ParseNumber(absl::string_view text, double& value);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_TEXT_NUMBERS_H_
