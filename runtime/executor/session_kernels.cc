// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/session_kernels.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Returns true if the session must keep the kernel of the node, because the
// kernel has state. Nodes and ops with a leading '_', such as _Send and _Arg,
// belong to one plan, and their state belongs to the step.
bool KeepsState(const NodeDef& node) {
  return node.op->is_stateful && node.name[0] != '_' && node.op->name[0] != '_';
}

// Returns the node's attrs, without those that the op of the node does not
// declare.
AttrMap DeclaredAttrs(const NodeDef& node) {
  AttrMap declared;
  for (const AttrDef& attr : node.op->attrs) {
    const AttrValue* value = node.attrs.Find(attr.name);
    if (value != nullptr) declared.Set(attr.name, *value);
  }
  return declared;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Kernel>> SessionKernels::Get(
    const NodeDef& node, const Device& device, const DeviceType& kernel_type) {
  if (!KeepsState(node)) {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                          registry_.Create(node, kernel_type));
    return std::shared_ptr<const Kernel>(std::move(kernel));
  }
  MutexLock lock(mutex_);
  const std::pair<std::string, std::string> key(device.name(), node.name);
  if (auto found = stateful_.find(key); found != stateful_.end()) {
    const Stateful& known = found->second;
    if (known.op == node.op->name && known.attrs == DeclaredAttrs(node)) {
      return known.kernel;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "node '", node.name, "' (", node.op->name, ") cannot be used on ",
        device.name(), ", because this session already has a different node (",
        known.op, ") of that name there; give the new node another name"));
  }
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        registry_.Create(node, kernel_type));
  std::shared_ptr<const Kernel> shared = std::move(kernel);
  stateful_.emplace(key, Stateful{.kernel = shared,
                                  .op = node.op->name,
                                  .attrs = DeclaredAttrs(node)});
  return shared;
}

}  // namespace leat
