// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests DnnConvolution on FakeCuda.
#include "leat/runtime/cuda/dnn_convolution.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/tests/runtime/cuda/gpu_under_test.h"
#include "leat/tests/testing/gpu/fake_dnn.h"

namespace leat::dnn_convolution_test {
namespace {

using ::testing::ElementsAre;
using testing::FakeDnn;
using testing::FakeDnnRecord;
using testing::GpuUnderTest;
using ::testing::HasSubstr;

// Describes a convolution of `size` pixels with a filter of one pixel.
ConvolutionForm Scale(int64_t size, int64_t groups = 1) {
  return {.type = DType::kFloat,
          .shape = {.batch = 1,
                    .in_channels = groups,
                    .in_height = 1,
                    .in_width = size,
                    .out_channels = groups,
                    .out_height = 1,
                    .out_width = size,
                    .groups = groups,
                    .filter_height = 1,
                    .filter_width = 1}};
}

void* DataOf(const Tensor& tensor) {
  return const_cast<char*>(tensor.raw_data());
}

class DnnConvolutionTest : public ::testing::Test {
 protected:
  void Make(const testing::FakeCudaOptions& fake, size_t max_plans = 10) {
    gpu_ = std::make_unique<GpuUnderTest>(fake);
    library_ = std::make_unique<DnnConvolution>(
        std::make_unique<FakeDnn>(record_),
        DnnConvolutionOptions{.device = gpu_->device(),
                              .max_plans = max_plans,
                              .log = [this](absl::string_view line) {
                                said_.emplace_back(line);
                              }});
  }
  std::unique_ptr<GpuUnderTest> gpu_;
  std::unique_ptr<DnnConvolution> library_;
  const std::shared_ptr<FakeDnnRecord> record_ =
      std::make_shared<FakeDnnRecord>();
  std::vector<std::string> said_;
};

TEST_F(DnnConvolutionTest, KeepsTheLastPlans) {
  Make({}, /*max_plans=*/2);
  const auto prepare = [&](int64_t size) {
    EXPECT_TRUE(library_->Prepare(Scale(size)).ok());
    return record_->limits.size();
  };
  EXPECT_EQ(prepare(1), 1u);
  EXPECT_EQ(prepare(2), 2u);
  EXPECT_EQ(prepare(1), 2u);
  EXPECT_EQ(prepare(3), 3u);  // replaces the plan for 2
  EXPECT_EQ(prepare(1), 3u);
  EXPECT_EQ(prepare(2), 4u);
}

TEST_F(DnnConvolutionTest, RemembersThatThereIsNoPlan) {
  Make({});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(absl::IsUnimplemented(library_->Prepare(Scale(4, 2))));
  }
  EXPECT_EQ(record_->limits.size(), 1u);
}

TEST_F(DnnConvolutionTest, TheLogHearsOnceThatThereIsNoPlan) {
  Make({});
  ConvolutionForm form = Scale(4, 2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(absl::IsUnimplemented(library_->Prepare(form)));
    EXPECT_TRUE(absl::IsUnimplemented(library_->Prepare(Scale(5, 2))));
    EXPECT_TRUE(absl::IsUnimplemented(library_->Convolve(form, {})));
  }
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("GPU:0: a convolution of float uses a much "
                                    "slower kernel, because there are "
                                    "groups")));
  form.result = ConvolutionTensor::kFilter;
  EXPECT_TRUE(absl::IsUnimplemented(library_->Prepare(form)));
  ASSERT_EQ(said_.size(), 2u);
  EXPECT_THAT(said_[1], HasSubstr("filter of float"));
}

TEST_F(DnnConvolutionTest, AsksAgainAfterAFailure) {
  Make({});
  record_->next_plan = absl::InternalError("no memory");
  EXPECT_EQ(library_->Prepare(Scale(4)), absl::InternalError("no memory"));
  record_->next_plan = absl::OkStatus();
  EXPECT_TRUE(library_->Prepare(Scale(4)).ok());
}

// A convolution may reuse the workspace memory of the previous one. FakeCuda
// runs the work of the streams in any order that CUDA allows.
TEST_F(DnnConvolutionTest, WorkspacesAreUsedInTheOrderOfTheStream) {
  constexpr int64_t kSize = 1000;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Make({.seed = seed});
    const Tensor filter = gpu_->OnGpu(1), x = gpu_->OnGpu(kSize);
    ASSERT_TRUE(gpu_->stream().Fill(DataOf(filter), 0, 4).ok());
    ASSERT_TRUE(gpu_->stream().Fill(DataOf(x), 0, 4 * kSize).ok());
    gpu_->Add(filter, 2, filter);
    std::vector<Tensor> results;
    for (int i = 0; i < 5; ++i) {
      gpu_->Add(x, 1, x);
      results.push_back(gpu_->OnGpu(kSize));
      ASSERT_TRUE(library_
                      ->Convolve(Scale(kSize), {.input = DataOf(x),
                                                .filter = DataOf(filter),
                                                .output = DataOf(results[i])})
                      .ok());
    }
    for (int i = 0; i < 5; ++i) {
      const Tensor fetched = gpu_->Pinned(kSize);
      gpu_->stream().CopyToHost(results[i], fetched, nullptr);
      ASSERT_TRUE(gpu_->Drain().ok());
      EXPECT_EQ(fetched.data<float>()[0], 2.0f * static_cast<float>(i + 1));
      EXPECT_EQ(fetched.data<float>()[kSize - 1],
                2.0f * static_cast<float>(i + 1));
    }
    EXPECT_THAT(gpu_->cuda().TakeComplaints(), ::testing::IsEmpty());
    results.clear();
    library_.reset();
  }
}

TEST_F(DnnConvolutionTest, AFullGpuConvolvesWithoutAWorkspace) {
  constexpr int64_t kSize = 1000;
  Make({.memory_bytes = 8 << 20});
  const Tensor filter = gpu_->OnGpu(1), x = gpu_->OnGpu(kSize);
  const Tensor result = gpu_->OnGpu(kSize);
  ASSERT_TRUE(gpu_->stream().Fill(DataOf(filter), 0, 4).ok());
  ASSERT_TRUE(gpu_->stream().Fill(DataOf(x), 0, 4 * kSize).ok());
  gpu_->Add(filter, 2, filter);
  gpu_->Add(x, 3, x);
  std::vector<BufferRef> all;
  for (size_t size = 8 << 20; size >= 256; size /= 2) {
    while (BufferRef block = gpu_->device().allocator().Allocate(size)) {
      all.push_back(std::move(block));
    }
  }
  const ConvolutionOperands operands = {
      .input = DataOf(x), .filter = DataOf(filter), .output = DataOf(result)};
  ASSERT_TRUE(library_->Convolve(Scale(kSize), operands).ok());
  EXPECT_THAT(record_->limits, ElementsAre(1 << 30, 0));
  all.clear();
  // There is memory for the workspace of the best plan again, so this plan is
  // used.
  ASSERT_TRUE(library_->Convolve(Scale(kSize), operands).ok());
  EXPECT_EQ(record_->limits.size(), 2u);
  const Tensor fetched = gpu_->Pinned(kSize);
  gpu_->stream().CopyToHost(result, fetched, nullptr);
  ASSERT_TRUE(gpu_->Drain().ok());
  EXPECT_EQ(fetched.data<float>()[kSize - 1], 6);
}

// If the library returns this error, Leat's own kernel computes the
// convolution.
TEST_F(DnnConvolutionTest, RefusesAConvolutionWithoutMemoryForAWorkspace) {
  Make({.memory_bytes = 1 << 20});
  record_->needs_workspace = true;
  const absl::Status status = library_->Convolve(Scale(1 << 28), {});
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  EXPECT_THAT(record_->limits, ElementsAre(1 << 30, 64 << 20, 8 << 20, 0));
}

TEST(CudaLibrariesTest, OpensTheLibraryOfConvolutionsOnce) {
  int num_opened = 0;
  GpuUnderTest gpu({.new_dnn = [&]() {
    ++num_opened;
    return testing::NewFakeDnn();
  }});
  EXPECT_EQ(num_opened, 0);
  GpuLibraries& libraries = gpu.stream().libraries();
  ConvolutionLibrary* const library = libraries.convolution();
  EXPECT_NE(library, nullptr);
  EXPECT_EQ(libraries.convolution(), library);
  EXPECT_EQ(num_opened, 1);
}

TEST(CudaLibrariesTest, SaysOnceThatThereIsNoLibraryOfConvolutions) {
  std::vector<std::string> said;
  GpuUnderTest gpu(
      {}, {.log = [&](absl::string_view text) { said.emplace_back(text); }});
  GpuLibraries& libraries = gpu.stream().libraries();
  EXPECT_EQ(libraries.convolution(), nullptr);
  EXPECT_EQ(libraries.convolution(), nullptr);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("cuDNN"));
  EXPECT_THAT(said[0], HasSubstr("no library for convolutions"));
}

}  // namespace
}  // namespace leat::dnn_convolution_test
