// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Takes the place of cudnn_api.cc in a build without CUDA or without cuDNN's
// headers.
#include "leat/runtime/cuda/cudnn_api.h"

namespace leat {

absl::StatusOr<std::unique_ptr<DnnApi>> NewCudnn(int) {
  return absl::FailedPreconditionError("this build of Leat has no cuDNN");
}

absl::StatusOr<std::unique_ptr<DnnApi>> NewCudnnPlanner(absl::string_view) {
  return NewCudnn(0);
}

}  // namespace leat
