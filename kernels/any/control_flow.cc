// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Switch, Merge, Enter, Exit, NextIteration, LoopCond and their Ref forms. The
// executor knows frames and deadness; kernels only forward values.
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::control_flow {
namespace {

void Forward(KernelContext& context, int from, int to) {
  if (IsRef(context.node().output_types[to])) {
    context.set_output_ref(to, context.input_ref(from));
  } else {
    context.set_output(to, context.input(from));
  }
}

absl::Status ForwardOne(KernelContext& context) {
  Forward(context, 0, 0);
  return absl::OkStatus();
}

absl::Status Switch(KernelContext& context) {
  const Tensor& predicate = context.input(1);
  if (predicate.rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The second input must be a scalar, but it has shape ",
                     predicate.shape().DebugString()));
  }
  const int taken = predicate.scalar<bool>() ? 1 : 0;
  Forward(context, 0, taken);
  context.set_output_dead(1 - taken);
  return absl::OkStatus();
}

absl::Status Merge(KernelContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (!context.HasInput(i)) continue;
    Forward(context, i, 0);
    LEAT_ASSIGN_OR_RETURN(Tensor * index, context.AllocateOutput(1, Shape{}));
    index->mutable_data<int32_t>()[0] = i;
    return absl::OkStatus();
  }
  return absl::InternalError("Merge runs without an input that is alive");
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Switch", kCpu, &MakeFunction<&Switch>);
  registry.Add("RefSwitch", kCpu, &MakeFunction<&Switch>);
  registry.Add("Merge", kCpu, &MakeFunction<&Merge>);
  registry.Add("RefMerge", kCpu, &MakeFunction<&Merge>);
  for (const char* op : {"Enter", "RefEnter", "Exit", "RefExit",
                         "NextIteration", "RefNextIteration", "LoopCond"}) {
    registry.Add(op, kCpu, &MakeFunction<&ForwardOne>);
  }
}

}  // namespace leat::kernels::any::control_flow
