// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests inputs that take little memory, but with which a kernel could work
// without end or a number could overflow.
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::unbounded_work_test {
namespace {

constexpr int64_t kVast = int64_t{1} << 62;

class UnboundedWorkTest : public ::testing::Test {
 protected:
  std::vector<Tensor> Run(const char* op, const AttrMap& attrs,
                          std::vector<Tensor> inputs) {
    auto outputs = harness_.Run(op, attrs, std::move(inputs));
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status();
    return outputs.ok() ? *std::move(outputs) : std::vector<Tensor>(3);
  }

  testing::KernelTestHarness harness_;
};

TEST_F(UnboundedWorkTest, UniqueOfEmptySlices) {
  const auto outputs =
      Run("UniqueV2", {},
          {Tensor::Filled<float>(Shape{int64_t{1} << 50, 5, 0}, 0),
           Tensor::Vector<int32_t>({1})});
  EXPECT_EQ(outputs[0].shape(), (Shape{int64_t{1} << 50, 1, 0}));
  EXPECT_EQ(outputs[1].shape(), Shape{5});
  for (const int32_t index : outputs[1].data<int32_t>()) EXPECT_EQ(index, 0);
}

TEST_F(UnboundedWorkTest, ListDiffOfNaN) {
  const Tensor nans = Tensor::Filled<float>(
      Shape{300'000}, std::numeric_limits<float>::quiet_NaN());
  const auto outputs = Run("ListDiff", {}, {nans, nans});
  EXPECT_EQ(outputs[0].shape(), nans.shape());
}

TEST_F(UnboundedWorkTest, RollOfVastAxis) {
  const Shape vast{0, kVast + 2};
  const auto outputs = Run("Roll", {},
                           {Tensor::Filled<int8_t>(vast, 0),
                            Tensor::Vector<int64_t>({kVast, kVast, -kVast}),
                            Tensor::Vector<int32_t>({1, 1, 1})});
  EXPECT_EQ(outputs[0].shape(), vast);
}

TEST_F(UnboundedWorkTest, SpaceToDepthOfVastRows) {
  const auto outputs =
      harness_.Run("SpaceToDepth", AttrMap{{"block_size", int64_t{4}}},
                   {Tensor::Filled<int8_t>(Shape{1, 0, kVast, 1}, 0)});
  EXPECT_TRUE(absl::IsInvalidArgument(outputs.status())) << outputs.status();
}

}  // namespace
}  // namespace leat::unbounded_work_test
