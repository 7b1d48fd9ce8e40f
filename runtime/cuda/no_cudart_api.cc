// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Takes the place of cudart_api.cc in a build without CUDA.
#include "leat/runtime/cuda/cuda_api.h"

namespace leat {

absl::StatusOr<std::shared_ptr<CudaApi>> NewCudaApi() {
  return absl::FailedPreconditionError(
      "this build of Leat has no CUDA (CMake's option LEAT_CUDA)");
}

}  // namespace leat
