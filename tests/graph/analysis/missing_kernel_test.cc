// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/missing_kernel.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/device.h"

namespace leat::missing_kernel_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

OpRegistry Ops() {
  OpRegistry ops;
  for (const char* const name :
       {"Abs", "BatchMatMulV2", "BatchMatMul", "_Abz"}) {
    ops.Add({.name = name, .attrs = {"T: type"}},
            {OnCpu({{"T", {DType::kFloat}}})});
  }
  ops.Add({.name = "BatchMatMulV3", .attrs = {"Ta: type", "Tb: list(type)"}});
  return ops;
}

TEST(MissingKernelTest, NearestOpsAreThoseThatDifferInFewLetters) {
  const OpRegistry ops = Ops();
  EXPECT_THAT(NearestOps(ops, "BatchMatMulV3"),
              ElementsAre("BatchMatMulV2", "BatchMatMul"));
  EXPECT_THAT(NearestOps(ops, "abz"), ElementsAre("Abs"));
  EXPECT_THAT(NearestOps(ops, "DecodeJpeg"), IsEmpty());
  EXPECT_THAT(NearestOps(ops, ""), IsEmpty());
}

TEST(MissingKernelTest, ErrorsSayWhatIsMissing) {
  const OpRegistry ops = Ops();
  NodeDef node;
  node.name = "scope/n";
  node.op = ops.Find("BatchMatMulV3");
  node.attrs = {{"Ta", DType::kInt64},
                {"Tb", std::vector<DType>{DType::kString, DType::kHalf}}};
  EXPECT_FALSE(HasKernel(ops, node));
  EXPECT_EQ(MissingKernelError(ops, node, kCpu),
            absl::UnimplementedError(
                "node 'scope/n' cannot run: op BatchMatMulV3 has no kernel for "
                "CPU with Ta=int64, Tb=[string, half]; similar ops that have "
                "kernels: BatchMatMulV2, BatchMatMul [[{{node scope/n}}]]"));
  node.op = ops.Find("Abs");
  node.attrs = {{"T", DType::kInt64}};
  EXPECT_FALSE(HasKernel(ops, node));
  EXPECT_EQ(MissingKernelError(ops, node, kCpu),
            absl::UnimplementedError(
                "node 'scope/n' cannot run: op Abs has no "
                "kernel for CPU with T=int64 (leat ops Abs shows "
                "for which types) [[{{node scope/n}}]]"));
  node.attrs = {{"T", DType::kFloat}};
  EXPECT_TRUE(HasKernel(ops, node));
}

}  // namespace
}  // namespace leat::missing_kernel_test
