// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Named lists of element types, written once: op definitions use their dtypes,
// kernels instantiate over their C++ types, so that the two cannot differ.
#ifndef LEAT_CORE_DTYPE_LIST_H_
#define LEAT_CORE_DTYPE_LIST_H_

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "leat/core/dtype.h"

namespace leat {

template <class... T>
struct DTypeList {
  static constexpr bool Contains(DType dtype) {
    return ((kDTypeOf<T> == dtype) || ...);
  }
  static std::vector<DType> dtypes() { return {kDTypeOf<T>...}; }
};

template <class... A, class... B>
constexpr DTypeList<A..., B...> operator+(DTypeList<A...>, DTypeList<B...>) {
  return {};
}

inline constexpr DTypeList<half, bfloat16, float, double> kFloats;
inline constexpr DTypeList<float, double> kFloat32And64;
inline constexpr DTypeList<int8_t, int16_t, int32_t, int64_t> kSignedInts;
inline constexpr DTypeList<uint8_t, uint16_t, uint32_t, uint64_t> kUnsignedInts;
inline constexpr auto kInts = kSignedInts + kUnsignedInts;
inline constexpr auto kNumbers = kFloats + kInts;  // real numbers
inline constexpr DTypeList<int32_t, int64_t> kIndices;
inline constexpr DTypeList<bool> kBoolOnly;
inline constexpr DTypeList<std::string> kStringOnly;
inline constexpr DTypeList<std::complex<float>, std::complex<double>>
    kComplexes;
inline constexpr DTypeList<Variant> kVariantOnly;
// Everything whose elements are plain bytes and have a C++ type.
inline constexpr auto kPlain = kNumbers + kBoolOnly + kComplexes;
// Everything whose elements are objects, which are copied one by one.
inline constexpr DTypeList<std::string, ResourceHandle, Variant> kObjects;
// What can be moved without being looked at.
inline constexpr auto kMovable = kPlain + kObjects;

// A type passed as a value: `[&](auto type) { using T = typename decltype(type)
// ::type; ... }`.
template <class T>
struct TypeTag {
  using type = T;
};

// Calls `visitor(TypeTag<T>{})` for the list's type that is `dtype`; returns
// whether there was one.
template <class... T, class Visitor>
bool VisitDType(DTypeList<T...>, DType dtype, Visitor&& visitor) {
  return ((kDTypeOf<T> == dtype ? (visitor(TypeTag<T>{}), true) : false) ||
          ...);
}

}  // namespace leat

#endif  // LEAT_CORE_DTYPE_LIST_H_
