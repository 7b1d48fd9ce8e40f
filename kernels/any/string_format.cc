// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of StringFormat, which puts the text of tensors in the
// places of a template.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_summary.h"

namespace leat::kernels::any::string_format {
namespace {

class StringFormat final : public Kernel {
 public:
  // The text of input i comes behind part i of the template.
  StringFormat(std::vector<std::string> parts, int64_t max_values)
      : parts_(std::move(parts)), max_values_(max_values) {}

  absl::Status Compute(KernelContext& context) const override {
    int64_t most = 0;
    for (const std::string& part : parts_) {
      most = SaturatingAdd(most, static_cast<int64_t>(part.size()));
    }
    for (int i = 0; i < context.num_inputs(); ++i) {
      most = SaturatingAdd(most,
                           MostFormattedBytes(context.input(i), max_values_));
    }
    // A string that grows may take twice as much memory.
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, Shape{},
                               MostHeldBytes(1, SaturatingMultiply(most, 2))));
    std::string& text = output->mutable_data<std::string>()[0];
    text = parts_[0];
    for (int i = 0; i < context.num_inputs(); ++i) {
      absl::StrAppend(&text, FormatTensor(context.input(i), max_values_),
                      parts_[i + 1]);
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<std::string> parts_;
  const int64_t max_values_;
};

// Splits the template at the placeholders.
std::vector<std::string> SplitTemplate(absl::string_view text,
                                       absl::string_view placeholder) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(placeholder);
    parts.emplace_back(text.substr(0, end));
    if (end == absl::string_view::npos) return parts;
    text.remove_prefix(end + placeholder.size());
  }
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringFormat(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string text,
                        node.attrs.Get<std::string>("template"));
  LEAT_ASSIGN_OR_RETURN(const std::string placeholder,
                        node.attrs.Get<std::string>("placeholder"));
  LEAT_ASSIGN_OR_RETURN(const int64_t max_values,
                        node.attrs.Get<int64_t>("summarize"));
  if (placeholder.empty()) {
    return absl::InvalidArgumentError("the placeholder is empty");
  }
  std::vector<std::string> parts = SplitTemplate(text, placeholder);
  const size_t num_inputs = node.input_types.size();
  if (parts.size() != num_inputs + 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("num placeholders in template and num inputs must match: ",
                     parts.size() - 1, " vs. ", num_inputs));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<StringFormat>(std::move(parts), max_values));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringFormat", kCpu, &MakeStringFormat);
}

}  // namespace leat::kernels::any::string_format
