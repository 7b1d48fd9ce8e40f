// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/kernel_registry.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"

namespace leat {

void KernelRegistry::Add(absl::string_view op, absl::string_view device_type,
                         KernelFactory factory) {
  const bool added =
      factories_
          .emplace(std::make_pair(std::string(op), std::string(device_type)),
                   factory)
          .second;
  LEAT_CHECK(added);
}

void KernelRegistry::AddForAllDevices(absl::string_view op,
                                      KernelFactory factory) {
  Add(op, kCpu, factory);
  Add(op, kGpu, factory);
}

absl::StatusOr<std::unique_ptr<Kernel>> KernelRegistry::Create(
    const NodeDef& node, absl::string_view device_type) const {
  const auto found =
      factories_.find(std::make_pair(node.op->name, std::string(device_type)));
  if (found == factories_.end()) {
    return absl::NotFoundError(absl::StrCat(
        "Node '", node.name, "' needs a kernel of op '", node.op->name,
        "' for device type ", device_type, ", but none is registered"));
  }
  return found->second(node);
}

std::vector<std::pair<std::string, std::string>> KernelRegistry::Registered()
    const {
  std::vector<std::pair<std::string, std::string>> result;
  result.reserve(factories_.size());
  for (const auto& entry : factories_) result.push_back(entry.first);
  std::sort(result.begin(), result.end());
  return result;
}

absl::Status UnsupportedType(const NodeDef& node, absl::string_view attr,
                             DType dtype) {
  return absl::InvalidArgumentError(
      absl::StrCat("Node '", node.name, "' (op ", node.op->name, ") has ", attr,
                   "=", Name(dtype), ", for which there is no kernel"));
}

}  // namespace leat
