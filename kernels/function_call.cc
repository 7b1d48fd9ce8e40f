// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/function_call.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/resource_handle.h"
#include "leat/graph/graph.h"

namespace leat::kernels {
namespace {

std::vector<DType> TypesOf(absl::Span<const Tensor> tensors) {
  std::vector<DType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.dtype());
  return types;
}

// Returns, for each tensor, the device of the resource that it names. Returns
// an empty name for a tensor that is not one handle.
std::vector<std::string> DevicesOf(absl::Span<const Tensor> tensors) {
  std::vector<std::string> devices;
  for (const Tensor& tensor : tensors) {
    const bool is_handle =
        tensor.dtype() == DType::kResource && tensor.rank() == 0;
    devices.push_back(is_handle ? tensor.scalar<ResourceHandle>().device : "");
  }
  return devices;
}

}  // namespace

void CallFunction(FunctionCall call, KernelContext& context,
                  CallableFunction::Done done) {
  FunctionCaller* const functions = context.step().functions;
  if (functions == nullptr) {
    return std::move(done)(absl::UnimplementedError(absl::StrCat(
        "function '", call.function.name, "' cannot be called here")));
  }
  const std::vector<DType> arg_types = TypesOf(call.args);
  const std::vector<std::string> arg_devices = DevicesOf(call.args);
  const FunctionRequest request{.function = call.function,
                                .arg_types = arg_types,
                                .return_types = call.return_types,
                                .device = call.device,
                                .arg_devices = arg_devices};
  functions->Find(
      request, [&context, args = std::move(call.args),
                done = std::move(done)](FunctionCaller::Found found) mutable {
        if (!found.ok()) return std::move(done)(found.status());
        const CallableFunction& callable = **found;
        callable.Call(std::move(args), context.step(),
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
  std::vector<Tensor> args;
  for (int i = first_input; i < context.num_inputs(); ++i) {
    args.push_back(context.input(i));
  }
  CallFunction(
      {.function = function,
       .device = device,
       .args = std::move(args),
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
