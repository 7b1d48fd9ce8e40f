// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/activations.h"

#include "leat/graph/ops.h"

namespace leat::nn {

Output relu(Operand x) { return op::Relu(x, x.location()); }
Output relu6(Operand x) { return op::Relu6(x, x.location()); }
Output elu(Operand x) { return op::Elu(x, x.location()); }
Output leaky_relu(Operand x) { return op::LeakyRelu(x, {}, x.location()); }
Output sigmoid(Operand x) { return op::Sigmoid(x, x.location()); }
Output tanh(Operand x) { return op::Tanh(x, x.location()); }
Output softplus(Operand x) { return op::Softplus(x, x.location()); }
Output softmax(Operand x) { return op::Softmax(x, x.location()); }

}  // namespace leat::nn
