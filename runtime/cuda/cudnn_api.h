// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewCudnn opens the library cuDNN.
//
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<DnnApi> dnn, NewCudnn(0));
#ifndef LEAT_RUNTIME_CUDA_CUDNN_API_H_
#define LEAT_RUNTIME_CUDA_CUDNN_API_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/runtime/cuda/dnn_api.h"

namespace leat {

// Returns cuDNN for the current GPU, which is number `ordinal`. Takes up to a
// second. The errors are those of CudaApi::NewDnn.
absl::StatusOr<std::unique_ptr<DnnApi>> NewCudnn(int ordinal);

// Returns cuDNN for a GPU that is described by `properties`, in cuDNN's JSON
// (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION). The result makes plans on
// machines without a GPU, but these plans cannot run.
absl::StatusOr<std::unique_ptr<DnnApi>> NewCudnnPlanner(
    absl::string_view properties);

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_CUDNN_API_H_
