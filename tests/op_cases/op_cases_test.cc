// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs every case of tests/op_cases/*.jsonl (see make_cases.py) on a kernel.
// Compares the outputs, or the error, with TensorFlow's. Then makes each
// allocation of the kernel fail in turn.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "leat/kernels/cuda/device/form.h"
#include "leat/tests/op_cases/op_case_runner.h"
#include "leat/tests/testing/gpu/queued_gpu.h"

namespace leat::op_cases_test {
namespace {

class OpCasesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(OpCasesTest, MatchTensorFlow) {
  testing::KernelTestHarness harness;
  EXPECT_GT(ForEachCase(harness, GetParam(), &CheckCase), 0);
}

TEST_P(OpCasesTest, SurviveEachFailedAllocation) {
  testing::KernelTestHarness harness;
  int64_t num_failed = 0;
  ForEachCase(harness, GetParam(),
              [&](testing::KernelTestHarness& harness, const json& spec) {
                num_failed += CheckFailures(harness, spec);
              });
  EXPECT_GT(num_failed, 0);
}

// Runs GPU kernels that are compiled for the host.
class GpuCasesTest : public OpCasesTest {
 protected:
  void SetUp() override {
    if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  }
  // Runs `check` for all cases of the file. `num_threads` threads share the
  // elements of each launch.
  void ForEachGpuCase(
      int num_threads,
      absl::FunctionRef<void(testing::KernelTestHarness&, const json&)> check) {
    testing::KernelTestHarness harness(
        std::make_unique<testing::QueuedGpu>(num_threads),
        testing::AllKernels());
    ForEachCase(harness, GetParam(), check);
  }
};

// The thread sanitizer finds two threads that use the same element at once.
TEST_P(GpuCasesTest, MatchTensorFlow) {
  ForEachGpuCase(/*num_threads=*/2, &CheckCaseInThreads);
}

TEST_P(GpuCasesTest, SurviveEachFailedAllocation) {
  ForEachGpuCase(/*num_threads=*/1,
                 [](testing::KernelTestHarness& harness, const json& spec) {
                   CheckFailures(harness, spec);
                 });
}

// Runs the cases of all ops for which `is_tested` returns true, on a GPU
// without libraries. Expects that there are `num_ops` such ops.
void CheckWithoutLibraries(absl::FunctionRef<bool(absl::string_view)> is_tested,
                           size_t num_ops) {
  if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "kernels are GPU code";
  testing::KernelTestHarness harness(
      std::make_unique<testing::QueuedGpu>(/*num_threads=*/1,
                                           /*has_libraries=*/false),
      testing::AllKernels());
  std::set<std::string> tested;
  for (const std::string& file : CaseFiles()) {
    ForEachCase(harness, file,
                [&](testing::KernelTestHarness& gpu, const json& spec) {
                  const auto op = spec["op"].get<std::string>();
                  if (!is_tested(op)) return;
                  tested.insert(op);
                  CheckCase(gpu, spec);
                });
  }
  EXPECT_EQ(tested.size(), num_ops);
}

TEST(GpuWithoutLibrariesTest, MultipliesMatrices) {
  CheckWithoutLibraries(
      [](absl::string_view op) { return absl::StrContains(op, "MatMul"); }, 5);
}

TEST(GpuWithoutLibrariesTest, Convolves) {
  CheckWithoutLibraries(
      [](absl::string_view op) { return absl::StartsWith(op, "Conv2D"); }, 3);
}

// Returns true for ops whose GPU kernels have their tests in tests/kernels/ and
// tests/train/.
bool IsTestedElsewhere(const std::string& op) {
  return absl::StrContains(op, "Apply") || absl::StrContains(op, "Random") ||
         absl::StrContains(op, "TruncatedNormal") ||
         absl::StartsWith(op, "Resource") || absl::StartsWith(op, "Assign");
}

// If an op has cases and a kernel for GPUs, at least one of the cases must run
// that kernel.
TEST(GpuCoverageTest, EveryGpuKernelHasACase) {
  testing::KernelTestHarness harness(std::make_unique<testing::QueuedGpu>(),
                                     testing::AllKernels());
  testing::KernelTestHarness on_cpu(1);
  std::set<std::string> tested;
  std::set<std::string> with_cases;
  for (const std::string& file : CaseFiles()) {
    ForEachCase(harness, file,
                [&](testing::KernelTestHarness&, const json& spec) {
                  tested.insert(spec["op"].get<std::string>());
                });
    ForEachCase(on_cpu, file,
                [&](testing::KernelTestHarness&, const json& spec) {
                  with_cases.insert(spec["op"].get<std::string>());
                });
  }
  for (const auto& [op, device_type] : testing::AllKernels().Registered()) {
    if (device_type != kGpu || IsTestedElsewhere(op) ||
        with_cases.count(op) == 0) {
      continue;
    }
    EXPECT_EQ(tested.count(op), 1u) << op;
  }
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}
INSTANTIATE_TEST_SUITE_P(AllFamilies, OpCasesTest,
                         ::testing::ValuesIn(CaseFiles()), &NameOf);
INSTANTIATE_TEST_SUITE_P(AllFamilies, GpuCasesTest,
                         ::testing::ValuesIn(CaseFiles()), &NameOf);

}  // namespace
}  // namespace leat::op_cases_test
