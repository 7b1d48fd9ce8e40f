// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of StringLower, StringUpper and StringStrip. Without an
// encoding, only ASCII letters change. Letters of UTF-8 change by the rules of
// Unicode, which do not depend on a language.
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/parallel_checks.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::string_case {
namespace {

enum class Case : uint8_t { kLower, kUpper };

// The text grows to at most three times as many bytes: U+0390 has two bytes and
// becomes six, and a byte that is not UTF-8 becomes three.
constexpr int64_t kMostGrowth = 3;

class AsciiCase final : public Kernel {
 public:
  explicit AsciiCase(Case wanted) : case_(wanted) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, input.shape(), input.held_bytes()));
    const auto from = input.data<std::string>();
    const auto to = output->mutable_data<std::string>();
    for (size_t i = 0; i < from.size(); ++i) {
      to[i] = case_ == Case::kLower ? absl::AsciiStrToLower(from[i])
                                    : absl::AsciiStrToUpper(from[i]);
    }
    return absl::OkStatus();
  }

 private:
  const Case case_;
};

class Utf8Case final : public Kernel {
 public:
  explicit Utf8Case(Case wanted) : case_(wanted) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    const auto from = input.data<std::string>();
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(
            0, input.shape(),
            MostHeldBytes(input.num_elements(),
                          SaturatingMultiply(TextBytes(from), kMostGrowth))));
    const auto to = output->mutable_data<std::string>();
    return ParallelChecks(context.compute_queue(), input.num_elements(),
                          /*cost_per_item=*/200,
                          [&](int64_t i) { return Convert(from[i], to[i]); });
  }

 private:
  // The text ends at the first zero byte, as in TensorFlow. Bytes that are not
  // UTF-8 become U+FFFD.
  absl::Status Convert(const std::string& from, std::string& to) const {
    const size_t size = std::min(from.find('\0'), from.size());
    if (size > INT32_MAX / kMostGrowth) {
      return absl::InvalidArgumentError(
          absl::StrCat("a string of ", size, " bytes is too long"));
    }
    icu::UnicodeString text = icu::UnicodeString::fromUTF8(
        icu::StringPiece(from.data(), static_cast<int32_t>(size)));
    if (case_ == Case::kLower) {
      text.toLower(icu::Locale::getRoot());
    } else {
      text.toUpper(icu::Locale::getRoot());
    }
    text.toUTF8String(to);
    return absl::OkStatus();
  }

  const Case case_;
};

template <Case wanted>
absl::StatusOr<std::unique_ptr<Kernel>> MakeCase(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string encoding,
                        node.attrs.Get<std::string>("encoding"));
  if (encoding.empty()) {
    return std::unique_ptr<Kernel>(std::make_unique<AsciiCase>(wanted));
  }
  if (encoding != "utf-8") {
    return absl::InvalidArgumentError(absl::StrCat(
        "only utf-8 or '' (no encoding) is supported, received ", encoding));
  }
  return std::unique_ptr<Kernel>(std::make_unique<Utf8Case>(wanted));
}

absl::Status StringStrip(KernelContext& context) {
  const Tensor& input = context.input(0);
  const auto from = input.data<std::string>();
  LEAT_ASSIGN_OR_RETURN(
      Tensor* const output,
      context.AllocateOutput(0, input.shape(), input.held_bytes()));
  const auto to = output->mutable_data<std::string>();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = std::string(absl::StripAsciiWhitespace(from[i]));
  }
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringLower", kCpu, &MakeCase<Case::kLower>);
  registry.Add("StringUpper", kCpu, &MakeCase<Case::kUpper>);
  registry.Add("StringStrip", kCpu, &MakeFunction<&StringStrip>);
}

}  // namespace leat::kernels::any::string_case
