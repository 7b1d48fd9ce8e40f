// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DnnApi has the calls to cuDNN that the runtime makes. One implementation
// calls the library (cudnn_api.cc). Tests have another one, which computes on
// the host (leat/tests/testing/gpu/fake_dnn.h).
//
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<DnnApi> dnn, api.NewDnn());
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<DnnPlan> plan,
//                         dnn->NewPlan(form, limits));
//   LEAT_RETURN_IF_ERROR(plan->Run(stream, operands, workspace));
#ifndef LEAT_RUNTIME_CUDA_DNN_API_H_
#define LEAT_RUNTIME_CUDA_DNN_API_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/convolution_library.h"
#include "leat/runtime/cuda/cuda_api.h"

namespace leat {

// A way to compute convolutions of one form. Thread-compatible. The DnnApi must
// outlive it.
class DnnPlan {
 public:
  virtual ~DnnPlan() = default;

  // Returns how many bytes of workspace Run needs.
  virtual int64_t workspace_bytes() const = 0;

  // Returns false if factors or sums of floats may be rounded to fewer bits.
  virtual bool is_exact() const = 0;

  // Returns true if sums may be rounded to fewer bits than a float has. Always
  // false in plans for half and bfloat16.
  virtual bool rounds_sums() const = 0;

  // Returns false if the library recommends no plan that may be used, and this
  // one is its way out. Then it can be many times slower than a recommended
  // one.
  virtual bool is_recommended() const = 0;

  // Calls cudnnBackendExecute, which queues the convolution in a stream of the
  // plan's GPU. The workspace must belong to the stream. Returns INTERNAL if
  // the library fails.
  virtual absl::Status Run(CudaStream stream,
                           const ConvolutionOperands& operands,
                           char* workspace) = 0;
};

// The limits for a new plan. A plain value.
struct DnnLimits {
  int64_t workspace_bytes = 0;
  // If false, plans for floats are exact.
  bool allow_tf32 = false;
};

// The library, for one GPU. Thread-compatible.
class DnnApi {
 public:
  virtual ~DnnApi() = default;

  // Chooses the plan that should be fastest, which takes some milliseconds.
  // Returns UNIMPLEMENTED if there is no plan.
  virtual absl::StatusOr<std::unique_ptr<DnnPlan>> NewPlan(
      const ConvolutionForm& form, const DnnLimits& limits) = 0;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_DNN_API_H_
