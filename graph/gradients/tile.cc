// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::tile {
namespace {

// Splits every axis of the gradient into two axes. The first has the multiple
// as its extent, and the second has the input's extent. Then sums over the
// first axes.
void TileGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  GraphBuilder& b = c.builder();
  const Output multiples = c.input(1);
  const std::optional<Dims> counts = ValuesOf(multiples);
  const std::optional<Dims> extents = StaticDims(c.input(0));
  Output split;
  Output axes;
  if (counts.has_value() && extents.has_value()) {
    Dims pairs, even;
    for (size_t i = 0; i < extents->size(); ++i) {
      even.push_back(static_cast<int64_t>(2 * i));
      pairs.push_back((*counts)[i]);
      pairs.push_back((*extents)[i]);
    }
    split = IntVector(b, pairs);
    axes = IntVector(b, even);
  } else {
    const Output shape = ShapeOf(c.input(0), multiples.dtype());
    split = op::Reshape(op::Pack({multiples, shape}, {.axis = 1}),
                        Tensor::Vector<int32_t>({-1}));
    axes = op::Range(0, op::Size(split), 2);
  }
  const Output sum = op::Sum(op::Reshape(c.grad(), split), axes);
  c.set(0, sum);
}

void BroadcastToGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  BroadcastReducer reduce(c.input(0), c.output(0));
  c.set(0, reduce.ForX(c.grad()));
}

void FillGrad(GradientContext& c) {
  if (!c.needs(1)) return;
  const Output dy = c.grad();
  const PartialShape shape = dy.shape();
  if (!shape.rank_known()) {
    return c.set(1, op::Sum(dy, op::Range(0, op::Rank(dy), 1)));
  }
  Dims axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i);
  c.set(1, op::Sum(dy, IntVector(c.builder(), axes)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Tile", TileGrad);
  registry.Add("BroadcastTo", BroadcastToGrad);
  registry.Add("Fill", FillGrad);
}

}  // namespace leat::gradients::tile
