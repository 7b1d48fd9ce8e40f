// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Element types of tensors. The numbers are TensorFlow's DataType, so that the
// wire conversion is the identity; a reference type is its base plus 100.
#ifndef LEAT_CORE_DTYPE_H_
#define LEAT_CORE_DTYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/core/float16.h"

namespace leat {

class ResourceHandle;
class Variant;

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5M2 = 24,
  kFloat8E4M3Fn = 25,
  kInt4 = 29,  // one byte an element, as in TensorFlow, and so is kUint4
  kUint4 = 30,
};

// Numbers from 1 to here name a type, if DTypeFromWire gives one.
inline constexpr int kNumDTypes = 31;
inline constexpr int kRefOffset = 100;

// A reference to a variable's tensor of that type ("float_ref").
constexpr bool IsRef(DType dtype) {
  return static_cast<int>(dtype) > kRefOffset;
}
constexpr DType BaseOf(DType dtype) {
  return IsRef(dtype) ? static_cast<DType>(static_cast<int>(dtype) - kRefOffset)
                      : dtype;
}
constexpr DType RefOf(DType dtype) {
  return IsRef(dtype)
             ? dtype
             : static_cast<DType>(static_cast<int>(dtype) + kRefOffset);
}

// Bytes of one element; 0 for types whose elements are objects (string,
// resource, variant) and for kInvalid. References have their base's size.
size_t SizeOf(DType dtype);

// Elements are plain bytes that memcpy may move.
inline bool IsPlainBytes(DType dtype) { return SizeOf(dtype) != 0; }

bool IsFloating(DType dtype);  // half, bfloat16, float, double
// Signed and unsigned; not quantized, not bool, not the 4-bit ones, which no
// kernel computes with.
bool IsInteger(DType dtype);
bool IsComplex(DType dtype);

// TensorFlow's short name: "float", "int32", "float_ref"; "invalid" for 0.
std::string Name(DType dtype);

// The inverse of Name; nothing for an unknown name.
std::optional<DType> ParseDType(absl::string_view name);

// Checks a number from the wire: nothing unless it is a known type or its ref.
std::optional<DType> DTypeFromWire(int64_t number);

// The DType of a C++ element type: kDTypeOf<float> == DType::kFloat.
template <class T>
inline constexpr DType kDTypeOf = DType::kInvalid;
template <>
inline constexpr DType kDTypeOf<float> = DType::kFloat;
template <>
inline constexpr DType kDTypeOf<double> = DType::kDouble;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kInt32;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::kUint8;
template <>
inline constexpr DType kDTypeOf<int16_t> = DType::kInt16;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::kInt8;
template <>
inline constexpr DType kDTypeOf<std::string> = DType::kString;
template <>
inline constexpr DType kDTypeOf<std::complex<float>> = DType::kComplex64;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kInt64;
template <>
inline constexpr DType kDTypeOf<bool> = DType::kBool;
template <>
inline constexpr DType kDTypeOf<bfloat16> = DType::kBfloat16;
template <>
inline constexpr DType kDTypeOf<uint16_t> = DType::kUint16;
template <>
inline constexpr DType kDTypeOf<std::complex<double>> = DType::kComplex128;
template <>
inline constexpr DType kDTypeOf<half> = DType::kHalf;
template <>
inline constexpr DType kDTypeOf<ResourceHandle> = DType::kResource;
template <>
inline constexpr DType kDTypeOf<Variant> = DType::kVariant;
template <>
inline constexpr DType kDTypeOf<uint32_t> = DType::kUint32;
template <>
inline constexpr DType kDTypeOf<uint64_t> = DType::kUint64;

}  // namespace leat

#endif  // LEAT_CORE_DTYPE_H_
