// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of RegexFullMatch, RegexReplace, StaticRegexFullMatch and
// StaticRegexReplace. In the static ops the expression is an attr. The time
// that RE2 takes is at most proportional to the length of the string times the
// length of the expression.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "re2/re2.h"

namespace leat::kernels::any::regex {
namespace {

constexpr size_t kMaxPattern = 16 << 10;

absl::StatusOr<std::unique_ptr<RE2>> MakeExpression(
    const std::string& pattern) {
  if (pattern.size() > kMaxPattern) {
    return absl::InvalidArgumentError(
        absl::StrCat("a pattern has ", pattern.size(),
                     " bytes, but may have at most ", kMaxPattern));
  }
  auto expression = std::make_unique<RE2>(pattern, RE2::Quiet);
  if (!expression->ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Invalid pattern: ", pattern, ", error: ", expression->error()));
  }
  return expression;
}

// Returns the value of the scalar input `i`, which TensorFlow calls `name`.
absl::StatusOr<std::string> GetText(const KernelContext& context, int i,
                                    absl::string_view name) {
  const Tensor& input = context.input(i);
  if (!input.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " must be scalar, but received ", input.shape().DebugString()));
  }
  return input.scalar<std::string>();
}

absl::Status Match(const RE2& expression, KernelContext& context) {
  const Tensor& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.AllocateOutput(0, input.shape()));
  const auto from = input.data<std::string>();
  const auto to = output->mutable_data<bool>();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = RE2::FullMatch(from[i], expression);
  }
  return absl::OkStatus();
}

// Replaces matches of `expression` in the strings of the input by `rewrite`.
// Replaces all matches if `all` is true, and otherwise the first match of each
// string.
absl::Status Replace(const RE2& expression, const std::string& rewrite,
                     bool all, KernelContext& context) {
  const Tensor& input = context.input(0);
  const auto from = input.data<std::string>();
  // `most` is an upper bound for the bytes of the results. A match may be at
  // each place between two characters. A match is replaced by the rewrite, and
  // each group in the rewrite may stand for the whole match.
  const auto groups =
      static_cast<int64_t>(std::count(rewrite.begin(), rewrite.end(), '\\'));
  int64_t most = 0;
  for (const std::string& text : from) {
    const auto size = static_cast<int64_t>(text.size());
    const int64_t matches = all ? size + 1 : 1;
    most = SaturatingAdd(
        most,
        SaturatingAdd(
            SaturatingMultiply(size, groups + 1),
            SaturatingMultiply(matches, static_cast<int64_t>(rewrite.size()))));
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor* const output,
      context.AllocateOutput(0, input.shape(),
                             MostHeldBytes(input.num_elements(), most)));
  const auto to = output->mutable_data<std::string>();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = from[i];
    if (all) {
      RE2::GlobalReplace(&to[i], expression, rewrite);
    } else {
      RE2::Replace(&to[i], expression, rewrite);
    }
  }
  return absl::OkStatus();
}

class RegexFullMatch final : public Kernel {
  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const std::string pattern,
                          GetText(context, 1, "Pattern"));
    LEAT_ASSIGN_OR_RETURN(const auto expression, MakeExpression(pattern));
    return Match(*expression, context);
  }
};

class StaticRegexFullMatch final : public Kernel {
 public:
  explicit StaticRegexFullMatch(std::unique_ptr<RE2> expression)
      : expression_(std::move(expression)) {}
  absl::Status Compute(KernelContext& context) const override {
    return Match(*expression_, context);
  }

 private:
  const std::unique_ptr<RE2> expression_;
};

class RegexReplace final : public Kernel {
 public:
  explicit RegexReplace(bool all) : all_(all) {}
  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const std::string pattern,
                          GetText(context, 1, "Pattern"));
    LEAT_ASSIGN_OR_RETURN(const std::string rewrite,
                          GetText(context, 2, "Rewrite"));
    LEAT_ASSIGN_OR_RETURN(const auto expression, MakeExpression(pattern));
    return Replace(*expression, rewrite, all_, context);
  }

 private:
  const bool all_;
};

class StaticRegexReplace final : public Kernel {
 public:
  StaticRegexReplace(std::unique_ptr<RE2> expression, std::string rewrite,
                     bool all)
      : expression_(std::move(expression)),
        rewrite_(std::move(rewrite)),
        all_(all) {}
  absl::Status Compute(KernelContext& context) const override {
    return Replace(*expression_, rewrite_, all_, context);
  }

 private:
  const std::unique_ptr<RE2> expression_;
  const std::string rewrite_;
  const bool all_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStaticMatch(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string pattern,
                        node.attrs.Get<std::string>("pattern"));
  LEAT_ASSIGN_OR_RETURN(auto expression, MakeExpression(pattern));
  return std::unique_ptr<Kernel>(
      std::make_unique<StaticRegexFullMatch>(std::move(expression)));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeReplace(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool all, node.attrs.Get<bool>("replace_global"));
  return std::unique_ptr<Kernel>(std::make_unique<RegexReplace>(all));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeStaticReplace(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string pattern,
                        node.attrs.Get<std::string>("pattern"));
  LEAT_ASSIGN_OR_RETURN(std::string rewrite,
                        node.attrs.Get<std::string>("rewrite"));
  LEAT_ASSIGN_OR_RETURN(const bool all, node.attrs.Get<bool>("replace_global"));
  LEAT_ASSIGN_OR_RETURN(auto expression, MakeExpression(pattern));
  return std::unique_ptr<Kernel>(std::make_unique<StaticRegexReplace>(
      std::move(expression), std::move(rewrite), all));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("RegexFullMatch", kCpu, &Make<RegexFullMatch>);
  registry.Add("StaticRegexFullMatch", kCpu, &MakeStaticMatch);
  registry.Add("RegexReplace", kCpu, &MakeReplace);
  registry.Add("StaticRegexReplace", kCpu, &MakeStaticReplace);
}

}  // namespace leat::kernels::any::regex
