// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/function_call.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/resource_handle.h"
#include "leat/graph/graph.h"

namespace leat::kernels {
namespace {

// Returns the device of the resource that `tensor` names, or an empty name if
// the tensor is not one handle.
std::string DeviceOf(const Tensor& tensor) {
  const bool is_handle =
      tensor.dtype() == DType::kResource && tensor.rank() == 0;
  return is_handle ? tensor.scalar<ResourceHandle>().device : "";
}

}  // namespace

void FindFunction(const FunctionSearch& search, KernelContext& context,
                  absl::AnyInvocable<void(FunctionCaller::Found) &&> done) {
  FunctionCaller* const functions = context.step().functions;
  if (functions == nullptr) {
    return std::move(done)(absl::UnimplementedError(absl::StrCat(
        "function '", search.function.name, "' cannot be called here")));
  }
  std::vector<DType> types(search.arg_types.begin(), search.arg_types.end());
  std::vector<std::string> devices(types.size());
  for (const Tensor& tensor : search.captured) {
    types.push_back(tensor.dtype());
    devices.push_back(DeviceOf(tensor));
  }
  functions->Find({.function = search.function,
                   .arg_types = types,
                   .return_types = search.return_types,
                   .device = search.device,
                   .arg_devices = devices},
                  std::move(done));
}

std::vector<Tensor> InputsOf(const KernelContext& context, int first,
                             int count) {
  std::vector<Tensor> inputs;
  for (int i = first; i < first + count; ++i) {
    inputs.push_back(context.input(i));
  }
  return inputs;
}

void CallFunction(FunctionCall call, KernelContext& context,
                  CallableFunction::Done done) {
  // The elements of the vector stay where they are when the callback takes it.
  const absl::Span<const Tensor> captured = call.args;
  FindFunction({.function = call.function,
                .device = call.device,
                .captured = captured,
                .return_types = call.return_types},
               context,
               [&context, args = std::move(call.args),
                done = std::move(done)](FunctionCaller::Found found) mutable {
                 if (!found.ok()) return std::move(done)(found.status());
                 const CallableFunction& callable = **found;
                 callable.Call(
                     std::move(args), context.step(),
                     [keep = *std::move(found), done = std::move(done)](
                         CallableFunction::Results results) mutable {
                       // The session may end as soon as `done` is called.
                       keep.reset();
                       std::move(done)(std::move(results));
                     });
               });
}

void CallForNode(const FunctionRef& function, absl::string_view device,
                 int first_input, KernelContext& context,
                 AsyncKernel::Done done) {
  CallFunction(
      {.function = function,
       .device = device,
       .args =
           InputsOf(context, first_input, context.num_inputs() - first_input),
       .return_types = context.node().output_types},
      context,
      [&context,
       done = std::move(done)](CallableFunction::Results results) mutable {
        if (!results.ok()) return std::move(done)(results.status());
        for (size_t i = 0; i < results->size(); ++i) {
          context.set_output(static_cast<int>(i), std::move((*results)[i]));
        }
        std::move(done)(absl::OkStatus());
      });
}

}  // namespace leat::kernels
