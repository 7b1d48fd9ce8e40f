// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::concat {
namespace {

// Returns the extents of all parts along the axis, or nothing if one is not
// known.
std::optional<Dims> Extents(GradientContext& c, int count) {
  Dims extents;
  for (int i = 0; i < count; ++i) {
    const PartialShape shape = c.input(i).shape();
    if (!shape.rank_known()) return std::nullopt;
    const std::optional<Dims> axis = AxesOf(c.input(count), shape.rank());
    if (!axis.has_value() || axis->size() != 1) return std::nullopt;
    if (!shape.dim_known(axis->front())) return std::nullopt;
    extents.push_back(shape.dim(axis->front()));
  }
  return extents;
}

void ConcatGrad(GradientContext& c) {
  const int count = c.num_inputs() - 1;
  const Output axis = c.input(count);
  const Output dy = c.grad();
  if (count == 1) return c.set(0, dy);
  if (const std::optional<Dims> extents = Extents(c, count)) {
    const std::vector<Output> parts =
        op::SplitV(dy, IntVector(c.builder(), *extents), axis, count);
    for (int i = 0; i < count; ++i) c.set(i, parts[i]);
    return;
  }
  std::vector<Output> shapes;
  for (int i = 0; i < count; ++i) shapes.push_back(ShapeOf(c.input(i)));
  const Output narrow =
      axis.dtype() == DType::kInt32 ? axis : op::Cast(axis, DType::kInt32);
  // ConcatOffset needs an axis that is counted from the front.
  const Output normal = op::Reshape(op::FloorMod(narrow, op::Rank(c.input(0))),
                                    IntVector(c.builder(), {}));
  const std::vector<Output> offsets = op::ConcatOffset(normal, shapes);
  for (int i = 0; i < count; ++i) {
    if (c.needs(i)) c.set(i, op::Slice(dy, offsets[i], shapes[i]));
  }
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("ConcatV2", ConcatGrad);
}

}  // namespace leat::gradients::concat
