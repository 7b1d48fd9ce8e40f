// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Activations, as values: `{.units = 10, .activation = nn::relu}`.
#ifndef LEAT_TRAIN_NN_ACTIVATIONS_H_
#define LEAT_TRAIN_NN_ACTIVATIONS_H_

#include "leat/graph/output.h"

namespace leat::nn {

// Null stands for none (the identity).
using Activation = Output (*)(Output);

Output relu(Output x);
Output relu6(Output x);
Output elu(Output x);
Output leaky_relu(Output x);  // slope 0.2 below 0
Output sigmoid(Output x);
Output tanh(Output x);
Output softplus(Output x);
Output softmax(Output x);  // over the last axis

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_ACTIVATIONS_H_
