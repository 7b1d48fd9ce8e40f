// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/layers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/metrics.h"

namespace leat::nn::layers_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> VariableNames(const GraphBuilder& b) {
  std::vector<std::string> names;
  for (const Variable& variable : b.variables()) {
    names.push_back(variable.name());
  }
  return names;
}

TEST(LayersTest, DenseNamesNodesAsTensorFlowDoes) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 784});
  Output h = Dense(x, {.units = 128, .activation = relu});
  Output y = Dense(h, {.units = 10});
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_THAT(VariableNames(b), ElementsAre("dense/kernel", "dense/bias",
                                            "dense_1/kernel", "dense_1/bias"));
  EXPECT_EQ(h.name(), "dense/Relu:0");
  EXPECT_EQ(y.name(), "dense_1/BiasAdd:0");
  EXPECT_EQ(y.operation().input(0).name(), "dense_1/MatMul:0");
  EXPECT_EQ(y.shape(), (PartialShape{-1, 10}));
  EXPECT_NE(b.graph().Find("dense/kernel/Initializer/random_uniform"), kNoNode);
  EXPECT_NE(b.graph().Find("dense/kernel/Initializer/random_uniform/min"),
            kNoNode);
  EXPECT_NE(b.graph().Find("dense/bias/Initializer/zeros"), kNoNode);
}

TEST(LayersTest, DenseKeepsLeadingAxes) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 5, 8});
  EXPECT_EQ(Dense(x, {.units = 3}).shape(), (PartialShape{-1, 5, 3}));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(LayersTest, ASecondCallInTheScopeSharesVariables) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 4, 4, 3});
  for (bool training : {true, false}) {
    Scope scope = b.VariableScope("model");
    Output h = Conv2D(x, {.filters = 2, .kernel = 3, .padding = "SAME"});
    h = BatchNormalization(h, {.training = training});
    Dense(Flatten(h), {.units = 2});
  }
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(b.variables().size(), 8u);
  EXPECT_EQ(b.updates().size(), 2u);  // only training makes updates
}

TEST(LayersTest, ASecondCallOfAnotherShapeIsAnError) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 4});
  Dense(x, {.units = 2, .name = "logits"});
  Dense(x, {.units = 3, .name = "logits"});
  EXPECT_THAT(std::string(b.status().message()),
              AllOf(HasSubstr("logits/kernel"), HasSubstr("[4,3]"),
                    HasSubstr("layers_test.cc")));
}

TEST(LayersTest, WrongAttrsNameLayerAndCallSite) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 4});
  EXPECT_FALSE(Dense(x, {.units = 0}).IsValid());
  EXPECT_THAT(std::string(b.status().message()),
              AllOf(HasSubstr("'dense'"), HasSubstr("units"),
                    HasSubstr("layers_test.cc")));
  GraphBuilder c;
  Output y = c.Placeholder<float>("y");
  Conv2D(y, {.filters = 2});
  EXPECT_THAT(std::string(c.status().message()), HasSubstr("'conv2d'"));
  GraphBuilder d;
  Dropout(d.Placeholder<float>("x"), {.rate = 1.5});
  EXPECT_THAT(std::string(d.status().message()), HasSubstr("1.5"));
  EXPECT_FALSE(Dense(Output(), {.units = 1}).IsValid());
}

TEST(LayersTest, PoolsFlattensAndDropsOut) {
  GraphBuilder b;
  b.SetSeed(1);
  Output x = b.Placeholder<float>("x", {-1, 28, 28, 3});
  Output h = MaxPool(x, {.size = 2});
  EXPECT_EQ(h.name(), "max_pooling2d/MaxPool:0");
  EXPECT_EQ(h.shape(), (PartialShape{-1, 14, 14, 3}));
  h = AvgPool(h, {.size = 2, .strides = 1});
  EXPECT_EQ(h.shape(), (PartialShape{-1, 13, 13, 3}));
  h = Flatten(h);
  EXPECT_EQ(h.shape(), (PartialShape{-1, 507}));
  EXPECT_EQ(Dropout(h, {.training = false}), h);
  EXPECT_EQ(Dropout(h, {.rate = 0.25}).shape(), h.shape());
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(LayersTest, EmbedsIds) {
  GraphBuilder b;
  Output ids = b.Placeholder<int32_t>("ids", {-1, 7});
  Output rows = Embedding(ids, {.vocabulary = 100, .dimension = 16});
  EXPECT_EQ(rows.shape(), (PartialShape{-1, 7, 16}));
  EXPECT_EQ(rows.operation().op(), "ResourceGather");
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(LayersTest, NormalizesMatricesToo) {
  GraphBuilder b;
  Output x = b.Placeholder<double>("x", {-1, 6});
  EXPECT_EQ(BatchNormalization(x).shape(), (PartialShape{-1, 6}));
  EXPECT_EQ(BatchNormalization(x, {.training = false}).shape(),
            (PartialShape{-1, 6}));
  EXPECT_EQ(b.updates().size(), 2u);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(LossesTest, AreScalars) {
  GraphBuilder b;
  Output labels = b.Placeholder<int32_t>("labels", {-1});
  Output logits = b.Placeholder<float>("logits", {-1, 10});
  Output one_hot = b.Placeholder<float>("one_hot", {-1, 10});
  for (Output scalar :
       {SparseSoftmaxCrossEntropy(labels, logits),
        SoftmaxCrossEntropy(one_hot, logits), MeanSquaredError(one_hot, logits),
        Accuracy(labels, logits)}) {
    EXPECT_EQ(scalar.shape(), PartialShape(Shape{}));
  }
  EXPECT_TRUE(b.status().ok()) << b.status();
}

}  // namespace
}  // namespace leat::nn::layers_test
