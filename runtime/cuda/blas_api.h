// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BlasApi has the calls to cuBLASLt that the runtime makes. One implementation
// calls the library (cublaslt_api.cc). Tests have another one, which multiplies
// on the host (leat/tests/testing/gpu/fake_blas.h).
//
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<BlasApi> blas, api.NewBlas());
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<BlasPlan> plan,
//                         blas->NewPlan(form, limits));
//   LEAT_RETURN_IF_ERROR(plan->Run(stream, operands, workspace));
#ifndef LEAT_RUNTIME_CUDA_BLAS_API_H_
#define LEAT_RUNTIME_CUDA_BLAS_API_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/matrix_multiplication.h"
#include "leat/runtime/cuda/cuda_api.h"

namespace leat {

// A way to compute products of one form. Immutable, and so thread-safe. The
// BlasApi must outlive it.
class BlasPlan {
 public:
  virtual ~BlasPlan() = default;

  // Calls cublasLtMatmul, which queues the products in a stream of the plan's
  // GPU. The workspace must belong to the stream, and have as many bytes as the
  // plan was allowed. It may be null if the plan was allowed 0 bytes. Returns
  // INTERNAL if the library fails.
  virtual absl::Status Run(CudaStream stream, const ProductOperands& operands,
                           char* workspace) const = 0;
};

// The limits for a new plan. A plain value.
struct BlasLimits {
  size_t workspace_bytes = 0;
  // The addresses of all operands are multiples of this power of two.
  size_t alignment = 1;
  bool allow_tf32 = false;
};

// The library, for one GPU. Thread-safe.
class BlasApi {
 public:
  virtual ~BlasApi() = default;

  // Returns how many bytes of workspace the fastest plans need.
  virtual size_t preferred_workspace() const = 0;

  // Calls cublasLtMatmulAlgoGetHeuristic, which chooses the plan that should be
  // fastest. This takes about as long as 20 launches. Returns UNIMPLEMENTED if
  // there is no plan.
  virtual absl::StatusOr<std::unique_ptr<BlasPlan>> NewPlan(
      const ProductForm& form, const BlasLimits& limits) = 0;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_BLAS_API_H_
