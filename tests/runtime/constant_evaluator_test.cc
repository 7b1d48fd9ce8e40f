// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/constant_evaluator.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/local_session.h"

namespace leat::constant_evaluator_test {
namespace {

constexpr int64_t kMaxBytes = 1000;

class ConstantEvaluatorTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<Tensor>> Evaluate(
      const std::string& op, AttrMap attrs, const std::vector<Tensor>& inputs) {
    NodeDef node{.name = "node", .op = BuiltinOps().Find(op)};
    EXPECT_TRUE(CheckAttrs(*node.op, attrs, /*fill_defaults=*/true).ok());
    node.attrs = std::move(attrs);
    node.input_types = InputTypes(*node.op, node.attrs).value();
    node.output_types = OutputTypes(*node.op, node.attrs).value();
    return evaluator_->Evaluate(node, inputs, kMaxBytes);
  }

  std::unique_ptr<WorkQueue> queue_ = NewInlineQueue();
  std::unique_ptr<ConstantEvaluator> evaluator_ =
      NewConstantEvaluator(BuiltinKernels(), *queue_);
};

TEST_F(ConstantEvaluatorTest, ComputesAllOutputsAndLeavesTheInputs) {
  const Tensor x = Tensor::Vector<float>({1, 2, 3, 4});
  auto sum = Evaluate("Neg", {{"T", DType::kFloat}}, {x});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_TRUE(Identical((*sum)[0], Tensor::Vector<float>({-1, -2, -3, -4})));
  EXPECT_TRUE(Identical(x, Tensor::Vector<float>({1, 2, 3, 4})));
  auto halves =
      Evaluate("Split", {{"T", DType::kFloat}, {"num_split", int64_t{2}}},
               {Tensor::Scalar<int32_t>(0), x});
  ASSERT_TRUE(halves.ok()) << halves.status();
  ASSERT_EQ(halves->size(), 2u);
  EXPECT_TRUE(Identical((*halves)[1], Tensor::Vector<float>({3, 4})));
}

TEST_F(ConstantEvaluatorTest, RefusesWhatIsTooLargeBeforeItIsMade) {
  const AttrMap attrs = {{"T", DType::kFloat}, {"index_type", DType::kInt64}};
  const auto filled = [&](int64_t count) {
    return Evaluate("Fill", attrs,
                    {Tensor::Vector<int64_t>({count}), Tensor::Scalar(1.0f)});
  };
  EXPECT_TRUE(filled(kMaxBytes / 4).ok());
  EXPECT_EQ(filled(kMaxBytes / 4 + 1).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(filled(int64_t{1} << 50).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(ConstantEvaluatorTest, SaysWhyANodeHasNoValue) {
  EXPECT_EQ(Evaluate("FloorDiv", {{"T", DType::kInt32}},
                     {Tensor::Scalar<int32_t>(1), Tensor::Scalar<int32_t>(0)})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Evaluate("RandomUniform",
                     {{"T", DType::kInt32}, {"dtype", DType::kFloat}},
                     {Tensor::Vector<int32_t>({1})})
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(ConstantEvaluatorTest, TreatsDenormalsAsAStepDoes) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  auto sum = Evaluate("AddV2", {{"T", DType::kFloat}},
                      {Tensor::Scalar(tiny), Tensor::Scalar(tiny)});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)[0].scalar<float>(), 0);
}

}  // namespace
}  // namespace leat::constant_evaluator_test
