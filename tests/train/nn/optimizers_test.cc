// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/optimizers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"

namespace leat::nn::optimizers_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::vector<std::string> Ops(const GraphBuilder& b) {
  std::vector<std::string> ops;
  for (NodeId id : b.graph().NodeIds()) ops.push_back(b.graph().node(id).op());
  return ops;
}

struct Model {
  Output loss = {};
  Variable w = {};
};

Model Linear(GraphBuilder& b, bool use_resource) {
  Output x = b.Placeholder<float>("x", {2, 2});
  Variable w =
      b.Variable("w", b.Const(Tensor::Filled<float>(Shape{2, 2}, 1.0f)),
                 {.use_resource = use_resource});
  return {.loss = op::L2Loss(op::MatMul(x, w.value())), .w = w};
}

TEST(OptimizersTest, EmitTheOpsOfTheVariablesKind) {
  for (bool resource : {true, false}) {
    GraphBuilder b;
    const Model model = Linear(b, resource);
    GradientDescent().Minimize(model.loss, {.name = "GD"});
    Momentum({.nesterov = true}).Minimize(model.loss);
    Adagrad().Minimize(model.loss);
    RMSProp().Minimize(model.loss);
    RMSProp({.centered = true}).Minimize(model.loss);
    Adam().Minimize(model.loss);
    ASSERT_TRUE(b.status().ok()) << b.status();
    const std::string prefix = resource ? "ResourceApply" : "Apply";
    EXPECT_THAT(Ops(b),
                IsSupersetOf({prefix + "GradientDescent", prefix + "Momentum",
                              prefix + "Adagrad", prefix + "RMSProp",
                              prefix + "CenteredRMSProp", prefix + "Adam"}));
    EXPECT_TRUE(b.Build().ok());
  }
}

TEST(OptimizersTest, EmitTheSparseOpsForRows) {
  for (bool resource : {true, false}) {
    GraphBuilder b;
    Output ids = b.Placeholder<int32_t>("ids", {-1});
    Variable w =
        b.Variable("w", b.Const(Tensor::Filled<float>(Shape{9, 2}, 1.0f)),
                   {.use_resource = resource});
    Output rows = resource ? op::ResourceGather(w.handle(), ids, DType::kFloat)
                           : op::GatherV2(w.value(), ids, 0);
    Output loss = op::L2Loss(rows);
    GradientDescent().Minimize(loss);
    Momentum().Minimize(loss);
    Adagrad().Minimize(loss);
    RMSProp().Minimize(loss);
    Adam().Minimize(loss);
    ASSERT_TRUE(b.status().ok()) << b.status();
    const std::string prefix = resource ? "Resource" : "";
    EXPECT_THAT(Ops(b),
                IsSupersetOf({prefix + "SparseApplyMomentum",
                              prefix + "SparseApplyAdagrad",
                              prefix + "SparseApplyRMSProp",
                              prefix + "ScatterAdd", std::string("Unique")}));
    EXPECT_TRUE(b.Build().ok());
  }
}

TEST(OptimizersTest, NameSlotsAsTensorFlowDoes) {
  GraphBuilder b;
  const Model model = Linear(b, true);
  Operation step = Adam().Minimize(model.loss);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(step.name(), "Adam");
  for (const char* name :
       {"w/Adam", "w/Adam_1", "beta1_power", "beta2_power",
        "Adam/learning_rate", "Adam/update_w/ResourceApplyAdam"}) {
    EXPECT_NE(b.graph().Find(name), kNoNode) << name;
  }
  const NodeId slot = b.graph().Find("w/Adam");
  EXPECT_EQ(
      *b.graph().node(slot).attrs().Get<std::vector<std::string>>("_class"),
      std::vector<std::string>{"loc:@w"});
}

TEST(OptimizersTest, OneStepOfAnMlpHasNoMoreNodesThanTensorFlows) {
  GraphBuilder b;
  Output images = b.Placeholder<float>("images", {-1, 784});
  Output labels = b.Placeholder<int32_t>("labels", {-1});
  Output h = Dense(images, {.units = 128, .activation = relu});
  Output loss = SparseSoftmaxCrossEntropy(labels, Dense(h, {.units = 10}));
  Operation step = GradientDescent({.learning_rate = 0.1}).Minimize(loss);
  ASSERT_TRUE(b.status().ok()) << b.status();
  const NodeId roots[] = {step.id(), loss.operation().id()};
  const std::vector<bool> reached = NeededBy(b.graph(), roots);
  // count_nodes_with_tensorflow.py, in this folder, prints 62 for TensorFlow
  // 2.15.1.
  EXPECT_LE(std::count(reached.begin(), reached.end(), true), 62);
}

TEST(OptimizersTest, CountTheGlobalStepAndTakeSchedules) {
  GraphBuilder b;
  const Model model = Linear(b, true);
  Variable step = GlobalStep(b);
  Output rate = ExponentialDecay(step.value(), {.initial = 0.5, .steps = 10});
  Operation train = Momentum({.learning_rate = rate})
                        .Minimize(model.loss, {.global_step = step});
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(train.name(), "Momentum");
  EXPECT_NE(b.graph().Find("Momentum/AssignAddVariableOp"), kNoNode);
  PiecewiseConstant(step.value(), {.boundaries = {5, 9}, .rates = {1, 2, 3}});
  CosineDecay(step.value());
  ASSERT_TRUE(b.status().ok()) << b.status();
  PiecewiseConstant(step.value(), {.boundaries = {5, 9}, .rates = {1, 2}});
  EXPECT_THAT(std::string(b.status().message()), HasSubstr("2 boundaries"));
}

TEST(OptimizersTest, RunTheBuildersUpdates) {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 4});
  Output y = Dense(BatchNormalization(x), {.units = 1});
  Operation train = Adam().Minimize(op::L2Loss(y));
  ASSERT_TRUE(b.status().ok()) << b.status();
  ASSERT_EQ(b.updates().size(), 2u);
  const auto& controls = b.graph().node(train.id()).controls;
  EXPECT_EQ(std::count(controls.begin(), controls.end(), b.updates()[0].id()),
            1);
}

TEST(OptimizersTest, RefuseALossThatTheyCannotMinimize) {
  GraphBuilder b;
  Adam().Minimize(b.Const(1.0f));
  EXPECT_THAT(std::string(b.status().message()), HasSubstr("depends on none"));
  GraphBuilder c;
  Output x = c.Placeholder<float>("x", {2});
  Adam().Minimize(x);
  EXPECT_THAT(std::string(c.status().message()), HasSubstr("scalar"));
  EXPECT_FALSE(Adam().Minimize(Output()).IsValid());
}

}  // namespace
}  // namespace leat::nn::optimizers_test
