// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeDnn is a DnnApi whose convolutions run on the host, in the streams of a
// FakeCuda.
//
//   FakeCuda cuda({.new_dnn = &NewFakeDnn});
#ifndef LEAT_TESTS_TESTING_GPU_FAKE_DNN_H_
#define LEAT_TESTS_TESTING_GPU_FAKE_DNN_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/runtime/cuda/dnn_api.h"
#include "leat/tests/testing/gpu/host_convolution.h"

namespace leat::testing {

// Records the requests to a FakeDnn, and sets its answers.
struct FakeDnnRecord {
  // Holds, for each plan that was requested, the largest workspace that the
  // plan may use.
  std::vector<int64_t> limits = {};
  // If this is not OK, each new plan fails with it.
  absl::Status next_plan = {};
  // If true, every plan needs a workspace.
  bool needs_workspace = false;
};

// Computes a convolution by naive loops. If the workspace is large enough,
// writes the result to the workspace first and copies it from there. So the
// result is wrong if the workspace is used too early, too late or by other
// work.
class FakeDnnPlan final : public DnnPlan {
 public:
  FakeDnnPlan(const ConvolutionForm& form, int64_t max_workspace)
      : form_(form),
        workspace_bytes_(std::min(max_workspace, bytes_of_result())) {}

  int64_t workspace_bytes() const override { return workspace_bytes_; }
  bool is_exact() const override { return true; }
  bool rounds_sums() const override { return false; }
  bool is_recommended() const override { return true; }

  absl::Status Run(CudaStream stream, const ConvolutionOperands& operands,
                   char* workspace) override {
    if (!AreAligned(operands)) return absl::InternalError("not aligned");
    cuda::HostStream& queue = cuda::HostStream::Of(stream);
    if (workspace_bytes_ < bytes_of_result()) {
      queue.Add([form = form_, operands] { ConvolveOnHost(form, operands); });
      return absl::OkStatus();
    }
    ConvolutionOperands first = operands;
    void* to = operands.output;
    first.output = workspace;
    if (form_.result != ConvolutionTensor::kOutput) {
      first.output = operands.output;
      const bool is_input = form_.result == ConvolutionTensor::kInput;
      to = is_input ? operands.input : operands.filter;
      (is_input ? first.input : first.filter) = workspace;
    }
    queue.Add([form = form_, first] { ConvolveOnHost(form, first); });
    queue.Add([workspace, to, bytes = workspace_bytes_] {
      std::copy_n(workspace, bytes, static_cast<char*>(to));
    });
    return absl::OkStatus();
  }

 private:
  int64_t bytes_of_result() const {
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

  const ConvolutionForm form_;
  const int64_t workspace_bytes_;
};

// Makes plans for all convolutions without groups.
class FakeDnn final : public DnnApi {
 public:
  explicit FakeDnn(std::shared_ptr<FakeDnnRecord> record)
      : record_(std::move(record)) {}

  absl::StatusOr<std::unique_ptr<DnnPlan>> NewPlan(
      const ConvolutionForm& form, const DnnLimits& limits) override {
    record_->limits.push_back(limits.workspace_bytes);
    if (!record_->next_plan.ok()) return record_->next_plan;
    if (form.shape.groups > 1) {
      return absl::UnimplementedError("there are groups");
    }
    if (record_->needs_workspace && limits.workspace_bytes == 0) {
      return absl::UnimplementedError("there is no workspace");
    }
    return std::make_unique<FakeDnnPlan>(form, limits.workspace_bytes);
  }

 private:
  const std::shared_ptr<FakeDnnRecord> record_;
};

// Returns a FakeDnn with a record of its own, which the test does not see.
inline absl::StatusOr<std::unique_ptr<DnnApi>> NewFakeDnn() {
  return std::make_unique<FakeDnn>(std::make_shared<FakeDnnRecord>());
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_FAKE_DNN_H_
