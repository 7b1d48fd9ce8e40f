// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DTypeList is a list of element types that both op definitions and kernels
// use: op definitions take the dtypes, and kernels are instantiated for the C++
// types. Because an op and its kernels use the same list, they support the same
// types.
//
//   VisitDType(kFloats, tensor.dtype(), [&](auto tag) {
//     using T = typename decltype(tag)::type;
//     for (const T& value : tensor.data<T>()) sum += value;
//   });
#ifndef LEAT_CORE_DTYPE_LIST_H_
#define LEAT_CORE_DTYPE_LIST_H_

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "leat/core/dtype.h"

namespace leat {

// Stands for a list of C++ element types. The template arguments are the list,
// so an object has no state.
template <class... T>
struct DTypeList {
  // Returns true if `dtype` stands for one of the types.
  static constexpr bool Contains(DType dtype) {
    return ((kDTypeOf<T> == dtype) || ...);
  }
  // Returns the types' DTypes in the order of the list.
  static std::vector<DType> dtypes() { return {kDTypeOf<T>...}; }
};

// Concatenates two lists.
template <class... A, class... B>
constexpr DTypeList<A..., B...> operator+(DTypeList<A...>, DTypeList<B...>) {
  return {};
}

// The name of each list says which types the list holds.
inline constexpr DTypeList<half, bfloat16, float, double> kFloats;
inline constexpr DTypeList<float, double> kFloat32And64;
inline constexpr DTypeList<int8_t, int16_t, int32_t, int64_t> kSignedInts;
inline constexpr DTypeList<uint8_t, uint16_t, uint32_t, uint64_t> kUnsignedInts;
inline constexpr auto kInts = kSignedInts + kUnsignedInts;
inline constexpr auto kNumbers = kFloats + kInts;  // real numbers
// These are the types that TensorFlow's ops accept for indices, axes and
// shapes.
inline constexpr DTypeList<int32_t, int64_t> kIndices;
// Lists the numbers that TensorFlow's GPU kernels add and compare. int32 is
// missing, because int32 tensors stay in host memory.
inline constexpr auto kFloatsAndInt64 = kFloats + DTypeList<int64_t>();
inline constexpr DTypeList<bool> kBoolOnly;
inline constexpr DTypeList<std::string> kStringOnly;
inline constexpr DTypeList<std::complex<float>, std::complex<double>>
    kComplexes;
inline constexpr auto kFloatsAndComplexes = kFloats + kComplexes;
inline constexpr auto kNumbersAndComplexes = kNumbers + kComplexes;
inline constexpr DTypeList<Variant> kVariantOnly;
// Lists all types whose elements are plain bytes and have a C++ type.
inline constexpr auto kPlain = kNumbers + kBoolOnly + kComplexes;
// Lists all types whose elements are objects, which are copied one by one.
inline constexpr DTypeList<std::string, ResourceHandle, Variant> kObjects;
// Lists all dtypes that have a C++ type, for kernels that only move elements.
inline constexpr auto kMovable = kPlain + kObjects;

// Returns the types of `list`, and all types whose elements are plain bytes but
// have no C++ type: the quantized integers, the 8-bit floats and the 4-bit
// integers. Kernels that only move elements support them, too.
template <class... T>
std::vector<DType> WithStoredTypes(DTypeList<T...>) {
  return {kDTypeOf<T>...,     DType::kQint8,        DType::kQuint8,
          DType::kQint16,     DType::kQuint16,      DType::kQint32,
          DType::kFloat8E5M2, DType::kFloat8E4M3Fn, DType::kInt4,
          DType::kUint4};
}

// Passes a type as a value. A generic lambda gets the type back with
// `using T = typename decltype(tag)::type`.
template <class T>
struct TypeTag {
  using type = T;
};

// If the list has a type T with the DType `dtype`, calls
// `visitor(TypeTag<T>{})` and returns true. Otherwise returns false.
template <class... T, class Visitor>
bool VisitDType(DTypeList<T...>, DType dtype, Visitor&& visitor) {
  return ((kDTypeOf<T> == dtype ? (visitor(TypeTag<T>{}), true) : false) ||
          ...);
}

}  // namespace leat

#endif  // LEAT_CORE_DTYPE_LIST_H_
