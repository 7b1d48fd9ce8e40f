// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeBlas is a BlasApi whose products run on the host, in the streams of a
// FakeCuda.
//
//   FakeCuda cuda({.new_blas = &NewFakeBlas});
#ifndef LEAT_TESTS_TESTING_GPU_FAKE_BLAS_H_
#define LEAT_TESTS_TESTING_GPU_FAKE_BLAS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/runtime/cuda/blas_api.h"
#include "leat/tests/testing/gpu/host_products.h"

namespace leat::testing {

// Records the requests to a FakeBlas, and sets its errors. The plans of the
// FakeBlas share this object.
struct FakeBlasRecord {
  std::vector<ProductForm> planned = {};
  std::vector<BlasLimits> limits = {};
  // If `next_plan` is not OK, each new plan fails with it. If `next_run` is not
  // OK, each run fails with it.
  absl::Status next_plan = {};
  absl::Status next_run = {};
};

// Adds a failure to the running test if cuBLASLt would refuse the form of a
// product, or if an operand has less alignment than the limits of the plan
// require. Each product overwrites the whole workspace. A FakeBlas is
// thread-compatible.
class FakeBlas final : public BlasApi {
 public:
  static constexpr size_t kWorkspace = 4096;

  explicit FakeBlas(std::shared_ptr<FakeBlasRecord> record)
      : record_(std::move(record)) {}

  size_t preferred_workspace() const override { return kWorkspace; }
  absl::StatusOr<std::unique_ptr<BlasPlan>> NewPlan(
      const ProductForm& form, const BlasLimits& limits) override;

 private:
  class Plan;

  const std::shared_ptr<FakeBlasRecord> record_;
};

// Returns a FakeBlas with a record of its own, which the test does not see.
absl::StatusOr<std::unique_ptr<BlasApi>> NewFakeBlas();

// ---------------------------------------------------------------------------

class FakeBlas::Plan final : public BlasPlan {
 public:
  Plan(const ProductForm& form, const BlasLimits& limits,
       std::shared_ptr<const FakeBlasRecord> record)
      : form_(form), limits_(limits), record_(std::move(record)) {}

  absl::Status Run(CudaStream stream, const ProductOperands& operands,
                   char* workspace) const override {
    if (!record_->next_run.ok()) return record_->next_run;
    for (const void* address :
         {operands.a, operands.b, static_cast<const void*>(operands.d),
          operands.bias}) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % limits_.alignment, 0u);
    }
    cuda::HostStream::Of(stream).Add(
        [form = form_, bytes = limits_.workspace_bytes, operands, workspace] {
          if (bytes > 0) std::memset(workspace, 0x77, bytes);
          ComputeProducts(form, operands);
        });
    return absl::OkStatus();
  }

 private:
  const ProductForm form_;
  const BlasLimits limits_;
  const std::shared_ptr<const FakeBlasRecord> record_;
};

inline void ExpectMatrix(const MatrixLayout& layout, int64_t rows,
                         int64_t columns) {
  EXPECT_GE(layout.leading, layout.is_transposed ? columns : rows);
  EXPECT_GE(layout.stride, 0);
}

inline absl::StatusOr<std::unique_ptr<BlasPlan>> FakeBlas::NewPlan(
    const ProductForm& form, const BlasLimits& limits) {
  record_->planned.push_back(form);
  record_->limits.push_back(limits);
  if (!record_->next_plan.ok()) return record_->next_plan;
  EXPECT_GT(form.m, 0);
  EXPECT_GT(form.n, 0);
  EXPECT_GT(form.k, 0);
  EXPECT_GT(form.num_products, 0);
  ExpectMatrix(form.a, form.m, form.k);
  ExpectMatrix(form.b, form.k, form.n);
  ExpectMatrix(form.d, form.m, form.n);
  EXPECT_FALSE(form.d.is_transposed);
  return std::make_unique<Plan>(form, limits, record_);
}

inline absl::StatusOr<std::unique_ptr<BlasApi>> NewFakeBlas() {
  return std::make_unique<FakeBlas>(std::make_shared<FakeBlasRecord>());
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_FAKE_BLAS_H_
