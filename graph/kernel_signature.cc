// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/kernel_signature.h"

#include <algorithm>
#include <utility>

namespace leat {
namespace {

bool Accepts(const TypeConstraint& constraint, const AttrMap& attrs) {
  const auto is_allowed = [&](DType type) {
    return std::find(constraint.types.begin(), constraint.types.end(), type) !=
           constraint.types.end();
  };
  const AttrValue* value = attrs.Find(constraint.attr);
  if (value == nullptr) return false;
  if (const DType* type = std::get_if<DType>(value)) return is_allowed(*type);
  if (const auto* types = std::get_if<std::vector<DType>>(value)) {
    return std::all_of(types->begin(), types->end(), is_allowed);
  }
  return std::holds_alternative<EmptyList>(*value);
}

}  // namespace

bool Accepts(const KernelSignature& signature, const AttrMap& attrs) {
  return std::all_of(signature.constraints.begin(), signature.constraints.end(),
                     [&](const TypeConstraint& constraint) {
                       return Accepts(constraint, attrs);
                     });
}

KernelSignature OnCpu(std::vector<TypeConstraint> constraints) {
  KernelSignature signature;
  signature.constraints = std::move(constraints);
  return signature;
}

KernelSignature QuickOnCpu() {
  KernelSignature signature = OnCpu();
  signature.cost = CostClass::kQuick;
  return signature;
}

KernelSignature ExpensiveOnCpu(std::vector<TypeConstraint> constraints) {
  KernelSignature signature = OnCpu(std::move(constraints));
  signature.cost = CostClass::kExpensive;
  return signature;
}

KernelSignature OnGpu(std::vector<TypeConstraint> constraints) {
  KernelSignature signature = NotFoldable(OnCpu(std::move(constraints)));
  signature.device_type = "GPU";
  return signature;
}

KernelSignature InHostMemory(KernelSignature signature,
                             std::vector<std::string> host_inputs,
                             std::vector<std::string> host_outputs) {
  signature.host_inputs = std::move(host_inputs);
  signature.host_outputs = std::move(host_outputs);
  return signature;
}

KernelSignature RoutesOnGpu() {
  KernelSignature signature = OnGpu();
  signature.int32_on_host = true;
  return signature;
}

std::vector<KernelSignature> RoutesOnAllDevices(
    std::vector<std::string> host_inputs,
    std::vector<std::string> host_outputs) {
  return {NotFoldable(QuickOnCpu()),
          InHostMemory(RoutesOnGpu(), std::move(host_inputs),
                       std::move(host_outputs))};
}

KernelSignature HostOnGpu(std::vector<TypeConstraint> constraints) {
  KernelSignature signature = OnGpu(std::move(constraints));
  signature.runs_on_host = true;
  return signature;
}

KernelSignature HostOrGpu() {
  KernelSignature signature = OnGpu();
  signature.may_run_on_host = true;
  return signature;
}

KernelSignature NotFoldable(KernelSignature signature) {
  signature.foldable = false;
  return signature;
}

}  // namespace leat
