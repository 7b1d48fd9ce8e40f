// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/shape_inference.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::shape_inference_test {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kUnknown = PartialShape::kUnknown;

// The shape is taken by reference, because g++ 12 falsely reports a moved shape
// as uninitialized.
InferredOutput OfShape(const PartialShape& shape) {
  InferredOutput output;
  output.shape = shape;
  return output;
}

InferredOutput OfValue(Tensor value) {
  InferredOutput output = OfShape(value.shape());
  output.value = std::make_shared<const Tensor>(std::move(value));
  return output;
}

class InferenceContextTest : public ::testing::Test {
 protected:
  // Returns a context over `inputs`. The fixture keeps the inputs until the
  // test ends.
  InferenceContext Context(std::vector<InferredOutput> inputs,
                           int num_outputs = 1) {
    inputs_ = std::move(inputs);
    std::vector<const InferredOutput*> pointers;
    for (const InferredOutput& input : inputs_) pointers.push_back(&input);
    return InferenceContext(op_, attrs_, std::move(pointers), num_outputs);
  }
  absl::StatusOr<PartialShape> AsShape(InferredOutput input) {
    return Context({std::move(input)}).InputAsShape(0);
  }
  // Returns the shape of output 0 of `function` over inputs of these shapes.
  absl::StatusOr<PartialShape> Infer(ShapeFunction function,
                                     const std::vector<PartialShape>& shapes) {
    std::vector<InferredOutput> inputs;
    for (const PartialShape& shape : shapes) inputs.push_back(OfShape(shape));
    InferenceContext context = Context(std::move(inputs));
    const absl::Status status = function(context);
    if (!status.ok()) return status;
    return context.outputs()[0].shape;
  }

  const OpDef op_ = {.name = "Op"};
  const AttrMap attrs_ = {{"k", int64_t{3}}};
  std::vector<InferredOutput> inputs_;
};

TEST_F(InferenceContextTest, WhatIsOutOfRangeIsUnknown) {
  const InferenceContext context = Context({OfShape({2})});
  EXPECT_EQ(context.input(0), PartialShape({2}));
  EXPECT_FALSE(context.input(1).rank_known());
  EXPECT_FALSE(context.input(-1).rank_known());
  EXPECT_EQ(context.input_value(1), nullptr);
  EXPECT_EQ(context.input_handle(1), nullptr);
  EXPECT_TRUE(context.WithRank(7, 2).ok());
  EXPECT_EQ(*context.Attr<int64_t>("k"), 3);
  EXPECT_FALSE(context.Attr<int64_t>("q").ok());
}

TEST_F(InferenceContextTest, OutputsThatANodeDoesNotHaveAreIgnored) {
  InferenceContext context = Context({}, /*num_outputs=*/1);
  context.set_output(1, Shape{});
  context.set_output_value(-1, Tensor::Scalar<float>(1));
  context.set_output_handle(5, {});
  EXPECT_EQ(context.num_outputs(), 1);
  EXPECT_FALSE(context.outputs()[0].shape.rank_known());
}

TEST_F(InferenceContextTest, RanksAreChecked) {
  const InferenceContext context =
      Context({OfShape({2}), OfShape({}), OfShape(PartialShape())});
  EXPECT_EQ(*context.WithRank(0, 1), PartialShape({2}));
  EXPECT_EQ(context.WithRank(0, 2).status().message(),
            "Shape must be rank 2 but is rank 1");
  EXPECT_EQ(context.WithRankAtLeast(0, 2).status().message(),
            "Shape must be at least rank 2 but is rank 1");
  EXPECT_EQ(context.WithRank(0, 2).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*context.WithRankAtLeast(0, 1), PartialShape({2}));
  // A shape of unknown rank is refined when its rank becomes known.
  EXPECT_EQ(*context.WithRank(2, 2), PartialShape({kUnknown, kUnknown}));
  EXPECT_EQ(*context.WithRankAtLeast(2, 2), PartialShape());
}

TEST_F(InferenceContextTest, ReadsShapesFromValues) {
  EXPECT_EQ(*AsShape(OfValue(Tensor::Vector<int32_t>({2, -1}))),
            PartialShape({2, kUnknown}));
  EXPECT_EQ(*AsShape(OfValue(Tensor::Vector<int64_t>({}))),
            PartialShape(Shape()));
  EXPECT_EQ(*AsShape(OfValue(Tensor::Scalar<int32_t>(-1))), PartialShape());
  InferredOutput partly = OfShape({2});
  partly.value_as_shape = PartialShape{kUnknown, 7};
  EXPECT_EQ(*AsShape(partly), PartialShape({kUnknown, 7}));
  EXPECT_EQ(*AsShape(OfShape({2})), PartialShape({kUnknown, kUnknown}));
  EXPECT_EQ(*AsShape(OfShape({kUnknown})), PartialShape());
  EXPECT_EQ(*AsShape(OfShape(PartialShape())), PartialShape());
}

TEST_F(InferenceContextTest, RefusesValuesThatAreNoShape) {
  EXPECT_FALSE(AsShape(OfValue(Tensor::Vector<int32_t>({-2}))).ok());
  EXPECT_FALSE(AsShape(OfValue(Tensor::Vector<float>({2}))).ok());
  EXPECT_FALSE(AsShape(OfValue(Tensor::Scalar<int32_t>(3))).ok());
  EXPECT_FALSE(AsShape(OfValue(Tensor::Of<int32_t>({1, 1}, {2}))).ok());
  EXPECT_FALSE(AsShape(OfShape({2, 2})).ok());
  EXPECT_FALSE(AsShape(OfShape({INT64_MAX})).ok());
  EXPECT_FALSE(
      AsShape(OfValue(Tensor::Vector<int64_t>({INT64_MAX, INT64_MAX}))).ok());
}

TEST_F(InferenceContextTest, KeepsOnlySmallValues) {
  InferenceContext context = Context({}, /*num_outputs=*/2);
  context.set_output_value(0, Tensor::Filled<float>({kMaxKnownElements}, 1));
  context.set_output_value(1,
                           Tensor::Filled<float>({kMaxKnownElements + 1}, 1));
  EXPECT_NE(context.outputs()[0].value, nullptr);
  EXPECT_EQ(context.outputs()[1].value, nullptr);
}

TEST_F(InferenceContextTest, SharedFunctionsInfer) {
  EXPECT_EQ(*Infer(shapes::Unchanged, {{2, kUnknown}}),
            PartialShape({2, kUnknown}));
  EXPECT_EQ(*Infer(shapes::Scalar, {{2}}), PartialShape(Shape()));
  EXPECT_EQ(*Infer(shapes::Unknown, {{2}}), PartialShape());
  EXPECT_EQ(*Infer(shapes::BroadcastBinary, {{2, 1}, {3}}),
            PartialShape({2, 3}));
  EXPECT_FALSE(Infer(shapes::BroadcastBinary, {{2}, {3}}).ok());
  EXPECT_EQ(*Infer(shapes::MergeAll, {{2, kUnknown}, {kUnknown, 3}, {}}),
            PartialShape({2, 3}));
  EXPECT_FALSE(Infer(shapes::MergeAll, {{2}, {3}}).ok());
}

// Runs the shared functions on a node without inputs and outputs.
TEST_F(InferenceContextTest, SharedFunctionsTakeNodesWithoutInputsOrOutputs) {
  for (const ShapeFunction function :
       {shapes::Unchanged, shapes::Scalar, shapes::Unknown, shapes::NoOutputs,
        shapes::BroadcastBinary, shapes::MergeAll}) {
    InferenceContext context = Context({}, /*num_outputs=*/0);
    EXPECT_TRUE(function(context).ok());
  }
}

absl::Status NeedsMatrix(InferenceContext& context) {
  auto shape = context.WithRank(0, 2);
  if (shape.ok()) context.set_output(0, *shape);
  return shape.status();
}

TEST(InferNodeTest, ErrorsNameTheNodeAndTheShapes) {
  const OpDef op = {.name = "Op", .shape_function = NeedsMatrix};
  const InferredOutput vector = OfShape({2});
  const auto outputs = InferNode(op, "scope/n", {}, {&vector}, 1);
  EXPECT_EQ(outputs.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(outputs.status().message(),
            "node 'scope/n' (Op): Shape must be rank 2 but is rank 1; "
            "input shapes: [2]");
  const InferredOutput matrix = OfShape({2, 3});
  EXPECT_EQ((*InferNode(op, "n", {}, {&matrix}, 1))[0].shape,
            PartialShape({2, 3}));
}

TEST(InferNodeTest, OpsWithoutAFunctionHaveUnknownOutputs) {
  const auto outputs = InferNode({.name = "Op"}, "n", {}, {}, 2);
  ASSERT_EQ(outputs->size(), 2u);
  EXPECT_FALSE((*outputs)[1].shape.rank_known());
}

TEST(BroadcastPartialShapesTest, FollowsNumPyWhereItCan) {
  struct Case {
    PartialShape a = {};
    PartialShape b = {};
    PartialShape expected = {};
  };
  const PartialShape scalar = Shape();
  const std::vector<Case> cases = {
      {scalar, scalar, scalar},
      {{2, 3}, scalar, {2, 3}},
      {{2, 1}, {3}, {2, 3}},
      {{4, 1, 3}, {2, 1}, {4, 2, 3}},
      {PartialShape(), {2}, PartialShape()},
      {{kUnknown}, {kUnknown}, {kUnknown}},
      {{kUnknown}, {1}, {kUnknown}},
      {{kUnknown}, {5}, {5}},
      {{kUnknown, 3}, {3}, {kUnknown, 3}},
      {{0}, {1}, {0}},
      {{0}, {kUnknown}, {0}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(*BroadcastPartialShapes(c.a, c.b), c.expected)
        << c.a.DebugString() << " " << c.b.DebugString();
    EXPECT_EQ(*BroadcastPartialShapes(c.b, c.a), c.expected)
        << c.b.DebugString() << " " << c.a.DebugString();
  }
}

TEST(BroadcastPartialShapesTest, RefusesWhatCannotMatchOrOverflows) {
  const absl::Status status = BroadcastPartialShapes({2}, {3}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("Incompatible shapes: [2] vs. [3]"));
  EXPECT_FALSE(BroadcastPartialShapes({0}, {2}).ok());
  EXPECT_FALSE(BroadcastPartialShapes({INT64_MAX, 1}, {INT64_MAX}).ok());
}

}  // namespace
}  // namespace leat::shape_inference_test
