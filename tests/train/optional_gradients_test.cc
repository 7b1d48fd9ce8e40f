// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares gradients through optionals with central differences.
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/gradient_program.h"

namespace leat::optional_gradients_test {
namespace {

constexpr DType kDouble = DType::kDouble;

class OptionalGradientTest : public ::testing::TestWithParam<bool> {
 protected:
  Output x() { return p_.Input("x", Shape{2}, {2, -3}, GetParam()); }
  Output y() { return p_.Input("y", Shape{}, {5}, GetParam()); }
  Outputs Get(const Output& optional) {
    return op::OptionalGetValue(
        optional, {kDouble, kDouble},
        GetParam() ? std::vector<PartialShape>{Shape{2}, Shape{}}
                   : std::vector<PartialShape>(2));
  }

  GradientProgram p_;
};

TEST_P(OptionalGradientTest, OfValuesThatAreTakenOut) {
  const Outputs values = Get(op::OptionalFromValue(Outputs{x(), y()}));
  p_.Check(Total(op::Square(values[0])) * op::Sin(values[1]));
}

TEST_P(OptionalGradientTest, OfAnOptionalThatIsReadTwice) {
  const Output optional = op::OptionalFromValue(Outputs{x(), y()});
  const Outputs a = Get(optional);
  const Outputs b = Get(optional);
  p_.Check(Total(op::Square(a[0])) * a[1] + Total(b[0]) * op::Sin(b[1]));
}

TEST_P(OptionalGradientTest, IsZeroForAValueThatNobodyUses) {
  const Outputs values = Get(op::OptionalFromValue(Outputs{x(), y()}));
  p_.Check(Total(op::Square(values[0])));
}

TEST_P(OptionalGradientTest, OfAnOptionalThatHoldsIntegersToo) {
  const Output x = this->x();
  const Output n = p_.b.Const(Tensor::Vector<int32_t>({3, 4}));
  const Outputs values = op::OptionalGetValue(
      op::OptionalFromValue(Outputs{n, x}), {DType::kInt32, kDouble},
      {Shape{2}, PartialShape()});
  p_.Check(Total(op::Square(values[1]) * op::Cast(values[0], kDouble)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, OptionalGradientTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Known" : "Unknown";
                         });

}  // namespace
}  // namespace leat::optional_gradients_test
