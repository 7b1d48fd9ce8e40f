// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/kernel_error.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_payloads.h"

namespace leat {
namespace {

// Returns `status` with the place of the failure. `inputs` describes the
// inputs.
absl::Status WithPlace(const absl::Status& status, const NodeDef& node,
                       absl::string_view inputs, const Device& device) {
  return WithMessage(
      status,
      absl::StrCat(status.message(), "\n\tin ", node.op->name, inputs, " on ",
                   device.name(), " [[{{node ", node.name, "}}]]"));
}

}  // namespace

absl::Status KernelError(const absl::Status& status, const NodeDef& node,
                         const Device& device, const KernelContext& context) {
  std::string inputs = "(";
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    absl::StrAppend(&inputs, i == 0 ? "" : ", ", Name(input.dtype()),
                    input.IsValid() ? input.shape().DebugString() : "");
  }
  return WithPlace(status, node, inputs + ")", device);
}

absl::Status LateKernelError(const absl::Status& status, const NodeDef& node,
                             const Device& device) {
  return WithPlace(status, node, "", device);
}

}  // namespace leat
