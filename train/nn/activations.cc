// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/activations.h"

#include "leat/graph/ops.h"

namespace leat::nn {

Output relu(Output x) { return op::Relu(x); }
Output relu6(Output x) { return op::Relu6(x); }
Output elu(Output x) { return op::Elu(x); }
Output leaky_relu(Output x) { return op::LeakyRelu(x); }
Output sigmoid(Output x) { return op::Sigmoid(x); }
Output tanh(Output x) { return op::Tanh(x); }
Output softplus(Output x) { return op::Softplus(x); }
Output softmax(Output x) { return op::Softmax(x); }

}  // namespace leat::nn
