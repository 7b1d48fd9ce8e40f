// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests wrong uses of layers, losses and optimizers. No wrong use may end the
// program. Each must cause an error that says what is wrong and names the line
// in this file.
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/metrics.h"
#include "leat/train/nn/optimizers.h"

namespace leat::nn::wrong_uses_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Describes a graph with inputs that the cases use wrongly.
struct Program {
  GraphBuilder b;
  Output x = b.Placeholder<float>("x", {-1, 8});
  Output image = b.Placeholder<float>("image", {-1, 28, 28, 1});
  Output ids = b.Placeholder<int32_t>("ids", {-1});
  Output bools = b.Placeholder<bool>("bools", {-1});
  Output ints = b.Placeholder<int32_t>("ints", {-1, 3});
};

struct WrongUse {
  const char* title = "";
  std::function<void(Program&)> use = {};
  std::vector<std::string> named = {};  // texts that the message must contain
};

void ExpectErrors(const std::vector<WrongUse>& uses) {
  for (const WrongUse& wrong : uses) {
    SCOPED_TRACE(wrong.title);
    Program p;
    wrong.use(p);
    const std::string message(p.b.status().message());
    EXPECT_FALSE(p.b.status().ok());
    for (const std::string& name : wrong.named) {
      EXPECT_THAT(message, HasSubstr(name));
    }
    EXPECT_THAT(message, HasSubstr("wrong_uses_test.cc:"));
    // The message names only the call site, not the library's files.
    EXPECT_THAT(message, Not(HasSubstr("layers.cc")));
    EXPECT_EQ(p.b.Build().status(), p.b.status());
  }
}

constexpr int64_t kHuge = int64_t{1} << 60;

TEST(WrongUsesTest, ExtentsOfNoTensor) {
  const std::string elements = "2^63 - 1";
  ExpectErrors({
      {.title = "Dense",
       .use = [](Program& p) { Dense(p.x, {.units = kHuge}); },
       .named = {"'dense/kernel'", elements}},
      {.title = "filters",
       .use = [](Program& p) { Conv2D(p.image, {.filters = kHuge}); },
       .named = {"'conv2d/kernel'", elements}},
      {.title = "kernel",
       .use =
           [](Program& p) {
             Conv2D(p.image, {.filters = 4, .kernel = {4 * kHuge, 1}});
           },
       .named = {"'conv2d/kernel'", elements}},
      {.title = "Embedding",
       .use =
           [](Program& p) {
             Embedding(p.ids, {.vocabulary = kHuge, .dimension = kHuge});
           },
       .named = {"'embedding/embeddings'", elements}},
      {.title = "Flatten",
       .use =
           [](Program& p) {
             const int64_t wide = int64_t{1} << 31;
             Flatten(p.b.Placeholder<float>("wide", {-1, wide, wide}));
           },
       .named = {"'flatten/Reshape'", "'shape'", "int32",
                 "4611686018427387904"}},
  });
}

TEST(WrongUsesTest, NullFunctions) {
  ExpectErrors({
      {.title = "Dense's kernel",
       .use =
           [](Program& p) {
             Dense(p.x, {.units = 2, .kernel_initializer = nullptr});
           },
       .named = {"'dense/kernel'", "no initializer"}},
      {.title = "Dense's bias",
       .use =
           [](Program& p) {
             Dense(p.x, {.units = 2, .bias_initializer = nullptr});
           },
       .named = {"'dense/bias'", "no initializer"}},
      {.title = "Conv2D's kernel",
       .use =
           [](Program& p) {
             Conv2D(p.image, {.filters = 2, .kernel_initializer = nullptr});
           },
       .named = {"'conv2d/kernel'", "no initializer"}},
      {.title = "Conv2D's bias",
       .use =
           [](Program& p) {
             Conv2D(p.image, {.filters = 2, .bias_initializer = nullptr});
           },
       .named = {"'conv2d/bias'", "no initializer"}},
      {.title = "Embedding",
       .use =
           [](Program& p) {
             Embedding(
                 p.ids,
                 {.vocabulary = 3, .dimension = 2, .initializer = nullptr});
           },
       .named = {"'embedding/embeddings'", "no initializer"}},
      {.title = "an activation of nothing",
       .use =
           [](Program& p) {
             Dense(p.x,
                   {.units = 2, .activation = [](Output) { return Output(); }});
           },
       .named = {"activation", "'dense/'"}},
  });
}

TEST(WrongUsesTest, TypesThatLayersDoNotTake) {
  ExpectErrors({
      {.title = "an activation",
       .use = [](Program& p) { elu(p.bools); },
       .named = {"node 'Elu' (Elu)"}},
      {.title = "a layer's activation",
       .use =
           [](Program& p) {
             Dense(p.x, {.units = 2, .activation = [](Output y) {
                           return elu(op::Equal(y, y));
                         }});
           },
       .named = {"node 'dense/Elu' (Elu)"}},
      {.title = "Dense",
       .use = [](Program& p) { Dense(p.ints, {.units = 3}); },
       .named = {"'dense/kernel/Initializer/random_uniform/RandomUniform'"}},
      {.title = "Dropout",
       .use = [](Program& p) { Dropout(p.bools); },
       .named = {"node 'dropout/mul' (Mul)"}},
      {.title = "BatchNormalization",
       .use = [](Program& p) { BatchNormalization(p.ints); },
       .named = {"'batch_normalization/"}},
      {.title = "Embedding",
       .use =
           [](Program& p) {
             Embedding(
                 p.ids,
                 {.vocabulary = 3, .dimension = 3, .dtype = DType::kString});
           },
       .named = {"'embedding/embeddings/Initializer/random_uniform/min'"}},
      {.title = "GlobalStep",
       .use =
           [](Program& p) {
             p.b.GetVariable("global_step", DType::kFloat, Shape{},
                             [&] { return p.b.Const(1.0f); });
             GlobalStep(p.b);
           },
       .named = {"'global_step'"}},
      {.title = "CosineDecay",
       .use =
           [](Program& p) {
             CosineDecay(p.b.Placeholder<std::string>("s"), {.steps = 0});
           },
       .named = {"'CosineDecay/'", "steps"}},
      {.title = "an initializer alone",
       .use =
           [](Program& p) {
             GlorotUniform()(p.b, Shape{2, 2}, DType::kInt32, Shape{2, 2});
           },
       .named = {"'random_uniform/min'"}},
  });
}

TEST(WrongUsesTest, BoundariesThatDescend) {
  ExpectErrors({{.title = "PiecewiseConstant",
                 .use =
                     [](Program& p) {
                       PiecewiseConstant(
                           p.ids, {.boundaries = {5, 1}, .rates = {1, 2, 3}});
                     },
                 .named = {"PiecewiseConstant", "5, 1"}}});
}

TEST(WrongUsesTest, LossesOfNothing) {
  const std::string of_nothing = "output of no node";
  ExpectErrors({
      {.title = "sparse logits",
       .use = [](Program& p) { SparseSoftmaxCrossEntropy(p.ids, Output()); },
       .named = {"sparse_softmax_cross_entropy_loss/", of_nothing}},
      {.title = "sparse labels",
       .use = [](Program& p) { SparseSoftmaxCrossEntropy(Output(), p.x); },
       .named = {"sparse_softmax_cross_entropy_loss/", of_nothing}},
      {.title = "logits",
       .use = [](Program& p) { SoftmaxCrossEntropy(p.x, Output()); },
       .named = {"softmax_cross_entropy_loss/", of_nothing}},
      {.title = "labels",
       .use = [](Program& p) { SoftmaxCrossEntropy(Output(), p.x); },
       .named = {"softmax_cross_entropy_loss/", of_nothing}},
      {.title = "predictions",
       .use = [](Program& p) { MeanSquaredError(p.x, Output()); },
       .named = {"mean_squared_error/", of_nothing}},
      {.title = "values",
       .use = [](Program& p) { MeanSquaredError(Output(), p.x); },
       .named = {"mean_squared_error/", of_nothing}},
      {.title = "accuracy of logits",
       .use = [](Program& p) { Accuracy(p.ids, Output()); },
       .named = {"accuracy/", of_nothing}},
      {.title = "accuracy of labels",
       .use = [](Program& p) { Accuracy(Output(), p.x); },
       .named = {"accuracy/", of_nothing}},
  });
}

TEST(WrongUsesTest, VariablesOfNothing) {
  const auto loss = [](Program& p) {
    return MeanOfAll(Dense(p.x, {.units = 1}));
  };
  ExpectErrors({
      {.title = "global_step",
       .use =
           [&](Program& p) {
             Adam().Minimize(loss(p), {.global_step = Variable()});
           },
       .named = {"Adam: global_step is no variable"}},
      {.title = "global_step of another builder",
       .use =
           [&](Program& p) {
             GraphBuilder other;
             Adam().Minimize(loss(p), {.global_step = GlobalStep(other)});
           },
       .named = {"Adam: global_step 'global_step'", "another GraphBuilder"}},
      {.title = "variables",
       .use =
           [&](Program& p) {
             Adam().Minimize(loss(p), {.variables = {Variable()}});
           },
       .named = {"xs[0]"}},
      {.title = "gradients",
       .use =
           [&](Program& p) {
             const Output of = loss(p);
             auto gradients =
                 Adam().ComputeGradients(of, p.b.TrainableVariables());
             gradients.insert(gradients.begin(), VariableGradient());
             Adam().ApplyGradients(gradients);
           },
       .named = {"Adam: gradients[0] is no variable"}},
  });
}

TEST(WrongUsesTest, OptimizersTakeEmptyBraces) {
  GraphBuilder b;
  const Variable w = b.Variable("w", b.Const(1.0f));
  const Output loss = op::Square(w.value());
  GradientDescent({}).Minimize(loss);
  Momentum({}).Minimize(loss);
  Adagrad({}).Minimize(loss);
  RMSProp({}).Minimize(loss);
  Adam({}).Minimize(loss);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

// A shape with extents beyond int32 is passed to the op as int64 and is not
// truncated.
TEST(WrongUsesTest, InitialValuesOfVastShapesKeepThem) {
  GraphBuilder b;
  const Shape vast{int64_t{1} << 33, 2};
  EXPECT_EQ(Zeros()(b, vast, DType::kFloat, vast).shape(), PartialShape(vast));
  EXPECT_EQ(GlorotUniform()(b, vast, DType::kFloat, vast).shape(),
            PartialShape(vast));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

}  // namespace
}  // namespace leat::nn::wrong_uses_test
