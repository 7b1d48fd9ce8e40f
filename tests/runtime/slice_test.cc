// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares the elements that Output::Slice takes with the elements that NumPy's
// brackets take. The tests contain the expected elements.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::slice_test {
namespace {

// Returns np.arange(24).reshape(2, 3, 4).
Tensor Numbers() {
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::FromSpan<float>(Shape{2, 3, 4}, values);
}

class SliceTest : public ::testing::Test {
 protected:
  // Returns the value of `y` if x is fed with Numbers() and `index` with `i`.
  Tensor Run(const Output& y, int32_t i = 0) {
    const auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return Tensor();
    const auto session = NewTestSession(*graph);
    EXPECT_TRUE(session.ok()) << session.status();
    const auto out =
        (*session)->Run({.feeds = {{x, Numbers()}, {index, Tensor::Scalar(i)}},
                         .fetches = {y}});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }

  void ExpectSlice(const Output& y, const Shape& shape,
                   const std::vector<float>& values, int32_t i = 0) {
    const Tensor expected = Tensor::FromSpan<float>(shape, values);
    const Tensor found = Run(y, i);
    EXPECT_TRUE(Identical(found, expected))
        << found.DebugString(24) << ", expected " << expected.DebugString(24);
  }

  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {2, 3, 4});
  Output index = b.Placeholder<int32_t>("index", Shape{});
};

TEST_F(SliceTest, TakesSingleIndices) {
  ExpectSlice(x.Slice({1, 2, 3}), Shape{}, {23});
  ExpectSlice(x.Slice({-1, 0}), Shape{4}, {12, 13, 14, 15});
  ExpectSlice(x.Slice({All(), -1}), Shape{2, 4},
              {8, 9, 10, 11, 20, 21, 22, 23});
}

TEST_F(SliceTest, TakesRanges) {
  ExpectSlice(x.Slice({0, Range(1, 3), Range(0, 4, 2)}), Shape{2, 2},
              {4, 6, 8, 10});
  ExpectSlice(x.Slice({From(1), Until(1)}), Shape{1, 1, 4}, {12, 13, 14, 15});
  ExpectSlice(x.Slice({0, 0, All(-1)}), Shape{4}, {3, 2, 1, 0});
  ExpectSlice(x.Slice({0, 0, From(2, -1)}), Shape{3}, {2, 1, 0});
  ExpectSlice(x.Slice({0, 0, Until(1, -1)}), Shape{2}, {3, 2});
  ExpectSlice(x.Slice({0, 0, Range(1, 100)}), Shape{3}, {1, 2, 3});
  ExpectSlice(x.Slice({0, 0, Range(3, 1)}), Shape{0}, {});
}

TEST_F(SliceTest, TakesEllipsesAndNewAxes) {
  ExpectSlice(x.Slice({Ellipsis(), 0, NewAxis()}), Shape{2, 3, 1},
              {0, 4, 8, 12, 16, 20});
  ExpectSlice(x.Slice({NewAxis(), 1, 1}), Shape{1, 4}, {16, 17, 18, 19});
  EXPECT_TRUE(Identical(Run(x.Slice({})), Numbers()));
}

TEST_F(SliceTest, TakesIndicesThatTheStepComputes) {
  ExpectSlice(x.Slice({All(), index}), Shape{2, 4},
              {4, 5, 6, 7, 16, 17, 18, 19}, /*i=*/1);
  ExpectSlice(x.Slice({0, index, 0}), Shape{}, {8}, /*i=*/-1);
  ExpectSlice(x.Slice({1, 0, Range(index, index + 2)}), Shape{2}, {13, 14},
              /*i=*/1);
}

TEST_F(SliceTest, ALoopSlicesByItsCounter) {
  const Output start = b.Const<float>({{0, 0, 0, 0}, {0, 0, 0, 0}});
  const std::vector<Output> end = While(
      {b.Const<int32_t>(0), start}, [](auto v) { return op::Less(v[0], 3); },
      [&](auto v) {
        return std::vector<Output>{v[0] + 1, v[1] + x.Slice({All(), v[0]})};
      });
  ExpectSlice(end[1], Shape{2, 4}, {12, 15, 18, 21, 48, 51, 54, 57});
}

TEST_F(SliceTest, HasGradients) {
  const Output y = x.Slice({1, index});
  const std::vector<Gradient> gradients = Gradients({y}, {x});
  std::vector<float> expected(24, 0.0f);
  std::fill(expected.begin() + 16, expected.begin() + 20, 1.0f);
  ExpectSlice(gradients[0].AsDense(), Shape{2, 3, 4}, expected, /*i=*/1);
}

TEST_F(SliceTest, ListsWithOutputsAreComputedInTheStep) {
  EXPECT_EQ(Run(op::Reshape(x, {index, -1}), /*i=*/8).shape(), (Shape{8, 3}));
  const Output sum = op::AddV2({{1, 2}, {3, op::Cast(index, DType::kFloat)}},
                               x.Slice({0, Until(2), Until(2)}));
  ExpectSlice(sum, Shape{2, 2}, {1, 3, 7, 14}, /*i=*/9);
}

}  // namespace
}  // namespace leat::slice_test
