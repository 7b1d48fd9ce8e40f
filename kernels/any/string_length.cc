// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of StringLength, which counts bytes or characters.
#include <algorithm>
#include <memory>
#include <string>

#include "leat/core/status_macros.h"
#include "leat/core/utf8.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::string_length {
namespace {

class StringLength final : public Kernel {
 public:
  explicit StringLength(bool counts_characters)
      : counts_characters_(counts_characters) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, input.shape()));
    const auto texts = input.data<std::string>();
    const auto lengths = output->mutable_data<int32_t>();
    for (size_t i = 0; i < texts.size(); ++i) {
      lengths[i] = static_cast<int32_t>(counts_characters_ ? CountUtf8(texts[i])
                                                           : texts[i].size());
    }
    return absl::OkStatus();
  }

 private:
  const bool counts_characters_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringLength(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string unit,
                        node.attrs.Get<std::string>("unit"));
  return std::unique_ptr<Kernel>(
      std::make_unique<StringLength>(unit == "UTF8_CHAR"));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringLength", kCpu, &MakeStringLength);
}

}  // namespace leat::kernels::any::string_length
