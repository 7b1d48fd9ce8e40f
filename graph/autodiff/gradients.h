// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Gradients differentiates a graph: it adds the nodes that compute the
// gradients of tensors with respect to other tensors (tf.compat.v1.gradients).
//
//   std::vector<Gradient> gradients = Gradients({loss}, {w, x});
//   Output of_w = gradients[0].AsDense();
//
// It is not thread-safe, because GraphBuilder is not.
#ifndef LEAT_GRAPH_AUTODIFF_GRADIENTS_H_
#define LEAT_GRAPH_AUTODIFF_GRADIENTS_H_

#include <optional>
#include <vector>

#include "leat/core/source_location.h"
#include "leat/graph/builder/operand.h"
#include "leat/graph/builder/output.h"

namespace leat {

// Describes a sparse gradient, such as the gradient of a variable from which
// rows were gathered. Row i of `values` is the gradient of row indices[i] of
// the variable; rows of `values` with the same index are added up. All other
// rows of the variable have a gradient of zero.
struct IndexedSlices {
  Output values = {};
  Output indices = {};      // a vector of integers
  Output dense_shape = {};  // the shape of the variable, a vector
};

// A gradient is a tensor, some rows of a tensor, or empty. An empty gradient
// stands for zero. It is the gradient with respect to an x on which no y
// depends (see Gradients). Gradient is a plain value.
class Gradient {
 public:
  Gradient() = default;                                // empty
  Gradient(Output dense) : dense_(dense) {}            // NOLINT
  Gradient(IndexedSlices slices) : slices_(slices) {}  // NOLINT

  bool IsNone() const { return !dense_.IsValid() && !slices_.has_value(); }
  bool IsSparse() const { return slices_.has_value(); }
  // REQUIRES: IsSparse().
  const IndexedSlices& slices() const { return *slices_; }
  // Returns the gradient as a tensor. For slices, adds nodes that sum them into
  // zeros of the dense shape. Returns an invalid Output for an empty gradient.
  Output AsDense() const;

 private:
  Output dense_;
  std::optional<IndexedSlices> slices_;
};

// Adds the gradients of the sum of `ys` with respect to `xs` and returns one
// gradient for each x. `grad_ys` has a weight for each y. The weight is a
// tensor of the dtype and shape of y. If `grad_ys` is empty, all weights are
// ones. The Gradient of an x is empty if no y depends on the x.
//
// Searches `ys` and then `xs` for an operand that has a builder. The first
// builder that is found gets the errors and the new nodes. If a body is open in
// this builder, the innermost open body gets the new nodes instead. After an
// error, all gradients are empty.
std::vector<Gradient> Gradients(
    const OperandList& ys, const OperandList& xs,
    const OperandList& grad_ys = {},
    SourceLocation location = SourceLocation::Current());

}  // namespace leat

#endif  // LEAT_GRAPH_AUTODIFF_GRADIENTS_H_
