// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of AsString, which writes values as text. The attrs are
// the parts of a conversion of printf, and are checked before they become one.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::as_string {
namespace {

constexpr auto kTypes = kPlain + kStringOnly;
// Most numbers fit into so many characters.
constexpr size_t kUsualText = 64;
// Is an upper bound for the characters of an integer, or of a float in the
// notation with an exponent and six digits.
constexpr int64_t kMostInt = 32;

// Is a conversion of printf, such as "%-12.3f".
struct Conversion {
  std::string format = {};
  // Say how many characters a value takes at least and behind the point.
  int64_t width = 0;
  int64_t precision = 0;
};

// Returns the last characters of a conversion, which say the type of the value.
absl::string_view Letters(DType type, bool scientific, bool shortest) {
  if (type == DType::kString) return "s";
  if (kFloatsAndComplexes.Contains(type)) {
    return shortest ? "g" : scientific ? "e" : "f";
  }
  return kUnsignedInts.Contains(type) ? "llu" : "lld";
}

absl::Status CheckAttrs(const NodeDef& node, DType type) {
  LEAT_ASSIGN_OR_RETURN(const int64_t precision,
                        node.attrs.Get<int64_t>("precision"));
  LEAT_ASSIGN_OR_RETURN(const bool scientific,
                        node.attrs.Get<bool>("scientific"));
  LEAT_ASSIGN_OR_RETURN(const bool shortest, node.attrs.Get<bool>("shortest"));
  LEAT_ASSIGN_OR_RETURN(const std::string fill,
                        node.attrs.Get<std::string>("fill"));
  const bool is_whole = kInts.Contains(type) || type == DType::kBool;
  if (scientific && shortest) {
    return absl::InvalidArgumentError(
        "Cannot select both scientific and shortest notation");
  }
  if (is_whole && (scientific || shortest)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "scientific and shortest format not supported for datatype ",
        Name(type)));
  }
  if (is_whole && precision > -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("precision not supported for datatype ", Name(type)));
  }
  if (fill.size() > 1) {
    return absl::InvalidArgumentError(
        "Fill string must be one or fewer characters");
  }
  if (fill.find_first_not_of("-+ 0#") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("Fill argument not supported: \"", fill, "\""));
  }
  return absl::OkStatus();
}

absl::StatusOr<Conversion> ReadConversion(const NodeDef& node, DType type) {
  LEAT_RETURN_IF_ERROR(CheckAttrs(node, type));
  LEAT_ASSIGN_OR_RETURN(const int32_t width, node.attrs.GetInt32("width"));
  LEAT_ASSIGN_OR_RETURN(const int32_t precision,
                        node.attrs.GetInt32("precision"));
  LEAT_ASSIGN_OR_RETURN(const bool scientific,
                        node.attrs.Get<bool>("scientific"));
  LEAT_ASSIGN_OR_RETURN(const bool shortest, node.attrs.Get<bool>("shortest"));
  LEAT_ASSIGN_OR_RETURN(const std::string fill,
                        node.attrs.Get<std::string>("fill"));
  Conversion conversion = {.format = absl::StrCat("%", fill)};
  if (width > -1) {
    absl::StrAppend(&conversion.format, width);
    conversion.width = width;
  }
  if (precision > -1 && kFloatsAndComplexes.Contains(type)) {
    absl::StrAppend(&conversion.format, ".", precision);
    conversion.precision = precision;
  }
  absl::StrAppend(&conversion.format, Letters(type, scientific, shortest));
  return conversion;
}

// Appends a value that printf takes. The conversion fits the type.
template <class V>
void Print(const Conversion& conversion, V value, std::string& text) {
  char buffer[kUsualText];
  const int size =
      std::snprintf(buffer, sizeof(buffer), conversion.format.c_str(), value);
  if (size < 0) return;
  const size_t before = text.size();
  if (static_cast<size_t>(size) < sizeof(buffer)) {
    text.append(buffer, static_cast<size_t>(size));
    return;
  }
  text.resize(before + static_cast<size_t>(size) + 1);
  std::snprintf(text.data() + before, static_cast<size_t>(size) + 1,
                conversion.format.c_str(), value);
  text.pop_back();  // the zero byte
}

// Appends an element of any type.
template <class T>
void Write(const Conversion& conversion, const T& value, std::string& text) {
  constexpr DType kType = kDTypeOf<T>;
  if constexpr (kType == DType::kBool) {
    text = value ? "true" : "false";
  } else if constexpr (kType == DType::kString) {
    // A string that needs no blanks may contain zero bytes.
    if (conversion.format == "%s") {
      text = value;
    } else {
      Print(conversion, value.c_str(), text);
    }
  } else if constexpr (kComplexes.Contains(kType)) {
    text.push_back('(');
    Print(conversion, static_cast<double>(value.real()), text);
    text.push_back(',');
    Print(conversion, static_cast<double>(value.imag()), text);
    text.push_back(')');
  } else if constexpr (kFloats.Contains(kType)) {
    Print(conversion, static_cast<double>(value), text);
  } else if constexpr (std::is_unsigned_v<T>) {
    Print(conversion, static_cast<unsigned long long>(value), text);
  } else {
    Print(conversion, static_cast<long long>(value), text);
  }
}

// Returns the largest finite magnitude of numbers, or of the parts of complex
// numbers.
template <class T>
double LargestOf(absl::Span<const T> values) {
  double largest = 0;
  const auto add = [&](double part) {
    if (std::isfinite(part)) largest = std::max(largest, std::fabs(part));
  };
  for (const T& value : values) {
    if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
      add(static_cast<double>(value.real()));
      add(static_cast<double>(value.imag()));
    } else {
      add(static_cast<double>(value));
    }
  }
  return largest;
}

class AsString final : public Kernel {
 public:
  explicit AsString(Conversion conversion)
      : conversion_(std::move(conversion)) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, input.shape(), MostBytes(input)));
    const auto to = output->mutable_data<std::string>();
    VisitDType(kTypes, input.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto from = input.data<T>();
      ParallelFor(context.compute_queue(), input.num_elements(),
                  /*cost_per_item=*/200 + conversion_.width,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      Write(conversion_, from[i], to[i]);
                    }
                  });
    });
    return absl::OkStatus();
  }

 private:
  // Returns an upper bound for the bytes that the texts hold.
  int64_t MostBytes(const Tensor& input) const {
    const int64_t n = input.num_elements();
    int64_t most = conversion_.width;
    if (input.dtype() == DType::kString) {
      return SaturatingAdd(
          input.held_bytes(),
          SaturatingMultiply(
              n, HeldBytesOfText(static_cast<size_t>(conversion_.width))));
    }
    VisitDType(kFloatsAndComplexes, input.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      most = std::max(most, LongestFloat(LargestOf(input.data<T>())));
    });
    const int64_t parts = kComplexes.Contains(input.dtype()) ? 2 : 1;
    return MostHeldBytes(n, SaturatingMultiply(n, kMostInt + parts * most));
  }
  // Returns an upper bound for the characters of a number that is not larger
  // than `largest`.
  int64_t LongestFloat(double largest) const {
    const bool is_plain = conversion_.format.back() == 'f';
    const int64_t digits =
        is_plain ? static_cast<int64_t>(std::log10(std::max(largest, 1.0))) : 0;
    return conversion_.precision + digits + kMostInt;
  }

  const Conversion conversion_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAsString(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType type, node.attrs.Get<DType>("T"));
  if (!kTypes.Contains(type)) return UnsupportedType(node, "T", type);
  LEAT_ASSIGN_OR_RETURN(Conversion conversion, ReadConversion(node, type));
  return std::unique_ptr<Kernel>(
      std::make_unique<AsString>(std::move(conversion)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("AsString", kCpu, &MakeAsString);
}

}  // namespace leat::kernels::any::as_string
