// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Activations, as values: `{.units = 10, .activation = nn::relu}`. Whatever
// makes an output from an output is one. An Operand remembers where the program
// wrote it: errors name that place.
#ifndef LEAT_TRAIN_NN_ACTIVATIONS_H_
#define LEAT_TRAIN_NN_ACTIVATIONS_H_

#include <functional>

#include "leat/graph/output.h"

namespace leat::nn {

// Null stands for none (the identity).
using Activation = std::function<Output(Output)>;

Output relu(Operand x);
Output relu6(Operand x);
Output elu(Operand x);
Output leaky_relu(Operand x);  // slope 0.2 below 0
Output sigmoid(Operand x);
Output tanh(Operand x);
Output softplus(Operand x);
Output softmax(Operand x);  // over the last axis

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_ACTIVATIONS_H_
