// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::matrix_diag {
namespace {

void MatrixDiagGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::MatrixDiagPart(c.grad()));
}

void MatrixDiagV3Grad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::MatrixDiagPartV3(c.grad(), c.input(1), 0,
                                {.align = c.attr<std::string>("align")}));
}

void MatrixDiagPartGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::MatrixSetDiag(op::ZerosLike(c.input(0)), c.grad()));
}

void MatrixDiagPartV3Grad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::MatrixSetDiagV3(op::ZerosLike(c.input(0)), c.grad(), c.input(1),
                               {.align = c.attr<std::string>("align")}));
}

void MatrixSetDiagGrad(GradientContext& c) {
  if (c.needs(0)) {
    c.set(0, op::MatrixSetDiag(c.grad(), op::ZerosLike(c.input(1))));
  }
  if (c.needs(1)) c.set(1, op::MatrixDiagPart(c.grad()));
}

void MatrixSetDiagV3Grad(GradientContext& c) {
  const auto align = c.attr<std::string>("align");
  if (c.needs(0)) {
    c.set(0, op::MatrixSetDiagV3(c.grad(), op::ZerosLike(c.input(1)),
                                 c.input(2), {.align = align}));
  }
  if (c.needs(1)) {
    c.set(1, op::MatrixDiagPartV3(c.grad(), c.input(2), 0, {.align = align}));
  }
}

void MatrixBandPartGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::MatrixBandPart(c.grad(), c.input(1), c.input(2)));
}

void DiagGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::DiagPart(c.grad()));
}

void DiagPartGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::Diag(c.grad()));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("MatrixDiag", MatrixDiagGrad);
  registry.Add("MatrixDiagV3", MatrixDiagV3Grad);
  registry.Add("MatrixDiagPart", MatrixDiagPartGrad);
  registry.Add("MatrixDiagPartV3", MatrixDiagPartV3Grad);
  registry.Add("MatrixSetDiag", MatrixSetDiagGrad);
  registry.Add("MatrixSetDiagV3", MatrixSetDiagV3Grad);
  registry.Add("MatrixBandPart", MatrixBandPartGrad);
  registry.Add("Diag", DiagGrad);
  registry.Add("DiagPart", DiagPartGrad);
}

}  // namespace leat::gradients::matrix_diag
