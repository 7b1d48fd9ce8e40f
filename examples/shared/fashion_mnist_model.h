// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The networks for Fashion-MNIST that the examples train, and how.
#ifndef LEAT_EXAMPLES_SHARED_FASHION_MNIST_MODEL_H_
#define LEAT_EXAMPLES_SHARED_FASHION_MNIST_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "leat/graph/builder.h"
#include "leat/train/nn/optimizers.h"

namespace leat::examples {

struct ModelFlags {
  std::string model = "cnn";
  std::string optimizer = "adam";
  double learning_rate = 0;  // 0: the optimizer's default
  bool cosine = false;
  int64_t seed = 1;
};
void AddModelFlags(CLI::App& app, ModelFlags& flags);

// Where the network runs: the convolutions (of an MLP the first layer) on the
// first device, the rest on the second; "" for wherever the scopes say.
struct Devices {
  std::string first = {};
  std::string second = {};
};

struct Model {
  Output images;  // uint8 [-1, 28, 28, 1], fed
  Output labels;  // int32 [-1], fed
  Output logits;
  Output predictions;  // int64 [-1]
  Output loss;
  Output accuracy;
};

// In the current scopes. Errors go to the builder, which has a seed.
Model BuildModel(GraphBuilder& b, const ModelFlags& flags,
                 const Devices& devices = {});

// INVALID_ARGUMENT for an optimizer that there is not. `steps` is how many the
// training has: with --cosine the step size falls to nothing at the end of
// them, as the global step says.
absl::StatusOr<std::unique_ptr<nn::Optimizer>> MakeOptimizer(
    GraphBuilder& b, const ModelFlags& flags, int64_t steps);

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_FASHION_MNIST_MODEL_H_
