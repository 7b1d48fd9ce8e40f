// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/blas_multiplication.h"

#include <cstdint>
#include <utility>

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
    : blas_(std::move(blas)), options_(options), plans_(options.max_plans) {}

absl::Status BlasMultiplication::Multiply(const ProductForm& form,
                                          const ProductOperands& operands) {
  MutexLock lock(mutex_);
  const CudaStream stream = options_.device.gpu_stream()->handle();
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<const BlasPlan> plan,
                        PlanOf(form, AlignmentOf(operands)));
  return plan->Run(stream, operands,
                   workspace_ == nullptr ? nullptr : workspace_->data());
}

absl::StatusOr<std::shared_ptr<const BlasPlan>> BlasMultiplication::PlanOf(
    const ProductForm& form, size_t alignment) {
  if (workspace_ == nullptr) {
    workspace_ =
        options_.device.allocator().Allocate(blas_->preferred_workspace());
  }
  const BlasLimits limits{
      .workspace_bytes = workspace_ == nullptr ? 0 : workspace_->size(),
      .alignment = alignment,
      .allow_tf32 = options_.allow_tf32};
  return plans_.Get({form, alignment, limits.workspace_bytes},
                    [&] { return blas_->NewPlan(form, limits); });
}

}  // namespace leat
