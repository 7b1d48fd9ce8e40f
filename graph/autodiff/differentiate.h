// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Differentiate builds the gradients of one body. The gradients of If, Case and
// While (control_flow_gradients.h) call it for their bodies. The functions of
// this header are not thread-safe, because GraphBuilder is not.
#ifndef LEAT_GRAPH_AUTODIFF_DIFFERENTIATE_H_
#define LEAT_GRAPH_AUTODIFF_DIFFERENTIATE_H_

#include <vector>

#include "absl/types/span.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"

namespace leat {

// Adds the gradients of the sum of ys[i] * grad_ys[i] with respect to `xs`.
// Returns one gradient for each x. The gradient is empty if no y depends on the
// x. `builder` builds a body of the forward node (the forward body). The new
// nodes go to the innermost open body, which is the gradient of the forward
// body. Errors go to `builder`, and after an error all gradients are empty.
// REQUIRES: `ys` and `xs` are outputs of `builder`, and there are as many
// `grad_ys` as `ys`.
std::vector<Gradient> Differentiate(GraphBuilder& builder,
                                    absl::Span<const Output> ys,
                                    absl::Span<const Output> grad_ys,
                                    absl::Span<const Output> xs,
                                    SourceLocation location);

}  // namespace leat

#endif  // LEAT_GRAPH_AUTODIFF_DIFFERENTIATE_H_
