// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Gradient is what GraphBuilder::Gradients returns: the gradient of one tensor.
//
//   std::vector<Gradient> gradients = b.Gradients({loss}, {w.value()});
//   Output dense = gradients[0].AsDense();
//
// Not thread-safe, as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_GRADIENT_H_
#define LEAT_GRAPH_BUILDER_GRADIENT_H_

#include <optional>

#include "leat/graph/builder/output.h"

namespace leat {

// A sparse gradient, such as that of a variable from which rows were gathered.
// Row i of `values` is the gradient of row indices[i] of the variable; rows
// with the same index add up. All other rows have a gradient of zero.
struct IndexedSlices {
  Output values = {};
  Output indices = {};      // a vector of integers
  Output dense_shape = {};  // the shape of the variable, a vector
};

// A gradient: a tensor, rows of one, or nothing, which stands for zero where no
// path of operations leads. A value.
class Gradient {
 public:
  Gradient() = default;                                // nothing
  Gradient(Output dense) : dense_(dense) {}            // NOLINT
  Gradient(IndexedSlices slices) : slices_(slices) {}  // NOLINT

  bool IsNone() const { return !dense_.IsValid() && !slices_.has_value(); }
  bool IsSparse() const { return slices_.has_value(); }
  // REQUIRES: IsSparse().
  const IndexedSlices& slices() const { return *slices_; }
  // Returns the gradient as a tensor. For slices, adds nodes that sum them into
  // zeros of the dense shape. Returns an invalid Output for nothing.
  Output AsDense() const;

 private:
  Output dense_;
  std::optional<IndexedSlices> slices_;
};

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_GRADIENT_H_
