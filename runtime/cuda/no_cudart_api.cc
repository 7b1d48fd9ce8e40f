// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Takes the place of cudart_api.cc and cublaslt_api.cc in a build without CUDA.
#include "leat/runtime/cuda/cublaslt_api.h"
#include "leat/runtime/cuda/cuda_api.h"

namespace leat {
namespace {

absl::Status NoCuda() {
  return absl::FailedPreconditionError(
      "this build of Leat has no CUDA (CMake's option LEAT_CUDA)");
}

}  // namespace

absl::StatusOr<std::shared_ptr<CudaApi>> NewCudaApi() { return NoCuda(); }

absl::StatusOr<std::unique_ptr<BlasApi>> NewCublasLt() { return NoCuda(); }

}  // namespace leat
