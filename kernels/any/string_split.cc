// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of StringSplit and StringSplitV2. The parts of all
// strings are a sparse matrix, with a row for each string.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::string_split {
namespace {

// Receives the parts of a string, from left to right.
using Visitor = absl::FunctionRef<void(absl::string_view part)>;
// Calls the visitor for each part of a text.
using Splitter = absl::FunctionRef<void(absl::string_view text, Visitor visit)>;

// Splits the strings of input 0 twice: first to count the parts, and then to
// write them.
absl::Status SplitAll(Splitter split, KernelContext& context) {
  const Tensor& input = context.input(0);
  const auto texts = input.data<std::string>();
  int64_t count = 0;
  int64_t most = 0;  // parts of one string
  int64_t held_bytes = 0;
  for (const std::string& text : texts) {
    const int64_t before = count;
    split(text, [&](absl::string_view part) {
      ++count;
      held_bytes = SaturatingAdd(held_bytes, HeldBytesOfText(part.size()));
    });
    most = std::max(most, count - before);
  }
  LEAT_ASSIGN_OR_RETURN(Tensor* const indices,
                        context.AllocateOutput(0, Shape{count, 2}));
  LEAT_ASSIGN_OR_RETURN(Tensor* const values,
                        context.AllocateOutput(1, Shape{count}, held_bytes));
  LEAT_ASSIGN_OR_RETURN(Tensor* const shape,
                        context.AllocateOutput(2, Shape{2}));
  int64_t* index = indices->mutable_data<int64_t>().data();
  std::string* value = values->mutable_data<std::string>().data();
  for (size_t row = 0; row < texts.size(); ++row) {
    int64_t column = 0;
    split(texts[row], [&](absl::string_view part) {
      *index++ = static_cast<int64_t>(row);
      *index++ = column++;
      (value++)->assign(part.data(), part.size());
    });
  }
  shape->mutable_data<int64_t>()[0] = input.num_elements();
  shape->mutable_data<int64_t>()[1] = most;
  return absl::OkStatus();
}

// Returns input 1, a scalar that TensorFlow calls `name`.
absl::StatusOr<absl::string_view> GetSeparator(const KernelContext& context,
                                               absl::string_view name) {
  const Tensor& input = context.input(0);
  if (!input.shape().IsVector()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input must be a vector, got shape: ", input.shape().DebugString()));
  }
  const Tensor& separator = context.input(1);
  if (!separator.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        " must be a scalar, got shape: ", separator.shape().DebugString()));
  }
  return separator.scalar<std::string>();
}

// Splits at each byte that is one of the delimiters. Without delimiters, each
// byte is a part.
void SplitAtBytes(absl::string_view text, absl::string_view delimiters,
                  bool skip_empty, Visitor visit) {
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) visit(text.substr(i, 1));
    return;
  }
  if (text.empty()) return;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end =
        std::min(text.find_first_of(delimiters, begin), text.size());
    if (!skip_empty || end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Splits at white space, up to `most` times, or everywhere if `most` is
// negative. As in TensorFlow, a rest stands behind the last split even if it is
// empty.
void SplitAtBlanks(absl::string_view text, int64_t most, Visitor visit) {
  if (most == 0) return visit(text);
  text = absl::StripLeadingAsciiWhitespace(text);
  for (int64_t splits = 0; splits != most; ++splits) {
    if (text.empty()) return;
    const auto* const end = std::find_if(text.begin(), text.end(), [](char c) {
      return absl::ascii_isspace(static_cast<unsigned char>(c));
    });
    const auto size = static_cast<size_t>(end - text.begin());
    visit(text.substr(0, size));
    text = absl::StripLeadingAsciiWhitespace(text.substr(size));
  }
  visit(text);
}

// Splits at each separator, up to `most` times, or everywhere if `most` is
// negative.
void SplitAtSeparator(absl::string_view text, absl::string_view separator,
                      int64_t most, Visitor visit) {
  for (int64_t splits = 0; splits != most; ++splits) {
    const size_t end = text.find(separator);
    if (end == absl::string_view::npos) break;
    visit(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  visit(text);
}

class StringSplit final : public Kernel {
 public:
  explicit StringSplit(bool skip_empty) : skip_empty_(skip_empty) {}

  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const absl::string_view delimiters,
                          GetSeparator(context, "delimiter"));
    return SplitAll(
        [&](absl::string_view text, Visitor visit) {
          SplitAtBytes(text, delimiters, skip_empty_, visit);
        },
        context);
  }

 private:
  const bool skip_empty_;
};

class StringSplitV2 final : public Kernel {
 public:
  explicit StringSplitV2(int64_t most) : most_(most < 0 ? -1 : most) {}

  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const absl::string_view separator,
                          GetSeparator(context, "sep"));
    return SplitAll(
        [&](absl::string_view text, Visitor visit) {
          if (separator.empty()) {
            SplitAtBlanks(text, most_, visit);
          } else {
            SplitAtSeparator(text, separator, most_, visit);
          }
        },
        context);
  }

 private:
  const int64_t most_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringSplit(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool skip_empty,
                        node.attrs.Get<bool>("skip_empty"));
  return std::unique_ptr<Kernel>(std::make_unique<StringSplit>(skip_empty));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringSplitV2(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t most,
                        node.attrs.Get<int64_t>("maxsplit"));
  return std::unique_ptr<Kernel>(std::make_unique<StringSplitV2>(most));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringSplit", kCpu, &MakeStringSplit);
  registry.Add("StringSplitV2", kCpu, &MakeStringSplitV2);
}

}  // namespace leat::kernels::any::string_split
