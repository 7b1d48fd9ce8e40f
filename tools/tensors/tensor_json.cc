// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/tensors/tensor_json.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "leat/core/dtype_list.h"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json ElementJson(const T& value) {
  if constexpr (std::is_same_v<T, std::complex<float>> ||
                std::is_same_v<T, std::complex<double>>) {
    return Json::array({NumberJson(value.real()), NumberJson(value.imag())});
  } else if constexpr (std::is_integral_v<T> ||
                       std::is_same_v<T, std::string>) {
    return value;
  } else {
    return NumberJson(static_cast<double>(value));
  }
}

}  // namespace

Json NumberJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json ShapeJson(const Shape& shape) {
  return std::vector<int64_t>(shape.dims().begin(), shape.dims().end());
}

Json ValuesJson(const Tensor& tensor, int64_t limit) {
  Json values;
  VisitDType(kPlain + kStringOnly, tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    values = Json::array();
    const auto count =
        static_cast<size_t>(std::min(limit, tensor.num_elements()));
    for (const T& value : tensor.data<T>().first(count)) {
      values.push_back(ElementJson<T>(value));
    }
  });
  return values;
}

}  // namespace leat
