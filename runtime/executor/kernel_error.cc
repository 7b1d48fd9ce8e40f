// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/kernel_error.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/status_payloads.h"

namespace leat {
namespace {

// Limits the text of an error. Each call of a function adds a line to the error
// of a node in the function, and calls may nest deep.
constexpr size_t kMaxText = 4 << 10;
// Limits how many inputs an error describes.
constexpr int kMaxInputs = 32;

// Returns `status` with the place of the failure. `inputs` describes the
// inputs. Returns `status` as it is if its text is long already.
absl::Status WithPlace(const absl::Status& status, const NodeDef& node,
                       absl::string_view inputs, const Device& device) {
  if (status.message().size() > kMaxText) return status;
  return WithMessage(
      status,
      absl::StrCat(status.message(), "\n\tin ", node.op->name, inputs, " on ",
                   device.name(), " [[{{node ", node.name, "}}]]"));
}

}  // namespace

absl::Status KernelError(const absl::Status& status, const NodeDef& node,
                         const Device& device, const KernelContext& context) {
  std::string inputs = "(";
  for (int i = 0; i < std::min(context.num_inputs(), kMaxInputs); ++i) {
    const Tensor& input = context.input(i);
    absl::StrAppend(&inputs, i == 0 ? "" : ", ", Name(input.dtype()),
                    input.IsValid() ? input.shape().DebugString() : "");
  }
  if (context.num_inputs() > kMaxInputs) {
    absl::StrAppend(&inputs, " and ", context.num_inputs() - kMaxInputs,
                    " more");
  }
  return WithPlace(status, node, inputs + ")", device);
}

absl::Status LateKernelError(const absl::Status& status, const NodeDef& node,
                             const Device& device) {
  return WithPlace(status, node, "", device);
}

}  // namespace leat
