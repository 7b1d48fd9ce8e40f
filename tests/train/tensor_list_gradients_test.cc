// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares gradients through lists of tensors with central differences.
#include "gtest/gtest.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/train/gradient_program.h"

namespace leat::tensor_list_gradients_test {
namespace {

using Variables = absl::Span<const Output>;

constexpr DType kDouble = DType::kDouble;

Output Ints(GraphBuilder& b, std::initializer_list<int32_t> values) {
  return b.Const(Tensor::Vector<int32_t>(values));
}

// Returns a sum in which every element has a different weight.
Output Weighted(const Output& x) {
  const Output flat = op::Reshape(x, Tensor::Vector<int32_t>({-1}));
  const Output positions = op::Cast(op::Range(0, op::Size(flat), 1), kDouble);
  return op::Sum(op::Square(flat) * op::Sin(positions + 1.0), 0);
}

class TensorListGradientTest : public ::testing::TestWithParam<bool> {
 protected:
  Output Rows(const std::string& name) {
    return p_.Input(name, Shape{3, 2}, {.1, .2, .3, .4, .5, .6}, GetParam());
  }
  Output Row(const std::string& name) {
    return p_.Input(name, Shape{2}, {.7, -.8}, GetParam());
  }

  GradientProgram p_;
  GraphBuilder& b_ = p_.b;
};

TEST_P(TensorListGradientTest, StackAndFromTensor) {
  const Output x = Rows("x");
  const Output list = op::TensorListFromTensor(x, Ints(b_, {2}));
  p_.Check(Weighted(op::TensorListStack(list, Ints(b_, {2}), kDouble)));
}

TEST_P(TensorListGradientTest, GetItemAndSetItem) {
  const Output x = Rows("x");
  const Output item = Row("item");
  const Output list = op::TensorListFromTensor(x, Ints(b_, {2}));
  const Output changed = op::TensorListSetItem(list, 1, item);
  const Output got = op::TensorListGetItem(changed, 2, Ints(b_, {2}), kDouble);
  p_.Check(Weighted(op::TensorListStack(changed, Ints(b_, {2}), kDouble)) +
           Weighted(got) +
           Weighted(op::TensorListGetItem(list, 1, Ints(b_, {2}), kDouble)));
}

TEST_P(TensorListGradientTest, PushBackAndPopBack) {
  const Output x = Rows("x");
  const Output item = Row("item");
  const Output list = op::TensorListFromTensor(x, Ints(b_, {2}));
  const Output longer = op::TensorListPushBack(list, item);
  const auto once = op::TensorListPopBack(longer, Ints(b_, {2}), kDouble);
  const auto twice =
      op::TensorListPopBack(once.output_handle, Ints(b_, {2}), kDouble);
  const Output rest =
      op::TensorListStack(twice.output_handle, Ints(b_, {2}), kDouble);
  p_.Check(Weighted(once.tensor * twice.tensor) + Weighted(rest));
}

TEST_P(TensorListGradientTest, Resize) {
  const Output x = Rows("x");
  const Output list = op::TensorListFromTensor(x, Ints(b_, {2}));
  const Output shorter = op::TensorListResize(list, 2);
  p_.Check(Weighted(op::TensorListStack(shorter, Ints(b_, {2}), kDouble)));
}

TEST_P(TensorListGradientTest, GatherAndScatter) {
  const Output x = Rows("x");
  const Output list =
      op::TensorListScatterV2(x, Ints(b_, {2, 0, 1}), Ints(b_, {2}), 3);
  p_.Check(Weighted(
      op::TensorListGather(list, Ints(b_, {1, 2}), Ints(b_, {2}), kDouble)));
}

TEST_P(TensorListGradientTest, ScatterIntoExistingList) {
  const Output x = Rows("x");
  const Output y = p_.Input("y", Shape{2, 2}, {1, 2, 3, 4}, GetParam());
  const Output list = op::TensorListFromTensor(x, Ints(b_, {2}));
  const Output changed =
      op::TensorListScatterIntoExistingList(list, y, Ints(b_, {2, 0}));
  p_.Check(Weighted(op::TensorListStack(changed, Ints(b_, {2}), kDouble)) +
           Weighted(x));
}

TEST_P(TensorListGradientTest, ConcatAndSplit) {
  const Output x = Rows("x");
  const Output list = op::TensorListSplit(
      x, Ints(b_, {-1, 2}), b_.Const(Tensor::Vector<int64_t>({1, 2})));
  const auto all = op::TensorListConcatV2(
      list, Ints(b_, {-1, 2}),
      b_.Const(Tensor::FromSpan<int64_t>(Shape{0}, std::vector<int64_t>{})),
      kDouble);
  p_.Check(Weighted(all.tensor));
}

// A recurrent network reads its inputs from one list and writes its outputs to
// another.
TEST_P(TensorListGradientTest, ListsThatALoopReadsAndWrites) {
  const Output x = Rows("x");
  const Output w = p_.Input("w", Shape{2, 2}, {.3, -.2, .6, .1});
  const Output in = op::TensorListFromTensor(x, Ints(b_, {2}));
  const Output out = op::TensorListReserve(Ints(b_, {1, 2}), 3, kDouble);
  const Output h0 = b_.Const(
      Tensor::FromSpan<double>(Shape{1, 2}, std::vector<double>{.1, -.1}));
  const Outputs r = While(
      {b_.Const<int32_t>(0), h0, out},
      [&](Variables v) { return op::Less(v[0], 3); },
      [&](Variables v) {
        const Output row =
            op::TensorListGetItem(in, v[0], Ints(b_, {2}), kDouble);
        const Output h = op::Tanh(op::MatMul(v[1], w) + row);
        return Outputs{v[0] + 1, h, op::TensorListSetItem(v[2], v[0], h)};
      });
  const Output all = op::TensorListStack(r[2], Ints(b_, {1, 2}), kDouble);
  p_.Check(Weighted(all) + Weighted(r[1]));
}

INSTANTIATE_TEST_SUITE_P(Shapes, TensorListGradientTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Known" : "Unknown";
                         });

}  // namespace
}  // namespace leat::tensor_list_gradients_test
