// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DnnConvolution computes convolutions with a DnnApi. It keeps the plans of the
// library.
//
//   DnnConvolution library(std::move(dnn), {.device = gpu});
//   LEAT_RETURN_IF_ERROR(library.Convolve(form, operands));
#ifndef LEAT_RUNTIME_CUDA_DNN_CONVOLUTION_H_
#define LEAT_RUNTIME_CUDA_DNN_CONVOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/convolution_library.h"
#include "leat/core/devices/device.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/cuda/dnn_api.h"
#include "leat/runtime/cuda/plan_cache.h"

namespace leat {

struct DnnConvolutionOptions {
  // The GPU, whose compute stream runs the convolutions. Borrowed.
  Device& device;
  DnnLimits limits = {.workspace_bytes = int64_t{1} << 30};
  // The most plans that are kept. A plan with compiled code takes some
  // megabytes.
  size_t max_plans = 100;
  // Gets a sentence about the first convolution of each type and result that
  // the library refuses. May be null.
  std::function<void(absl::string_view)> log = nullptr;
};

// Thread-safe. A convolution allocates its workspace on the GPU, and frees it
// as soon as the convolution is queued, so later work in the compute stream may
// reuse the memory. If there is no memory for the workspace, a plan with a
// smaller workspace is chosen.
class DnnConvolution final : public ConvolutionLibrary {
 public:
  DnnConvolution(std::unique_ptr<DnnApi> dnn,
                 const DnnConvolutionOptions& options);

  absl::Status Prepare(const ConvolutionForm& form) override;
  absl::Status Convolve(const ConvolutionForm& form,
                        const ConvolutionOperands& operands) override;

 private:
  // A form, and the most bytes of its workspace.
  using Key = std::pair<ConvolutionForm, int64_t>;

  absl::Status RunPlan(const ConvolutionForm& form,
                       const ConvolutionOperands& operands);
  absl::StatusOr<std::shared_ptr<DnnPlan>> PlanOf(const ConvolutionForm& form,
                                                  int64_t max_workspace)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Tells the log if `status` says that the library refuses a convolution, once
  // for each type and result. Returns `status`.
  absl::Status Reported(const ConvolutionForm& form, absl::Status status);

  const std::unique_ptr<DnnApi> dnn_;
  const DnnConvolutionOptions options_;
  Mutex mutex_;
  PlanCache<Key, DnnPlan> plans_ ABSL_GUARDED_BY(mutex_);
  // The types and results that were reported to the log.
  std::set<std::pair<DType, ConvolutionTensor>> reported_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_DNN_CONVOLUTION_H_
