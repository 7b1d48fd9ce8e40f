// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/dtype.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace leat {
namespace {

struct DTypeRow {
  const char* name;
  uint8_t size;  // 0 for objects
};

// Has one row per DType. The index of a row is the number of its DType.
constexpr std::array<DTypeRow, kNumDTypes> kRows = {{
    {"invalid", 0},     {"float", 4},         {"double", 8},      {"int32", 4},
    {"uint8", 1},       {"int16", 2},         {"int8", 1},        {"string", 0},
    {"complex64", 8},   {"int64", 8},         {"bool", 1},        {"qint8", 1},
    {"quint8", 1},      {"qint32", 4},        {"bfloat16", 2},    {"qint16", 2},
    {"quint16", 2},     {"uint16", 2},        {"complex128", 16}, {"half", 2},
    {"resource", 0},    {"variant", 0},       {"uint32", 4},      {"uint64", 8},
    {"float8_e5m2", 1}, {"float8_e4m3fn", 1}, {nullptr, 0},       {nullptr, 0},
    {nullptr, 0},       {"int4", 1},          {"uint4", 1},
}};

bool HasRow(int64_t number) {
  return number >= 0 && number < kNumDTypes && kRows[number].name != nullptr;
}

// Returns the row of the base type, or the row of kInvalid if the number of
// `dtype` has no meaning.
const DTypeRow& RowOf(DType dtype) {
  const int number = static_cast<int>(BaseOf(dtype));
  return kRows[HasRow(number) ? number : 0];
}

}  // namespace

size_t SizeOf(DType dtype) { return RowOf(dtype).size; }

bool IsFloating(DType dtype) {
  switch (BaseOf(dtype)) {
    case DType::kHalf:
    case DType::kBfloat16:
    case DType::kFloat:
    case DType::kDouble:
      return true;
    default:
      return false;
  }
}

bool IsInteger(DType dtype) {
  switch (BaseOf(dtype)) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
      return true;
    default:
      return false;
  }
}

bool IsComplex(DType dtype) {
  const DType base = BaseOf(dtype);
  return base == DType::kComplex64 || base == DType::kComplex128;
}

std::string Name(DType dtype) {
  return absl::StrCat(RowOf(dtype).name, IsRef(dtype) ? "_ref" : "");
}

std::optional<DType> ParseDType(absl::string_view name) {
  const bool is_ref = absl::ConsumeSuffix(&name, "_ref");
  // TensorFlow also accepts these three names, which NumPy uses.
  if (name == "float32") name = "float";
  if (name == "float64") name = "double";
  if (name == "float16") name = "half";
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!HasRow(i) || name != kRows[i].name) continue;
    const DType dtype = static_cast<DType>(i);
    return is_ref ? RefOf(dtype) : dtype;
  }
  return std::nullopt;
}

std::optional<DType> DTypeFromWire(int64_t number) {
  const int64_t base = number > kRefOffset ? number - kRefOffset : number;
  if (base == 0 || !HasRow(base)) return std::nullopt;
  return static_cast<DType>(number);
}

}  // namespace leat
