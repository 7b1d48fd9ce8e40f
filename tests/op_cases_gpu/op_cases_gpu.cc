// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the op cases on the GPU of this machine. The program links only what the
// kernels of GPUs need, so that it can travel to a machine with a GPU. It needs
// the folder op_cases/, in the folder that the environment variable
// LEAT_TESTS_DIR names:
//
//   LEAT_TESTS_DIR=tests ./op_cases_gpu
#include <cstdio>

#include "leat/kernels/cuda/device/form.h"
#include "leat/tests/op_cases/op_case_runner.h"
#include "leat/tests/op_cases_gpu/cudart_gpu.h"

// These kernels have no device code of their own. RegisterAllKernels is not
// used, because it would link the CPU kernels and oneDNN, too.
#define LEAT_KERNELS_ANY(name)             \
  namespace leat::kernels::any::name {     \
  void Register(KernelRegistry& registry); \
  }
LEAT_KERNELS_ANY(bitcast)
LEAT_KERNELS_ANY(concat)
LEAT_KERNELS_ANY(constant)
LEAT_KERNELS_ANY(dynamic_partition)
LEAT_KERNELS_ANY(dynamic_stitch)
LEAT_KERNELS_ANY(fill)
LEAT_KERNELS_ANY(identity)
LEAT_KERNELS_ANY(one_hot)
LEAT_KERNELS_ANY(optional)
LEAT_KERNELS_ANY(pad)
LEAT_KERNELS_ANY(random)
LEAT_KERNELS_ANY(reshape)
LEAT_KERNELS_ANY(reverse)
LEAT_KERNELS_ANY(select)
LEAT_KERNELS_ANY(slice)
LEAT_KERNELS_ANY(split)
LEAT_KERNELS_ANY(stack)
LEAT_KERNELS_ANY(stateless_random)
LEAT_KERNELS_ANY(strided_slice)
LEAT_KERNELS_ANY(tensor_array)
LEAT_KERNELS_ANY(tensor_array_elements)
LEAT_KERNELS_ANY(tensor_list)
LEAT_KERNELS_ANY(tensor_list_split)
LEAT_KERNELS_ANY(tensor_list_stack)
LEAT_KERNELS_ANY(tile)
LEAT_KERNELS_ANY(to_bool)
LEAT_KERNELS_ANY(transpose)

namespace leat::testing {

const KernelRegistry& AllKernels() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry;  // NOLINT: never destroyed
    kernels::cuda::RegisterAll(*made);
    kernels::any::bitcast::Register(*made);
    kernels::any::concat::Register(*made);
    kernels::any::constant::Register(*made);
    kernels::any::dynamic_partition::Register(*made);
    kernels::any::dynamic_stitch::Register(*made);
    kernels::any::fill::Register(*made);
    kernels::any::identity::Register(*made);
    kernels::any::one_hot::Register(*made);
    kernels::any::optional::Register(*made);
    kernels::any::pad::Register(*made);
    kernels::any::random::Register(*made);
    kernels::any::reshape::Register(*made);
    kernels::any::reverse::Register(*made);
    kernels::any::select::Register(*made);
    kernels::any::slice::Register(*made);
    kernels::any::split::Register(*made);
    kernels::any::stack::Register(*made);
    kernels::any::stateless_random::Register(*made);
    kernels::any::strided_slice::Register(*made);
    kernels::any::tensor_array::Register(*made);
    kernels::any::tensor_array_elements::Register(*made);
    kernels::any::tensor_list::Register(*made);
    kernels::any::tensor_list_split::Register(*made);
    kernels::any::tensor_list_stack::Register(*made);
    kernels::any::tile::Register(*made);
    kernels::any::to_bool::Register(*made);
    kernels::any::transpose::Register(*made);
    return made;
  }();
  return registry;
}

}  // namespace leat::testing

namespace leat::op_cases_test {
namespace {

class GpuOpCasesTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string why = testing::CudartGpu::WhyThereIsNone();
    if (!why.empty()) GTEST_SKIP() << "NOT RUN, there is no GPU: " << why;
  }
};

TEST_P(GpuOpCasesTest, MatchTensorFlow) {
  testing::KernelTestHarness harness(std::make_unique<testing::CudartGpu>(),
                                     testing::AllKernels());
  const int count = ForEachCase(harness, GetParam(), &CheckCaseInThreads);
  std::printf("%s: %d cases ran on the GPU\n", GetParam().c_str(), count);
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, GpuOpCasesTest,
                         ::testing::ValuesIn(CaseFiles()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

}  // namespace
}  // namespace leat::op_cases_test
