// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewCublasLt opens the library cuBLASLt.
//
//   LEAT_RETURN_IF_ERROR(api.SetDevice(0));
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<BlasApi> blas, NewCublasLt());
#ifndef LEAT_RUNTIME_CUDA_CUBLASLT_API_H_
#define LEAT_RUNTIME_CUDA_CUBLASLT_API_H_

#include <memory>

#include "absl/status/statusor.h"
#include "leat/runtime/cuda/blas_api.h"

namespace leat {

// Returns cuBLASLt for the current GPU. Takes up to a second. The errors are
// those of CudaApi::NewBlas.
absl::StatusOr<std::unique_ptr<BlasApi>> NewCublasLt();

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_CUBLASLT_API_H_
