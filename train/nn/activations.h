// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Activations are functions of one tensor that layers apply to their results.
//
//   Output h = nn::Dense(x, {.units = 10, .activation = nn::relu});
//
// Any function from an Output to an Output is an activation:
//
//   Output g = nn::Dense(x, {.units = 10, .activation = [](Output y) {
//                              return y * nn::sigmoid(y);
//                            }});
//
// The functions below take an Operand, not an Output, because an Operand
// remembers the place in the program where it was made. Errors name that place.
#ifndef LEAT_TRAIN_NN_ACTIVATIONS_H_
#define LEAT_TRAIN_NN_ACTIVATIONS_H_

#include <functional>

#include "leat/graph/builder/output.h"

namespace leat::nn {

// A null Activation stands for the identity.
using Activation = std::function<Output(Output)>;

// Returns max(x, 0).
Output relu(Operand x);
// Returns min(max(x, 0), 6).
Output relu6(Operand x);
// Returns x if x > 0, else exp(x) - 1.
Output elu(Operand x);
// Returns x if x > 0, else 0.2 x.
Output leaky_relu(Operand x);
// Returns 1 / (1 + exp(-x)).
Output sigmoid(Operand x);
// Returns the hyperbolic tangent of `x`.
Output tanh(Operand x);
// Returns log(1 + exp(x)).
Output softplus(Operand x);
// Returns exp(x) divided by its sum over the last axis.
Output softmax(Operand x);

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_ACTIVATIONS_H_
