// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/fashion_mnist_model.h"

#include <limits>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "leat/examples/shared/program.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/metrics.h"

namespace leat::examples {
namespace {

constexpr double kMaxRate = 1e6;

Output Mlp(GraphBuilder& b, Output images, const Devices& devices) {
  Output h;
  {
    auto device = b.OnDevice(devices.first);
    h = nn::Dense(nn::Flatten(images), {.units = 128, .activation = nn::relu});
  }
  auto device = b.OnDevice(devices.second);
  return nn::Dense(h, {.units = 10});
}

Output Cnn(GraphBuilder& b, Output images, const Devices& devices) {
  Output h = images;
  {
    auto device = b.OnDevice(devices.first);
    h = nn::Conv2D(h, {.filters = 32, .kernel = 3, .activation = nn::relu});
    h = nn::MaxPool(h, {.size = 2});
    h = nn::Conv2D(h, {.filters = 64, .kernel = 3, .activation = nn::relu});
    h = nn::MaxPool(h, {.size = 2});
  }
  auto device = b.OnDevice(devices.second);
  h = nn::Dense(nn::Flatten(h), {.units = 128, .activation = nn::relu});
  return nn::Dense(h, {.units = 10});
}

// Returns the learning rate that the flags ask for. `standard` is the
// optimizer's default, which is used if the flags have no rate.
Operand Rate(GraphBuilder& b, const ModelFlags& flags, int64_t steps,
             double standard) {
  const double rate = flags.learning_rate > 0 ? flags.learning_rate : standard;
  if (!flags.cosine) return rate;
  return nn::CosineDecay(nn::GlobalStep(b).value(),
                         {.initial = rate, .steps = steps});
}

}  // namespace

void AddModelFlags(CLI::App& app, ModelFlags& flags) {
  app.add_option("--model", flags.model, "Network to train")
      ->check(CLI::IsMember({"mlp", "cnn"}))
      ->capture_default_str();
  app.add_option("--optimizer", flags.optimizer,
                 "Optimizer that updates the variables")
      ->check(CLI::IsMember(
          {"gradient_descent", "momentum", "adagrad", "rmsprop", "adam"}))
      ->capture_default_str();
  app.add_option("--learning-rate", flags.learning_rate,
                 "Step size; 0 for the optimizer's default")
      ->check(Number(0, kMaxRate));
  app.add_flag("--cosine", flags.cosine,
               "Let the step size fall to nothing along half a cosine");
  app.add_option("--seed", flags.seed,
                 "Seed of the initial values and of the shuffling")
      ->check(Integer(std::numeric_limits<int64_t>::min(),
                      std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
}

Model BuildModel(GraphBuilder& b, const ModelFlags& flags,
                 const Devices& devices) {
  Model model;
  model.images = b.Placeholder<uint8_t>("images", {-1, 28, 28, 1});
  model.labels = b.Placeholder<int32_t>("labels", {-1});
  const Output pixels = op::Cast(model.images, DType::kFloat) / 255.0f;
  model.logits =
      flags.model == "mlp" ? Mlp(b, pixels, devices) : Cnn(b, pixels, devices);
  model.predictions = op::ArgMax(model.logits, 1);
  model.loss = nn::SparseSoftmaxCrossEntropy(model.labels, model.logits);
  model.accuracy = nn::Accuracy(model.labels, model.logits);
  return model;
}

absl::StatusOr<std::unique_ptr<nn::Optimizer>> MakeOptimizer(
    GraphBuilder& b, const ModelFlags& flags, int64_t steps) {
  const std::string& name = flags.optimizer;
  std::unique_ptr<nn::Optimizer> optimizer;
  if (name == "gradient_descent") {
    optimizer = std::make_unique<nn::GradientDescent>(
        nn::GradientDescentAttrs{.learning_rate = Rate(b, flags, steps, 0.1)});
  } else if (name == "momentum") {
    optimizer = std::make_unique<nn::Momentum>(
        nn::MomentumAttrs{.learning_rate = Rate(b, flags, steps, 0.02)});
  } else if (name == "adagrad") {
    optimizer = std::make_unique<nn::Adagrad>(
        nn::AdagradAttrs{.learning_rate = Rate(b, flags, steps, 0.05)});
  } else if (name == "rmsprop") {
    optimizer = std::make_unique<nn::RMSProp>(
        nn::RMSPropAttrs{.learning_rate = Rate(b, flags, steps, 0.001)});
  } else if (name == "adam") {
    optimizer = std::make_unique<nn::Adam>(
        nn::AdamAttrs{.learning_rate = Rate(b, flags, steps, 0.001)});
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no optimizer '", name, "'"));
  }
  return optimizer;
}

}  // namespace leat::examples
