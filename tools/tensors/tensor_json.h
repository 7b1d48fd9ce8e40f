// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NumberJson, ShapeJson and ValuesJson write tensors for programs. The
// functions are stateless and thread-safe.
#ifndef LEAT_TOOLS_TENSORS_TENSOR_JSON_H_
#define LEAT_TOOLS_TENSORS_TENSOR_JSON_H_

#include <cstdint>
#include <limits>

#include "leat/core/tensor.h"
#include "nlohmann/json.hpp"

namespace leat {

// Returns `value` as a number. If JSON cannot write it as a number, returns a
// text such as "NaN".
nlohmann::ordered_json NumberJson(double value);

// Returns the extents as an array.
nlohmann::ordered_json ShapeJson(const Shape& shape);

// Returns an array of the elements in row-major order, or of the first `limit`
// ones. A complex number is an array of two numbers. Returns null for elements
// without a type in C++.
nlohmann::ordered_json ValuesJson(
    const Tensor& tensor, int64_t limit = std::numeric_limits<int64_t>::max());

}  // namespace leat

#endif  // LEAT_TOOLS_TENSORS_TENSOR_JSON_H_
