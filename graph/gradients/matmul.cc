// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::matmul {
namespace {

// Adds a MatMul or a BatchMatMulV2 of two matrices. The flags say whether the
// first and the second matrix are transposed.
using Product = Output (*)(Output, Output, bool, bool);

Output Plain(Output a, Output b, bool ta, bool tb) {
  return op::MatMul(a, b, {.transpose_a = ta, .transpose_b = tb});
}
Output Batched(Output a, Output b, bool ta, bool tb) {
  return op::BatchMatMulV2(a, b, {.adj_x = ta, .adj_y = tb});
}

// ForA and ForB return the gradients of op(a) * op(b) with respect to a and to
// b. Here op(a) is the transpose of a if `ta` is set, and otherwise a itself.
// The same holds for op(b) and `tb`.
Output ForA(Product product, Output dz, Output b, bool ta, bool tb) {
  return ta ? product(b, dz, tb, true) : product(dz, b, false, !tb);
}
Output ForB(Product product, Output dz, Output a, bool ta, bool tb) {
  return tb ? product(dz, a, true, ta) : product(a, dz, !ta, false);
}

void MatMulGrad(GradientContext& c) {
  const bool ta = c.attr<bool>("transpose_a");
  const bool tb = c.attr<bool>("transpose_b");
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, ForA(Plain, dz, c.input(1), ta, tb));
  if (c.needs(1)) c.set(1, ForB(Plain, dz, c.input(0), ta, tb));
}

// Returns true if the shapes are known to be equal in all extents but the last
// two.
bool SameBatch(const PartialShape& a, const PartialShape& b) {
  if (!a.rank_known() || !b.rank_known() || a.rank() != b.rank()) return false;
  for (int i = 0; i + 2 < a.rank(); ++i) {
    if (!a.dim_known(i) || a.dim(i) != b.dim(i)) return false;
  }
  return true;
}

// Sums `gradient` over the batch dimensions along which `to` was stretched.
Output SumBatch(Output gradient, Output to, Output other, bool first) {
  const Output shape = ShapeOf(to);
  const auto batch = [](Output s) { return s.Slice({Until(-2)}); };
  const Output a = batch(shape);
  const Output b = batch(ShapeOf(other));
  const Output axes = first ? op::BroadcastGradientArgs(a, b).r0
                            : op::BroadcastGradientArgs(b, a).r1;
  return op::Reshape(op::Sum(gradient, axes), shape);
}

void BatchMatMulGrad(GradientContext& c) {
  const bool ta = c.attr<bool>("adj_x");
  const bool tb = c.attr<bool>("adj_y");
  const Output x = c.input(0);
  const Output y = c.input(1);
  const Output dz = c.grad();
  const bool same = SameBatch(x.shape(), y.shape());
  // The types of BatchMatMulV3 may differ.
  const auto as_dz = [&](Output factor) {
    return factor.dtype() == dz.dtype() ? factor : op::Cast(factor, dz.dtype());
  };
  if (c.needs(0)) {
    const Output dx = ForA(Batched, dz, as_dz(y), ta, tb);
    c.set(0, same ? dx : SumBatch(dx, x, y, true));
  }
  if (c.needs(1)) {
    const Output dy = ForB(Batched, dz, as_dz(x), ta, tb);
    c.set(1, same ? dy : SumBatch(dy, y, x, false));
  }
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("MatMul", MatMulGrad);
  registry.Add("BatchMatMul", BatchMatMulGrad);
  registry.Add("BatchMatMulV2", BatchMatMulGrad);
  registry.Add("BatchMatMulV3", BatchMatMulGrad);
}

}  // namespace leat::gradients::matmul
