// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BlasMultiplication multiplies matrices with a BlasApi. It keeps the plans of
// the library, and the workspace that they use.
//
//   BlasMultiplication library(std::move(blas), {.device = gpu});
//   LEAT_RETURN_IF_ERROR(library.Multiply(form, operands));
#ifndef LEAT_RUNTIME_CUDA_BLAS_MULTIPLICATION_H_
#define LEAT_RUNTIME_CUDA_BLAS_MULTIPLICATION_H_

#include <compare>
#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "leat/core/buffer.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/matrix_multiplication.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/cuda/blas_api.h"
#include "leat/runtime/cuda/plan_cache.h"

namespace leat {

struct BlasMultiplicationOptions {
  // The GPU, whose compute stream runs the products. Borrowed.
  Device& device;
  bool allow_tf32 = false;
  // The most plans that are kept. The least recently used plan is dropped
  // first.
  size_t max_plans = 1000;
};

// Thread-safe. All products run one after another in the compute stream, so
// they share one workspace, which is allocated for the first product and kept.
// While the GPU has no memory left for a workspace, plans without a workspace
// are used.
class BlasMultiplication final : public MatrixMultiplication {
 public:
  BlasMultiplication(std::unique_ptr<BlasApi> blas,
                     const BlasMultiplicationOptions& options);

  absl::Status Multiply(const ProductForm& form,
                        const ProductOperands& operands) override;

 private:
  // Identifies a plan in the cache.
  struct Key {
    ProductForm form;
    size_t alignment;
    size_t workspace_bytes;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  absl::StatusOr<std::shared_ptr<const BlasPlan>> PlanOf(
      const ProductForm& form, size_t alignment)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::unique_ptr<BlasApi> blas_;
  const BlasMultiplicationOptions options_;
  Mutex mutex_;
  BufferRef workspace_ ABSL_GUARDED_BY(mutex_);
  PlanCache<Key, const BlasPlan> plans_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_BLAS_MULTIPLICATION_H_
