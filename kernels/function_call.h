// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CallFunction calls a function for a kernel: it finds the function and starts
// the call. CallForNode does so for a kernel whose node is a call.
#ifndef LEAT_KERNELS_FUNCTION_CALL_H_
#define LEAT_KERNELS_FUNCTION_CALL_H_

#include <vector>

#include "absl/functional/any_invocable.h"
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

// Says which function to find. Everything is borrowed.
struct FunctionSearch {
  const FunctionRef& function;
  // Is the full name of the device of this task for nodes that request no other
  // one.
  absl::string_view device = {};
  // The arguments have these types, and then those of `captured`. A captured
  // handle tells on which device the resource is.
  absl::Span<const DType> arg_types = {};
  absl::Span<const Tensor> captured = {};
  absl::Span<const DType> return_types = {};
};

// Finds a function of the graph of `context`. Calls `done` exactly once, before
// or after FindFunction returns. `context` must live until then. `done` gets
// the function, or the errors of FunctionCaller::Find. It gets UNIMPLEMENTED if
// the step cannot call functions.
void FindFunction(const FunctionSearch& search, KernelContext& context,
                  absl::AnyInvocable<void(FunctionCaller::Found) &&> done);

// Returns `count` inputs from input `first` on. They share their bytes.
std::vector<Tensor> InputsOf(const KernelContext& context, int first,
                             int count);

// Starts a call for the step of `context`. Calls `done` exactly once, on any
// thread, before or after CallFunction returns. `context` must live until then.
// `done` gets the results, or the errors of FindFunction and
// CallableFunction::Call.
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
