// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CallFunction calls a function for a kernel: it finds the function and starts
// the call. CallForNode does so for a kernel whose node is a call.
#ifndef LEAT_KERNELS_FUNCTION_CALL_H_
#define LEAT_KERNELS_FUNCTION_CALL_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/graph/attr.h"
#include "leat/kernels/function_caller.h"
#include "leat/kernels/kernel.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Describes a call. `function`, `device` and `return_types` are borrowed.
struct FunctionCall {
  const FunctionRef& function;
  // Is the full name of the device of this task for nodes that request no other
  // one.
  absl::string_view device = {};
  std::vector<Tensor> args = {};
  absl::Span<const DType> return_types = {};
};

// Starts a call for the step of `context`. Calls `done` exactly once, on any
// thread, before or after CallFunction returns. `context` must live until then.
// `done` gets the results, or the errors of FunctionCaller::Find and
// CallableFunction::Call. It gets UNIMPLEMENTED if the step cannot call
// functions.
void CallFunction(FunctionCall call, KernelContext& context,
                  CallableFunction::Done done);

// Calls `function` with the inputs of the node from `first_input` on, and sets
// all outputs of the node to the results. The arguments and errors are those of
// CallFunction.
void CallForNode(const FunctionRef& function, absl::string_view device,
                 int first_input, KernelContext& context,
                 AsyncKernel::Done done);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_FUNCTION_CALL_H_
