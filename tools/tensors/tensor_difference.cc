// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/tensors/tensor_difference.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <type_traits>

#include "leat/core/check.h"
#include "leat/core/dtype_list.h"

namespace leat {
namespace {

template <class T>
bool IsNan(const T& value) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return false;
  } else if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
    return std::isnan(value.real()) || std::isnan(value.imag());
  } else {
    return std::isnan(static_cast<double>(value));
  }
}

// Returns |a - b|. REQUIRES: a != b, and neither is NaN.
template <class T>
double Distance(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>) {
    // The difference of two numbers of 64 bits does not overflow as unsigned.
    const auto low = static_cast<uint64_t>(std::min(a, b));
    return static_cast<double>(static_cast<uint64_t>(std::max(a, b)) - low);
  } else if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
    return std::abs(std::complex<double>(a) - std::complex<double>(b));
  } else {
    return std::fabs(static_cast<double>(a) - static_cast<double>(b));
  }
}

template <class T>
TensorDifference CompareElements(absl::Span<const T> a, absl::Span<const T> b) {
  TensorDifference difference;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool has_nan = IsNan(a[i]) || IsNan(b[i]);
    if (a[i] == b[i] || (IsNan(a[i]) && IsNan(b[i]))) continue;
    ++difference.num_different;
    if constexpr (!std::is_same_v<T, std::string>) {
      if (has_nan) continue;
      difference.greatest =
          std::max(difference.greatest.value_or(0), Distance(a[i], b[i]));
    }
  }
  return difference;
}

// Compares elements that have no type in C++.
TensorDifference CompareBytes(const Tensor& a, const Tensor& b) {
  LEAT_CHECK(!a.IsOnGpu() && !b.IsOnGpu());
  TensorDifference difference;
  const size_t size = SizeOf(a.dtype());
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const size_t offset = static_cast<size_t>(i) * size;
    if (std::memcmp(a.raw_data() + offset, b.raw_data() + offset, size) != 0) {
      ++difference.num_different;
    }
  }
  return difference;
}

}  // namespace

TensorDifference Compare(const Tensor& a, const Tensor& b) {
  LEAT_CHECK(a.dtype() == b.dtype() && a.shape() == b.shape());
  TensorDifference difference;
  if (!VisitDType(kPlain + kStringOnly, a.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        difference = CompareElements<T>(a.data<T>(), b.data<T>());
      })) {
    difference = CompareBytes(a, b);
  }
  return difference;
}

}  // namespace leat
