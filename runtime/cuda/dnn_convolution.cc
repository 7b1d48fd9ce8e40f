// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/dnn_convolution.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/buffer.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

absl::string_view NameOf(ConvolutionTensor result) {
  switch (result) {
    case ConvolutionTensor::kInput:
      return "the gradient of a convolution's input";
    case ConvolutionTensor::kFilter:
      return "the gradient of a convolution's filter";
    case ConvolutionTensor::kOutput:
      break;
  }
  return "a convolution";
}

}  // namespace

DnnConvolution::DnnConvolution(std::unique_ptr<DnnApi> dnn,
                               const DnnConvolutionOptions& options)
    : dnn_(std::move(dnn)), options_(options), plans_(options.max_plans) {}

absl::Status DnnConvolution::Prepare(const ConvolutionForm& form) {
  absl::Status status;
  {
    MutexLock lock(mutex_);
    status = PlanOf(form, options_.limits.workspace_bytes).status();
  }
  return Reported(form, std::move(status));
}

absl::Status DnnConvolution::Convolve(const ConvolutionForm& form,
                                      const ConvolutionOperands& operands) {
  return Reported(form, RunPlan(form, operands));
}

absl::Status DnnConvolution::RunPlan(const ConvolutionForm& form,
                                     const ConvolutionOperands& operands) {
  MutexLock lock(mutex_);
  // The smallest workspace for which there was no memory.
  int64_t missing = std::numeric_limits<int64_t>::max();
  for (const int64_t limit : {options_.limits.workspace_bytes, 64 * kMebibyte,
                              8 * kMebibyte, int64_t{0}}) {
    if (limit >= missing) continue;  // the plan would be the same
    LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<DnnPlan> plan,
                          PlanOf(form, limit));
    const int64_t bytes = plan->workspace_bytes();
    BufferRef workspace;
    if (bytes > 0) {
      workspace =
          options_.device.allocator().Allocate(static_cast<size_t>(bytes));
    }
    if (bytes == 0 || workspace != nullptr) {
      return plan->Run(options_.device.gpu_stream()->handle(), operands,
                       workspace == nullptr ? nullptr : workspace->data());
    }
    missing = bytes;
  }
  return absl::UnimplementedError(absl::StrCat(
      "there is no memory for a workspace of ", missing, " bytes"));
}

absl::StatusOr<std::shared_ptr<DnnPlan>> DnnConvolution::PlanOf(
    const ConvolutionForm& form, int64_t max_workspace) {
  // Makes the device's GPU current, because the library uses the current GPU.
  options_.device.gpu_stream()->handle();
  DnnLimits limits = options_.limits;
  limits.workspace_bytes = max_workspace;
  return plans_.Get({form, max_workspace},
                    [&] { return dnn_->NewPlan(form, limits); });
}

absl::Status DnnConvolution::Reported(const ConvolutionForm& form,
                                      absl::Status status) {
  if (!absl::IsUnimplemented(status) || options_.log == nullptr) return status;
  bool is_first = false;
  {
    MutexLock lock(mutex_);
    is_first = reported_.emplace(form.type, form.result).second;
  }
  if (is_first) {
    options_.log(absl::StrCat(options_.device.name(), ": ", NameOf(form.result),
                              " of ", Name(form.type),
                              " uses a much slower kernel, because ",
                              status.message()));
  }
  return status;
}

}  // namespace leat
