// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Differentiate: what GraphBuilder::Gradients does once its arguments are
// checked, and what the gradients of If and While do with a body.
#ifndef LEAT_GRAPH_DIFFERENTIATE_H_
#define LEAT_GRAPH_DIFFERENTIATE_H_

#include <vector>

#include "absl/types/span.h"
#include "leat/graph/builder.h"

namespace leat {

// The gradients of the sum of `ys`, weighted by `grad_ys`, with respect to
// `xs`; `ys` and `xs` are outputs of `builder`. Nodes are added to the
// innermost open body: `builder` itself, or one that it is the forward body of.
// Errors stick to the builder; all gradients are empty then.
std::vector<Gradient> Differentiate(GraphBuilder& builder,
                                    absl::Span<const Output> ys,
                                    absl::Span<const Output> grad_ys,
                                    absl::Span<const Output> xs,
                                    SourceLocation location);

}  // namespace leat

#endif  // LEAT_GRAPH_DIFFERENTIATE_H_
