// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Is a program that defines an op and its kernel.
#include <leat/leat.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "program.h"

namespace {

using namespace leat;  // NOLINT: as a program may

absl::Status ComputeTwice(KernelContext& context) {
  const Tensor& x = context.input(0);
  LEAT_ASSIGN_OR_RETURN(Tensor* const y,
                        context.ForwardOrAllocate({0}, 0, x.shape()));
  for (size_t i = 0; i < x.data<float>().size(); ++i) {
    y->mutable_data<float>()[i] = 2 * x.data<float>()[i];
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunOwnOp() {
  OpRegistry ops;
  ops::RegisterAll(ops);
  ops.Add({.name = "Twice",
           .doc = "Returns 2 * x, element by element.",
           .inputs = {"x: float"},
           .outputs = {"y: float"},
           .shape = shapes::Unchanged},
          {OnCpu()});
  KernelRegistry kernels;
  RegisterAllKernels(kernels);
  kernels.Add("Twice", kCpu, &MakeFunction<&ComputeTwice>);

  GraphBuilder b(ops);
  const Output x = b.Placeholder<float>("x");
  const Output y = AddOp({.op = "Twice", .inputs = {x}}).output(0) + 1;
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(const auto session,
                        NewLocalSession(graph, {}, kernels));
  LEAT_ASSIGN_OR_RETURN(
      const auto out,
      session->Run({.feeds = {{x, Tensor::Scalar(3.0f)}}, .fetches = {y}}));
  if (out[0].scalar<float>() == 7) return absl::OkStatus();
  return absl::InternalError("the program's own op does not compute 2 * x");
}
