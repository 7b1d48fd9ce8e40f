// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DType is the element type of a tensor. Each DType has the same number as in
// TensorFlow's DataType, so it needs no conversion on the wire. A reference
// type ("float_ref") has the number of its base type plus 100.
//
//   kDTypeOf<float>;             // DType::kFloat
//   Name(DType::kInt32);         // "int32"
//   ParseDType("float32");       // DType::kFloat
//   SizeOf(DType::kComplex64);   // 8 bytes
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

// A DType is the element type of a tensor, or a reference type (see IsRef). The
// quantized types, the 8-bit floats and the 4-bit integers have no C++ type,
// and no kernel computes with their values.
enum class DType : uint8_t {
  // This is the dtype of a tensor without a value. It is not an element type.
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  // Elements are std::string objects, which may hold any bytes.
  kString = 7,
  // Each element is two floats, or two doubles for kComplex128: the real part
  // and the imaginary part.
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  // These are quantized integers, which are stored like int8_t, uint8_t and so
  // on.
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  // Is the upper half of a float (float16.h).
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  // IEEE binary16 (float16.h).
  kHalf = 19,
  // Elements are ResourceHandle objects, which name variables, queues and so
  // on.
  kResource = 20,
  // Elements are Variant objects, such as lists of tensors.
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  // 8-bit floats with 5 exponent bits (kFloat8E5M2) or 4 (kFloat8E4M3Fn). The
  // type with 4 exponent bits has no infinities.
  kFloat8E5M2 = 24,
  kFloat8E4M3Fn = 25,
  // An element of kInt4 or kUint4 takes one byte, as in TensorFlow.
  kInt4 = 29,
  kUint4 = 30,
};

// Is one more than the largest number of a base type. Some numbers below it are
// not used; DTypeFromWire tells which.
inline constexpr int kNumDTypes = 31;
// A reference type has the number of its base type plus this.
inline constexpr int kRefOffset = 100;

// Returns true for a reference type. An edge of such a type carries a variable,
// not a value.
constexpr bool IsRef(DType dtype) {
  return static_cast<int>(dtype) > kRefOffset;
}
// Returns the type that `dtype` refers to, or `dtype` itself if it is not a
// reference type.
constexpr DType BaseOf(DType dtype) {
  return IsRef(dtype) ? static_cast<DType>(static_cast<int>(dtype) - kRefOffset)
                      : dtype;
}
// Returns the reference type for `dtype`, or `dtype` itself if it is one
// already.
constexpr DType RefOf(DType dtype) {
  return IsRef(dtype)
             ? dtype
             : static_cast<DType>(static_cast<int>(dtype) + kRefOffset);
}

// Returns the size of one element in bytes. Returns 0 for types whose elements
// are objects (string, resource, variant) and for kInvalid. A reference type
// has the size of its base type.
size_t SizeOf(DType dtype);

// Returns true if elements are plain bytes that memcpy may move.
inline bool IsPlainBytes(DType dtype) { return SizeOf(dtype) != 0; }

// Returns true for half, bfloat16, float and double, and references to them.
bool IsFloating(DType dtype);
// Returns true for signed and unsigned integers of 8 to 64 bits and references
// to them. Returns false for quantized types, bool and the 4-bit types.
bool IsInteger(DType dtype);
// Returns true for complex64 and complex128 and references to them.
bool IsComplex(DType dtype);

// Returns TensorFlow's short name, such as "float", "int32" or "float_ref".
// Returns "invalid" for kInvalid, and "invalid" or "invalid_ref" for numbers
// without a meaning.
std::string Name(DType dtype);

// Returns the dtype whose Name is `name`. Also accepts NumPy's "float16",
// "float32" and "float64". Returns nothing for an unknown name.
std::optional<DType> ParseDType(absl::string_view name);

// Returns the type or reference type that has the number `number` in messages.
// Returns nothing if no type has this number.
std::optional<DType> DTypeFromWire(int64_t number);

// Is the DType of a C++ element type. For example, kDTypeOf<float> is
// DType::kFloat. For any other C++ type it is kInvalid.
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
