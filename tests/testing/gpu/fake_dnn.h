// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeDnn is a DnnApi that computes on the host, in streams of FakeCuda.
//
//   FakeCuda cuda({.new_dnn = &NewFakeDnn});
#ifndef LEAT_TESTS_TESTING_GPU_FAKE_DNN_H_
#define LEAT_TESTS_TESTING_GPU_FAKE_DNN_H_

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/runtime/cuda/dnn_api.h"
#include "leat/tests/testing/gpu/host_convolution.h"

namespace leat::testing {

// Computes a convolution by naive loops. Takes the result through its
// workspace, so that it is wrong if the workspace is used too early, too late
// or by others.
class FakeDnnPlan final : public DnnPlan {
 public:
  explicit FakeDnnPlan(const ConvolutionForm& form) : form_(form) {}

  int64_t workspace_bytes() const override {
    const ConvolutionShape& s = form_.shape;
    const auto size = static_cast<int64_t>(SizeOf(form_.type));
    switch (form_.result) {
      case ConvolutionTensor::kInput:
        return s.batch * s.in_channels * s.in_height * s.in_width * size;
      case ConvolutionTensor::kFilter:
        return s.out_channels * (s.in_channels / s.groups) * s.filter_height *
               s.filter_width * size;
      case ConvolutionTensor::kOutput:
        break;
    }
    return s.batch * s.out_channels * s.out_height * s.out_width * size;
  }

  bool is_exact() const override { return true; }

  absl::Status Run(CudaStream stream, const ConvolutionOperands& operands,
                   char* workspace) override {
    if (!AreAligned(operands)) return absl::InternalError("not aligned");
    ConvolutionOperands first = operands;
    void* to = operands.output;
    first.output = workspace;
    if (form_.result != ConvolutionTensor::kOutput) {
      first.output = operands.output;
      const bool is_input = form_.result == ConvolutionTensor::kInput;
      to = is_input ? operands.input : operands.filter;
      (is_input ? first.input : first.filter) = workspace;
    }
    cuda::HostStream& queue = cuda::HostStream::Of(stream);
    queue.Add([form = form_, first] { ConvolveOnHost(form, first); });
    queue.Add([workspace, to, bytes = workspace_bytes()] {
      std::copy_n(workspace, bytes, static_cast<char*>(to));
    });
    return absl::OkStatus();
  }

 private:
  const ConvolutionForm form_;
};

// Has plans for all convolutions without groups.
class FakeDnn final : public DnnApi {
 public:
  // Counts the plans in `num_plans`, which may be null.
  explicit FakeDnn(int* num_plans = nullptr) : num_plans_(num_plans) {}

  absl::StatusOr<std::unique_ptr<DnnPlan>> NewPlan(const ConvolutionForm& form,
                                                   const DnnLimits&) override {
    if (num_plans_ != nullptr) ++*num_plans_;
    if (form.shape.groups > 1) {
      return absl::UnimplementedError("there are groups");
    }
    return std::make_unique<FakeDnnPlan>(form);
  }

 private:
  int* const num_plans_;
};

inline absl::StatusOr<std::unique_ptr<DnnApi>> NewFakeDnn() {
  return std::make_unique<FakeDnn>();
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_FAKE_DNN_H_
