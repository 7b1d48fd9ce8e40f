// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs every case of tests/op_cases/*.jsonl (see make_cases.py) on a kernel and
// compares outputs, or the error, with TensorFlow's.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat {
namespace {

using nlohmann::json;

std::vector<std::string> CaseFiles() {
  std::vector<std::string> files;
  const std::string folder = LEAT_TESTS_DIR "/op_cases";
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return files;
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (absl::EndsWith(name, ".jsonl")) files.push_back(name);
  }
  closedir(dir);
  std::sort(files.begin(), files.end());
  return files;
}

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

template <class T>
struct Parse {
  static T From(const json& value) {
    if constexpr (std::is_integral_v<T>) {
      return value.get<T>();
    } else if constexpr (std::is_same_v<T, double>) {
      return ParseReal(value);
    } else {
      return T(static_cast<float>(ParseReal(value)));
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
  // The file has one code point below 256 for every byte.
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

Tensor ParseTensor(const json& spec) {
  const Shape shape =
      Shape::Create(spec[1].get<std::vector<int64_t>>()).value();
  const json& values = spec[2];
  Tensor tensor;
  VisitDType(kPlain + kStringOnly, ParseType(spec[0]), [&](auto tag) {
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
      for (size_t i = 0; i < data.size(); ++i) {
        const double index = static_cast<double>(i % size_t(ramp[2]));
        data[i] = Parse<T>::From(std::is_integral_v<T>
                                     ? json(int64_t(ramp[0] + ramp[1] * index))
                                     : json(ramp[0] + ramp[1] * index));
      }
    }
  });
  return tensor;
}

AttrValue ParseAttr(const json& spec) {
  const std::string kind = spec[0].get<std::string>();
  const json& value = spec[1];
  if (kind == "type") return ParseType(value);
  if (kind == "int") return value.get<int64_t>();
  if (kind == "float") return value.get<float>();
  if (kind == "bool") return value.get<bool>();
  if (kind == "string") return value.get<std::string>();
  if (kind == "tensor") return ParseTensor(value);
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
  ADD_FAILURE() << "attr of kind " << kind;
  return std::monostate();
}

// Relative to the expected value, or to the case's floor if that is more.
double Tolerance(DType dtype) {
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

struct Precision {
  double tolerance = 0;
  double floor = 1e-3;
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

// Empty when equal, else the first difference.
std::string Difference(const Tensor& got, const Tensor& expected,
                       const Precision& precision) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape()) {
    return absl::StrCat("got ", got.DebugString(), ", expected ",
                        expected.DebugString());
  }
  std::string result;
  VisitDType(kPlain + kStringOnly, expected.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < expected.num_elements() && result.empty(); ++i) {
      const T& a = got.data<T>()[i];
      const T& b = expected.data<T>()[i];
      if (!Equal(a, b, precision)) {
        result = absl::StrCat("element ", i, ": got ",
                              Tensor::Scalar<T>(a).DebugString(), ", expected ",
                              Tensor::Scalar<T>(b).DebugString());
      }
    }
  });
  return result;
}

void CheckCase(testing::KernelTestHarness& harness, const json& spec) {
  AttrMap attrs;
  for (const auto& [name, value] : spec["attrs"].items()) {
    attrs.Set(name, ParseAttr(value));
  }
  std::vector<Tensor> inputs;
  for (const json& input : spec["inputs"]) inputs.push_back(ParseTensor(input));
  const auto outputs =
      harness.Run(spec["op"].get<std::string>(), attrs, std::move(inputs));
  if (spec.contains("error")) {
    ASSERT_FALSE(outputs.ok()) << "TensorFlow refuses this";
    EXPECT_EQ(absl::StatusCodeToString(outputs.status().code()),
              spec["error"][0].get<std::string>());
    EXPECT_TRUE(absl::StrContains(outputs.status().message(),
                                  spec["error"][1].get<std::string>()))
        << outputs.status().message();
    return;
  }
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  ASSERT_EQ(outputs->size(), spec["outputs"].size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    const Tensor expected = ParseTensor(spec["outputs"][i]);
    Precision precision;
    precision.tolerance = spec.value("tolerance", Tolerance(expected.dtype()));
    precision.floor = spec.value("floor", precision.floor);
    EXPECT_EQ(Difference((*outputs)[i], expected, precision), "")
        << "output " << i;
  }
}

class OpCasesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(OpCasesTest, MatchTensorFlow) {
  testing::KernelTestHarness harness;
  std::ifstream file(absl::StrCat(LEAT_TESTS_DIR "/op_cases/", GetParam()));
  ASSERT_TRUE(file.good());
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const json spec = json::parse(line, nullptr, /*allow_exceptions=*/false);
    ASSERT_FALSE(spec.is_discarded()) << line;
    if (!spec.contains("op")) continue;  // the source and its version
    ++count;
    SCOPED_TRACE(absl::StrCat(spec["op"].get<std::string>(), " ",
                              spec["name"].get<std::string>()));
    CheckCase(harness, spec);
  }
  EXPECT_GT(count, 0);
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, OpCasesTest,
                         ::testing::ValuesIn(CaseFiles()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

}  // namespace
}  // namespace leat
