// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/cuda_libraries.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/cuda/blas_multiplication.h"
#include "leat/runtime/cuda/dnn_convolution.h"

namespace leat {

CudaLibraries::CudaLibraries(CudaLibrariesOptions options)
    : options_(std::move(options)) {}

CudaLibraries::~CudaLibraries() = default;

MatrixMultiplication* CudaLibraries::matrix_multiplication() {
  MutexLock lock(mutex_);
  if (std::exchange(has_tried_blas_, true)) return multiplication_.get();
  absl::Status status = options_.api->SetDevice(options_.ordinal);
  if (status.ok()) {
    absl::StatusOr<std::unique_ptr<BlasApi>> blas = options_.api->NewBlas();
    status = blas.status();
    if (blas.ok()) {
      multiplication_ = std::make_unique<BlasMultiplication>(
          *std::move(blas),
          BlasMultiplicationOptions{options_.device, options_.allow_tf32});
    }
  }
  Report("cuBLASLt", status, "products of matrices use a slower kernel");
  return multiplication_.get();
}

ConvolutionLibrary* CudaLibraries::convolution() {
  MutexLock lock(mutex_);
  if (std::exchange(has_tried_dnn_, true)) return convolution_.get();
  absl::Status status = options_.api->SetDevice(options_.ordinal);
  if (status.ok()) {
    absl::StatusOr<std::unique_ptr<DnnApi>> dnn = options_.api->NewDnn();
    status = dnn.status();
    if (dnn.ok()) {
      DnnConvolutionOptions options{options_.device};
      options.limits.allow_tf32 = options_.allow_tf32;
      options.log = options_.log;
      convolution_ = std::make_unique<DnnConvolution>(*std::move(dnn), options);
    }
  }
  Report("cuDNN", status, "convolutions use a much slower kernel");
  return convolution_.get();
}

void CudaLibraries::Report(absl::string_view library,
                           const absl::Status& status,
                           absl::string_view instead) const {
  if (status.ok() || options_.log == nullptr) return;
  options_.log(absl::StrCat(options_.device.name(), ": ", instead, ", because ",
                            library, " cannot be used: ", status.message()));
}

}  // namespace leat
