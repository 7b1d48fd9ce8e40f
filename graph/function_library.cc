// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/function_library.h"

#include "absl/strings/str_cat.h"

namespace leat {

absl::Status FunctionLibrary::Add(std::shared_ptr<const Function> function) {
  if (function == nullptr || function->signature.name.empty()) {
    return absl::InvalidArgumentError(
        "A function must have a name, but this one has none");
  }
  const std::string& name = function->signature.name;
  const auto [it, inserted] = functions_.try_emplace(name, function);
  if (!inserted && !Equal(*it->second, *function)) {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", name,
                     "' is already defined, and the two definitions differ"));
  }
  return absl::OkStatus();
}

void FunctionLibrary::Remove(absl::string_view name) {
  const auto it = functions_.find(name);
  if (it != functions_.end()) functions_.erase(it);
}

void FunctionLibrary::RemoveGradient(absl::string_view function) {
  const auto it = gradients_.find(function);
  if (it != gradients_.end()) gradients_.erase(it);
}

absl::Status FunctionLibrary::SetGradient(const std::string& function,
                                          const std::string& gradient) {
  const auto [it, inserted] = gradients_.try_emplace(function, gradient);
  if (inserted || it->second == gradient) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Cannot assign gradient function '", gradient, "' to '", function,
      "' because it already has gradient function '", it->second, "'"));
}

absl::string_view FunctionLibrary::Gradient(absl::string_view function) const {
  const auto it = gradients_.find(function);
  return it == gradients_.end() ? absl::string_view() : it->second;
}

const Function* FunctionLibrary::Find(absl::string_view name) const {
  const auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second.get();
}

bool Equal(const Function& a, const Function& b) {
  if (&a == &b) return true;
  return a.signature == b.signature && a.nodes == b.nodes &&
         a.returns == b.returns && a.control_returns == b.control_returns &&
         a.control_outputs == b.control_outputs && a.attrs == b.attrs &&
         a.arg_attrs == b.arg_attrs;
}

}  // namespace leat
