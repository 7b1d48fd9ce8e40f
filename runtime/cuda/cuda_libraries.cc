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
  absl::Status status;
  MatrixMultiplication* library = nullptr;
  {
    MutexLock lock(mutex_);
    if (std::exchange(has_tried_blas_, true)) return multiplication_.get();
    status = OpenBlas();
    library = multiplication_.get();
  }
  Report("cuBLASLt", status, "products of matrices use a slower kernel");
  return library;
}

absl::Status CudaLibraries::OpenBlas() {
  LEAT_RETURN_IF_ERROR(options_.api->SetDevice(options_.ordinal));
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<BlasApi> blas, options_.api->NewBlas());
  multiplication_ = std::make_unique<BlasMultiplication>(
      std::move(blas),
      BlasMultiplicationOptions{options_.device, options_.allow_tf32});
  return absl::OkStatus();
}

ConvolutionLibrary* CudaLibraries::convolution() {
  absl::Status status;
  ConvolutionLibrary* library = nullptr;
  {
    MutexLock lock(mutex_);
    if (std::exchange(has_tried_dnn_, true)) return convolution_.get();
    status = OpenDnn();
    library = convolution_.get();
  }
  Report("cuDNN", status, "convolutions use a much slower kernel");
  return library;
}

absl::Status CudaLibraries::OpenDnn() {
  LEAT_RETURN_IF_ERROR(options_.api->SetDevice(options_.ordinal));
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<DnnApi> dnn, options_.api->NewDnn());
  DnnConvolutionOptions options{options_.device};
  options.limits.allow_tf32 = options_.allow_tf32;
  options.log = options_.log;
  convolution_ = std::make_unique<DnnConvolution>(std::move(dnn), options);
  return absl::OkStatus();
}

void CudaLibraries::Report(absl::string_view library,
                           const absl::Status& status,
                           absl::string_view instead) const {
  if (status.ok() || options_.log == nullptr) return;
  options_.log(absl::StrCat(options_.device.name(), ": ", instead, ", because ",
                            library, " cannot be used: ", status.message()));
}

}  // namespace leat
