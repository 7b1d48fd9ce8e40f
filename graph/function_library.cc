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
