// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/blas_multiplication.h"

#include <algorithm>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Plans do not become faster if operands are aligned better.
constexpr uintptr_t kBestAlignment = 256;

// Returns the largest power of two by which all addresses can be divided, but
// at most kBestAlignment.
size_t AlignmentOf(const ProductOperands& operands) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(operands.a) |
                         reinterpret_cast<uintptr_t>(operands.b) |
                         reinterpret_cast<uintptr_t>(operands.d) |
                         reinterpret_cast<uintptr_t>(operands.bias) |
                         kBestAlignment;
  return static_cast<size_t>(bits & (~bits + 1));
}

}  // namespace

BlasMultiplication::BlasMultiplication(std::unique_ptr<BlasApi> blas,
                                       const BlasMultiplicationOptions& options)
    : blas_(std::move(blas)), options_(options) {}

absl::Status BlasMultiplication::Multiply(const ProductForm& form,
                                          const ProductOperands& operands) {
  MutexLock lock(mutex_);
  const CudaStream stream = options_.device.gpu_stream()->handle();
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<const BlasPlan> plan,
                        PlanOf({form, AlignmentOf(operands)}));
  return plan->Run(stream, operands,
                   workspace_ == nullptr ? nullptr : workspace_->data());
}

absl::StatusOr<std::shared_ptr<const BlasPlan>> BlasMultiplication::PlanOf(
    const Key& key) {
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    if (plans_.size() >= options_.max_plans) DropOldestPlan();
    if (workspace_ == nullptr) {
      workspace_ =
          options_.device.allocator().Allocate(blas_->preferred_workspace());
    }
    const BlasLimits limits{
        .workspace_bytes = workspace_ == nullptr ? 0 : workspace_->size(),
        .alignment = key.second,
        .allow_tf32 = options_.allow_tf32};
    auto plan = blas_->NewPlan(key.first, limits);
    // Another failure may be over when the form comes again.
    if (!plan.ok() && !absl::IsUnimplemented(plan.status())) {
      return plan.status();
    }
    found = plans_.emplace(key, Planned{std::move(plan)}).first;
  }
  found->second.last_use = ++num_uses_;
  return found->second.plan;
}

void BlasMultiplication::DropOldestPlan() {
  plans_.erase(std::min_element(plans_.begin(), plans_.end(),
                                [](const auto& a, const auto& b) {
                                  return a.second.last_use < b.second.last_use;
                                }));
}

}  // namespace leat
