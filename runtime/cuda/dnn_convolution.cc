// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/dnn_convolution.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"

namespace leat {

DnnConvolution::DnnConvolution(std::unique_ptr<DnnApi> dnn,
                               const DnnConvolutionOptions& options)
    : dnn_(std::move(dnn)), options_(options), plans_(options.max_plans) {}

absl::Status DnnConvolution::Prepare(const ConvolutionForm& form) {
  MutexLock lock(mutex_);
  return PlanOf(form).status();
}

absl::Status DnnConvolution::Convolve(const ConvolutionForm& form,
                                      const ConvolutionOperands& operands) {
  MutexLock lock(mutex_);
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<DnnPlan> plan, PlanOf(form));
  const int64_t bytes = plan->workspace_bytes();
  BufferRef workspace;
  if (bytes > 0) {
    workspace =
        options_.device.allocator().Allocate(static_cast<size_t>(bytes));
    if (workspace == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "there is no memory for a workspace of ", bytes,
          " bytes, which a convolution needs, on ", options_.device.name()));
    }
  }
  return plan->Run(options_.device.gpu_stream()->handle(), operands,
                   workspace == nullptr ? nullptr : workspace->data());
}

absl::StatusOr<std::shared_ptr<DnnPlan>> DnnConvolution::PlanOf(
    const ConvolutionForm& form) {
  // The library works with the GPU that is current.
  options_.device.gpu_stream()->handle();
  return plans_.Get(form, [&] { return dnn_->NewPlan(form, options_.limits); });
}

}  // namespace leat
