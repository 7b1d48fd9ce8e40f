// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::check_numerics {
namespace {

void CheckNumericsGrad(GradientContext& c) {
  c.set(0,
        op::CheckNumerics(
            c.grad(),
            absl::StrCat("Not a number (NaN) or infinity (Inf) values detected "
                         "in gradient. ",
                         c.attr<std::string>("message"))));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("CheckNumerics", CheckNumericsGrad);
}

}  // namespace leat::gradients::check_numerics
