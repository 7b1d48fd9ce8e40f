// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/blas_multiplication.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/runtime/cuda/cublaslt_api.h"
#include "leat/tests/runtime/cuda/gpu_under_test.h"
#include "leat/tests/testing/gpu/fake_blas.h"

namespace leat::blas_multiplication_test {
namespace {

using ::leat::testing::FakeBlas;
using ::leat::testing::FakeBlasRecord;
using ::leat::testing::GpuUnderTest;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Describes the product of two square matrices with n rows.
ProductForm Square(int64_t n,
                   ProductEpilogue epilogue = ProductEpilogue::kNone) {
  return {.type = DType::kFloat,
          .m = n,
          .n = n,
          .k = n,
          .a = {.leading = n},
          .b = {.leading = n},
          .d = {.leading = n},
          .epilogue = epilogue};
}

class BlasMultiplicationTest : public ::testing::Test {
 protected:
  BlasMultiplicationTest()
      : gpu_({.memory_bytes = 8 << 20}, {.allow_growth = true}) {}

  // Makes a library that keeps at most `max_plans` plans.
  std::unique_ptr<BlasMultiplication> NewLibrary(size_t max_plans = 1000) {
    return std::make_unique<BlasMultiplication>(
        std::make_unique<FakeBlas>(record_),
        BlasMultiplicationOptions{.device = gpu_.device(),
                                  .max_plans = max_plans});
  }

  Tensor Filled(int64_t elements, float value) {
    Tensor pinned = gpu_.Pinned(elements);
    for (float& x : pinned.mutable_data<float>()) x = value;
    Tensor tensor = gpu_.OnGpu(elements);
    EXPECT_TRUE(gpu_.stream().CopyToDevice(pinned, tensor).ok());
    return tensor;
  }
  std::vector<float> Values(const Tensor& tensor) {
    const Tensor host = gpu_.Pinned(tensor.num_elements());
    gpu_.stream().CopyToHost(tensor, host, nullptr);
    EXPECT_TRUE(gpu_.Drain().ok());
    const auto values = host.data<float>();
    return {values.begin(), values.end()};
  }
  // Multiplies a matrix of ones by a matrix in which every element is `b`. The
  // bias, if `form` has one, is -10. Returns the first element of the result.
  float Product(MatrixMultiplication& library, const ProductForm& form,
                float b) {
    const Tensor ones = Filled(form.m * form.k, 1);
    const Tensor right = Filled(form.k * form.n, b);
    const Tensor bias = Filled(form.m, -10);
    Tensor result = gpu_.OnGpu(form.m * form.n);
    const absl::Status status =
        library.Multiply(form, {.a = ones.raw_data(),
                                .b = right.raw_data(),
                                .d = result.mutable_raw_data(),
                                .bias = bias.raw_data()});
    EXPECT_TRUE(status.ok()) << status;
    return Values(result)[0];
  }

  GpuUnderTest gpu_;
  const std::shared_ptr<FakeBlasRecord> record_ =
      std::make_shared<FakeBlasRecord>();
};

TEST_F(BlasMultiplicationTest, AsksOnceForThePlanOfAForm) {
  const auto library = NewLibrary();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Product(*library, Square(4), 2), 8);
    EXPECT_EQ(Product(*library, Square(5), 2), 10);
  }
  EXPECT_THAT(record_->planned, ElementsAre(Square(4), Square(5)));
}

TEST_F(BlasMultiplicationTest, APlanIsForOneEpilogue) {
  const auto library = NewLibrary();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Product(*library, Square(4), 2), 8);
    EXPECT_EQ(Product(*library, Square(4, ProductEpilogue::kBias), 2), -2);
    EXPECT_EQ(Product(*library, Square(4, ProductEpilogue::kBiasRelu), 2), 0);
    EXPECT_NEAR(Product(*library, Square(4, ProductEpilogue::kBiasGelu), 2),
                -0.0454023, 1e-6);
  }
  EXPECT_EQ(record_->planned.size(), 4u);
}

// A plan is made for operands with a certain alignment. Operands with another
// alignment get another plan.
TEST_F(BlasMultiplicationTest, APlanIsForOneAlignment) {
  const auto library = NewLibrary();
  const Tensor x = Filled(100, 1);
  Tensor result = gpu_.OnGpu(16);
  for (const int64_t offset : {0, 4, 1, 4, 0}) {
    ASSERT_TRUE(library
                    ->Multiply(Square(4), {.a = x.raw_data() + 4 * offset,
                                           .b = x.raw_data(),
                                           .d = result.mutable_raw_data()})
                    .ok());
  }
  EXPECT_EQ(Values(result)[0], 4);
  std::vector<size_t> alignments;
  for (const BlasLimits& limits : record_->limits) {
    alignments.push_back(limits.alignment);
  }
  EXPECT_THAT(alignments, ElementsAre(256u, 16u, 4u));
}

TEST_F(BlasMultiplicationTest, ForgetsThePlanThatIsUnusedForLongest) {
  const auto library = NewLibrary(/*max_plans=*/2);
  for (const int64_t n : {1, 2, 1, 3, 1, 2}) Product(*library, Square(n), 1);
  EXPECT_THAT(record_->planned,
              ElementsAre(Square(1), Square(2), Square(3), Square(2)));
}

// The allocator must not hand out the memory of a workspace that queued
// products still use.
TEST_F(BlasMultiplicationTest, KeepsItsWorkspace) {
  const auto library = NewLibrary();
  gpu_.cuda().Hold();
  const Tensor x = Filled(16, 1);
  Tensor result = gpu_.OnGpu(16);
  const ProductOperands operands{
      .a = x.raw_data(), .b = x.raw_data(), .d = result.mutable_raw_data()};
  const int64_t live = gpu_.device().allocator().stats().live_bytes;
  ASSERT_TRUE(library->Multiply(Square(4), operands).ok());
  const Tensor other = Filled(FakeBlas::kWorkspace / 4, 5);
  ASSERT_TRUE(library->Multiply(Square(4), operands).ok());
  ASSERT_TRUE(library->Multiply(Square(3), operands).ok());
  gpu_.cuda().Release();
  EXPECT_EQ(Values(other), std::vector<float>(FakeBlas::kWorkspace / 4, 5.0f));
  EXPECT_EQ(gpu_.device().allocator().stats().live_bytes,
            live + 2 * static_cast<int64_t>(FakeBlas::kWorkspace));
}

TEST_F(BlasMultiplicationTest, AFullGpuMultipliesWithoutAWorkspace) {
  const auto library = NewLibrary();
  const Tensor x = Filled(16, 1);
  Tensor result = gpu_.OnGpu(16);
  std::vector<BufferRef> all;
  for (size_t size = 8 << 20; size >= 256; size /= 2) {
    while (BufferRef block = gpu_.device().allocator().Allocate(size)) {
      all.push_back(std::move(block));
    }
  }
  const ProductOperands operands{
      .a = x.raw_data(), .b = x.raw_data(), .d = result.mutable_raw_data()};
  ASSERT_TRUE(library->Multiply(Square(4), operands).ok());
  all.clear();
  EXPECT_EQ(Values(result)[0], 4);
  ASSERT_EQ(record_->limits.size(), 1u);
  EXPECT_EQ(record_->limits[0].workspace_bytes, 0u);
  // Now there is memory for a workspace. So the library makes a new plan, which
  // may use a workspace and be faster.
  ASSERT_TRUE(library->Multiply(Square(4), operands).ok());
  EXPECT_EQ(Values(result)[0], 4);
  ASSERT_EQ(record_->limits.size(), 2u);
  EXPECT_EQ(record_->limits[1].workspace_bytes, FakeBlas::kWorkspace);
}

TEST_F(BlasMultiplicationTest, AsksOnceForAFormThatTheLibraryRefuses) {
  const auto library = NewLibrary();
  record_->next_plan = absl::UnimplementedError("no algorithm");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(library->Multiply(Square(4), {}),
              absl::UnimplementedError("no algorithm"));
  }
  EXPECT_EQ(record_->planned.size(), 1u);
}

TEST_F(BlasMultiplicationTest, AsksAgainAfterAFailure) {
  const auto library = NewLibrary();
  record_->next_plan = absl::ResourceExhaustedError("no memory");
  EXPECT_EQ(library->Multiply(Square(4), {}),
            absl::ResourceExhaustedError("no memory"));
  record_->next_plan = absl::OkStatus();
  EXPECT_EQ(Product(*library, Square(4), 2), 8);
}

TEST_F(BlasMultiplicationTest, AProductThatFailsIsAnError) {
  const auto library = NewLibrary();
  record_->next_run = absl::InternalError("cublasLtMatmul: failed");
  EXPECT_EQ(library->Multiply(Square(4), {}),
            absl::InternalError("cublasLtMatmul: failed"));
}

// ---- The libraries of a device ----

TEST(CudaLibrariesTest, AreOpenedOnceAndMayUseTf32) {
  for (const bool allow_tf32 : {false, true}) {
    const auto record = std::make_shared<FakeBlasRecord>();
    int opened = 0;
    testing::FakeCudaOptions fake;
    fake.new_blas = [&]() -> absl::StatusOr<std::unique_ptr<BlasApi>> {
      ++opened;
      return std::make_unique<FakeBlas>(record);
    };
    GpuUnderTest gpu(fake, {.allow_tf32 = allow_tf32});
    EXPECT_EQ(opened, 0);
    MatrixMultiplication* const library =
        gpu.stream().libraries().matrix_multiplication();
    ASSERT_NE(library, nullptr);
    EXPECT_EQ(gpu.stream().libraries().matrix_multiplication(), library);
    EXPECT_EQ(opened, 1);
    record->next_plan = absl::UnimplementedError("no algorithm");
    EXPECT_FALSE(library->Multiply(Square(4), {}).ok());
    EXPECT_EQ(record->limits[0].allow_tf32, allow_tf32);
  }
}

TEST(CudaLibrariesTest, TheLogHearsOnceOfALibraryThatIsMissing) {
  std::vector<std::string> lines;
  CudaDeviceOptions options;
  options.log = [&](absl::string_view line) { lines.emplace_back(line); };
  GpuUnderTest gpu({}, options);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(gpu.stream().libraries().matrix_multiplication(), nullptr);
  }
  EXPECT_THAT(lines, ElementsAre(HasSubstr("device:GPU:0: products of matrices "
                                           "use a slower kernel, because "
                                           "cuBLASLt cannot be used: the test "
                                           "has no library")));
}

TEST(CudaLibrariesTest, TheLogMayAskForTheLibraries) {
  GpuLibraries* libraries = nullptr;
  int num_lines = 0;
  CudaDeviceOptions options;
  options.log = [&](absl::string_view) {
    ++num_lines;
    EXPECT_EQ(libraries->matrix_multiplication(), nullptr);
    EXPECT_EQ(libraries->convolution(), nullptr);
  };
  GpuUnderTest gpu({}, options);
  libraries = &gpu.stream().libraries();
  EXPECT_EQ(libraries->matrix_multiplication(), nullptr);
  EXPECT_EQ(num_lines, 2);
}

// On a machine without a GPU, cuBLASLt can be loaded but returns an error.
TEST(CublasLtTest, SaysWhyItCannotBeUsed) {
  if (NewCudaApi().ok()) GTEST_SKIP() << "this machine has a GPU";
  // This test runs in another process, because other tests check which
  // libraries their own process has loaded.
  EXPECT_EXIT(
      {
        const absl::Status status = NewCublasLt().status();
        std::fprintf(stderr, "%s\n", status.ToString().c_str());
        std::_Exit(
            absl::IsFailedPrecondition(status) || absl::IsNotFound(status) ? 0
                                                                           : 1);
      },
      ::testing::ExitedWithCode(0), "cublasLtCreate|libcublasLt|LEAT_CUDA");
}

}  // namespace
}  // namespace leat::blas_multiplication_test
