// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/op_case_json.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <type_traits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "leat/core/dtype_list.h"
#include "leat/core/resource_handle.h"
#include "leat/core/variant.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::testing {
namespace {

using nlohmann::json;

DType ParseType(const json& name) {
  return ParseDType(name.get<std::string>()).value();
}

double ParseReal(const json& value) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    if (text == "nan") return std::nan("");
    return text == "inf" ? INFINITY : -INFINITY;
  }
  return value.get<double>();
}

// Converts a number of a data file to T. For an integer type, drops the
// fraction. For a float type of at most 32 bits, converts to float first.
template <class T>
T FromReal(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<int64_t>(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

template <class T>
struct Parse {
  static T From(const json& value) {
    if constexpr (std::is_integral_v<T>) {
      return value.get<T>();
    } else {
      return FromReal<T>(ParseReal(value));
    }
  }
};
template <class T>
struct Parse<std::complex<T>> {
  static std::complex<T> From(const json& value) {
    return {static_cast<T>(ParseReal(value[0])),
            static_cast<T>(ParseReal(value[1]))};
  }
};
template <>
struct Parse<std::string> {
  // In the file, the string has one character for each byte. The code point of
  // the character is the value of the byte.
  static std::string From(const json& value) {
    std::string bytes;
    const std::string text = value.get<std::string>();
    for (size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < 0x80) {
        bytes.push_back(text[i]);
      } else {
        const auto next = static_cast<unsigned char>(text[++i]);
        bytes.push_back(static_cast<char>(((byte & 3) << 6) | (next & 63)));
      }
    }
    return bytes;
  }
};

bool Near(double got, double expected, const Precision& precision) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == expected;
  return std::fabs(got - expected) <=
         precision.tolerance * std::max(std::fabs(expected), precision.floor);
}

template <class T>
bool Equal(const T& got, const T& expected, const Precision& precision) {
  if constexpr (kFloats.Contains(kDTypeOf<T>)) {
    return Near(static_cast<double>(got), static_cast<double>(expected),
                precision);
  } else if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
    return Near(got.real(), expected.real(), precision) &&
           Near(got.imag(), expected.imag(), precision);
  } else {
    return got == expected;
  }
}

// Fills `data` with start, start + step and so on. Begins again with start
// after every `period` elements. Copies whole periods, because some tensors
// have millions of elements and tests are compiled without optimization.
template <class T>
void FillWithRamp(double start, double step, size_t period,
                  absl::Span<T> data) {
  size_t filled = std::min(period, data.size());
  for (size_t i = 0; i < filled; ++i) {
    data[i] = FromReal<T>(start + step * static_cast<double>(i));
  }
  while (filled < data.size()) {
    const size_t count = std::min(filled, data.size() - filled);
    std::copy_n(data.begin(), count, data.begin() + filled);
    filled += count;
  }
}

// Returns `dtype`, or the unsigned integer type whose elements have as many
// bytes if `dtype` has no C++ type.
DType CarrierOf(DType dtype) {
  if (kMovable.Contains(dtype)) return dtype;
  if (SizeOf(dtype) == 1) return DType::kUint8;
  return SizeOf(dtype) == 2 ? DType::kUint16 : DType::kUint32;
}

// Returns a tensor of `dtype` that shares the bytes of `tensor`. REQUIRES: both
// dtypes have elements of the same size.
Tensor As(DType dtype, const Tensor& tensor) {
  if (tensor.dtype() == dtype) return tensor;
  Tensor shared = tensor;
  return Tensor::FromBuffer(dtype, tensor.shape(), tensor.buffer(),
                            shared.mutable_raw_data());
}

// Returns every n-th element, beginning with the first.
Tensor EveryNth(const Tensor& tensor, int64_t every) {
  Tensor result;
  VisitDType(kPlain + kStringOnly, tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto data = tensor.data<T>();
    const int64_t count = (tensor.num_elements() + every - 1) / every;
    result = Tensor::Filled<T>(Shape{count}, T());
    for (int64_t i = 0; i < count; ++i) {
      result.mutable_data<T>()[i] = data[i * every];
    }
  });
  return result;
}

}  // namespace

std::vector<json> ReadJsonLines(const std::string& path) {
  std::vector<json> lines;
  std::ifstream file(absl::StrCat(TestsDir(), "/", path));
  EXPECT_TRUE(file.good()) << path;
  for (std::string line; std::getline(file, line);) {
    json spec = json::parse(line, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(spec.is_object()) << path << ": " << line;
    if (spec.is_object()) lines.push_back(std::move(spec));
  }
  EXPECT_FALSE(lines.empty()) << path;
  return lines;
}

Tensor TensorFromJson(const json& spec) {
  const Shape shape =
      Shape::Create(spec[1].get<std::vector<int64_t>>()).value();
  const json& values = spec[2];
  Tensor tensor;
  const DType dtype = ParseType(spec[0]);
  if (dtype == DType::kResource) {
    return Tensor::Filled<ResourceHandle>(shape, ResourceHandle());
  }
  if (dtype == DType::kVariant) {
    return Tensor::Filled<Variant>(shape, Variant());
  }
  VisitDType(kPlain + kStringOnly, CarrierOf(dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    tensor = Tensor::Filled<T>(shape, T());
    auto data = tensor.mutable_data<T>();
    if (values.is_array()) {
      EXPECT_EQ(values.size(), data.size());
      for (size_t i = 0; i < data.size(); ++i) {
        data[i] = Parse<T>::From(values[i]);
      }
    } else if constexpr (!std::is_same_v<T, std::string> &&
                         !kComplexes.Contains(kDTypeOf<T>)) {
      const auto ramp = values["ramp"].get<std::vector<double>>();
      FillWithRamp<T>(ramp[0], ramp[1], static_cast<size_t>(ramp[2]), data);
    }
  });
  return As(dtype, tensor);
}

AttrValue AttrFromJson(const json& spec) {
  const std::string kind = spec[0].get<std::string>();
  const json& value = spec[1];
  if (kind == "type") return ParseType(value);
  if (kind == "int") return value.get<int64_t>();
  if (kind == "float") return value.get<float>();
  if (kind == "bool") return value.get<bool>();
  if (kind == "string") return value.get<std::string>();
  if (kind == "tensor") return TensorFromJson(value);
  if (kind == "list(int)") return value.get<std::vector<int64_t>>();
  if (kind == "list(float)") return value.get<std::vector<float>>();
  if (kind == "list(bool)") return value.get<std::vector<bool>>();
  if (kind == "list(string)") return value.get<std::vector<std::string>>();
  if (kind == "list(type)") {
    std::vector<DType> types;
    for (const json& type : value) types.push_back(ParseType(type));
    return types;
  }
  if (kind == "shape") {
    if (value.is_null()) return PartialShape();
    return PartialShape::Create(value.get<std::vector<int64_t>>()).value();
  }
  if (kind == "list(shape)") {
    std::vector<PartialShape> shapes;
    for (const json& shape : value) {
      shapes.push_back(std::get<PartialShape>(AttrFromJson({"shape", shape})));
    }
    return shapes;
  }
  ADD_FAILURE() << "attr of kind " << kind;
  return std::monostate();
}

AttrMap AttrsFromJson(const json& spec) {
  AttrMap attrs;
  for (const auto& [name, value] : spec.items()) {
    attrs.Set(name, AttrFromJson(value));
  }
  return attrs;
}

double DefaultTolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
    case DType::kComplex64:
      return 3e-6;
    case DType::kDouble:
    case DType::kComplex128:
      return 1e-13;
    case DType::kHalf:
      return 2e-3;
    case DType::kBfloat16:
      return 1.6e-2;
    default:
      return 0;
  }
}

std::string Difference(const Tensor& got, const Tensor& expected,
                       const Precision& precision) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape()) {
    return absl::StrCat("got ", got.DebugString(), ", expected ",
                        expected.DebugString());
  }
  std::string result;
  const DType carrier = CarrierOf(expected.dtype());
  VisitDType(kPlain + kStringOnly, carrier, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor got_values = As(carrier, got);
    const Tensor expected_values = As(carrier, expected);
    const auto a = got_values.data<T>();
    const auto b = expected_values.data<T>();
    for (size_t i = 0; i < b.size() && result.empty(); ++i) {
      if (!Equal(a[i], b[i], precision)) {
        result = absl::StrCat(
            "element ", i, ": got ", Tensor::Scalar<T>(a[i]).DebugString(),
            ", expected ", Tensor::Scalar<T>(b[i]).DebugString());
      }
    }
  });
  return result;
}

std::string Difference(const Tensor& got, const json& expected,
                       const json& spec) {
  Precision precision;
  precision.tolerance =
      spec.value("tolerance", DefaultTolerance(ParseType(expected[0])));
  precision.floor = spec.value("floor", precision.floor);
  if (!expected[2].is_object() || !expected[2].contains("every")) {
    return Difference(got, TensorFromJson(expected), precision);
  }
  const json& values = expected[2]["values"];
  const json sampled = {expected[0], {values.size()}, values};
  const auto shape = Shape::Create(expected[1].get<std::vector<int64_t>>());
  if (got.dtype() != ParseType(expected[0]) || got.shape() != *shape) {
    return absl::StrCat("got ", got.DebugString(), ", expected ",
                        expected[1].dump());
  }
  return Difference(EveryNth(got, expected[2]["every"].get<int64_t>()),
                    TensorFromJson(sampled), precision);
}

}  // namespace leat::testing
