// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_registry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/graph/op_table.h"

namespace leat {

void OpRegistry::Add(const OpSpec& spec, std::vector<KernelSignature> kernels) {
  absl::StatusOr<OpDef> op = ParseOpSpec(spec);
  absl::Status status =
      op.ok() ? AddDef(*std::move(op), std::move(kernels)) : op.status();
  if (!status.ok()) {
    internal::CheckFailed(__FILE__, __LINE__, status.ToString().c_str());
  }
}

absl::Status OpRegistry::AddDef(OpDef op,
                                std::vector<KernelSignature> kernels) {
  if (op.name.empty()) {
    return absl::InvalidArgumentError(
        "An op must have a name, but this one has none");
  }
  const auto [it, inserted] = ops_.try_emplace(op.name);
  if (!inserted) {
    return absl::AlreadyExistsError(
        absl::StrCat("op '", op.name, "' is already registered"));
  }
  it->second = std::make_unique<Entry>();
  it->second->op = std::move(op);
  it->second->kernels = std::move(kernels);
  return absl::OkStatus();
}

const OpDef* OpRegistry::Find(absl::string_view name) const {
  const auto it = ops_.find(name);
  if (it != ops_.end()) return &it->second->op;
  return table_ == nullptr ? nullptr : table_->Find(name);
}

absl::StatusOr<const OpDef*> OpRegistry::Lookup(absl::string_view name) const {
  const OpDef* op = Find(name);
  if (op == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("Op type not registered '", name, "'"));
  }
  return op;
}

absl::Span<const KernelSignature> OpRegistry::Signatures(
    absl::string_view name) const {
  const auto it = ops_.find(name);
  if (it == ops_.end()) return {};
  return it->second->kernels;
}

const KernelSignature* OpRegistry::FindSignature(absl::string_view op,
                                                 absl::string_view device_type,
                                                 const AttrMap& attrs) const {
  for (const KernelSignature& signature : Signatures(op)) {
    if (signature.device_type == device_type && Accepts(signature, attrs)) {
      return &signature;
    }
  }
  return nullptr;
}

std::vector<const OpDef*> OpRegistry::Ops() const {
  std::vector<const OpDef*> ops;
  ops.reserve(ops_.size());
  for (const auto& entry : ops_) ops.push_back(&entry.second->op);
  std::sort(ops.begin(), ops.end(),
            [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
  return ops;
}

const OpRegistry& BuiltinOps() {
  static const OpRegistry* const registry = [] {
    auto* ops = new OpRegistry;
    ops::RegisterAll(*ops);
    ops->AddTable(TensorFlowOps());
    return ops;
  }();
  return *registry;
}

}  // namespace leat
