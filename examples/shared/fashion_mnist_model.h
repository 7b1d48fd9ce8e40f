// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions build the networks and the optimizers of the Fashion-MNIST
// examples.
#ifndef LEAT_EXAMPLES_SHARED_FASHION_MNIST_MODEL_H_
#define LEAT_EXAMPLES_SHARED_FASHION_MNIST_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/nn/optimizers.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat::examples {

// Holds the values of the flags about the model and its training.
struct ModelFlags {
  // Is "mlp", a network with one hidden layer, or "cnn", a convolutional one.
  std::string model = "cnn";
  // Is the name of an optimizer, such as "adam" or "momentum".
  std::string optimizer = "adam";
  // Is the learning rate. 0 stands for the optimizer's default.
  double learning_rate = 0;
  // If true, the learning rate falls to 0 along half a cosine.
  bool cosine = false;
  // Is the seed for initial values and for shuffling.
  int64_t seed = 1;
};
// Adds the flags to `app`. `flags` must outlive the parsing of the command
// line.
void AddModelFlags(CLI::App& app, ModelFlags& flags);

// Holds the devices of the network. The convolutions (or the first layer of an
// MLP) run on the first device, and the rest runs on the second. "" leaves the
// choice to the device scopes that are open in the builder.
struct Devices {
  std::string first = {};
  std::string second = {};
};

// Holds the tensors of a network in its graph.
struct Model {
  // Holds the fed tensors. The images are uint8 [-1, 28, 28, 1]. The labels are
  // int32 [-1], and each is in [0, 10).
  Output images;
  Output labels;
  // The logits are float [-1, 10]. The predictions are int64 [-1]: the index of
  // the greatest logit of each image.
  Output logits;
  Output predictions;
  // `loss` is the mean cross entropy, and `accuracy` is the share of correct
  // predictions. Both are float scalars.
  Output loss;
  Output accuracy;
};

// Adds the network to `b` in the current scopes. After an error, b.status() is
// not OK. Set the builder's seed before this call to get the same initial
// values in every run.
Model BuildModel(GraphBuilder& b, const ModelFlags& flags,
                 const Devices& devices = {});

// Returns the optimizer that the flags name. `steps` is the number of steps of
// the whole training. With `cosine`, the learning rate reaches 0 when the
// global step reaches `steps`. Returns INVALID_ARGUMENT if there is no
// optimizer with that name.
absl::StatusOr<std::unique_ptr<nn::Optimizer>> MakeOptimizer(
    GraphBuilder& b, const ModelFlags& flags, int64_t steps);

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_FASHION_MNIST_MODEL_H_
