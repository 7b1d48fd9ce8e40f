// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FunctionCaller lets kernels call functions of the graph's library while a
// step runs. Most functions are inlined before a step begins
// (graph/lowering/lower.h). A kernel calls those that cannot be inlined, for
// example because they are recursive.
//
//   context.step().functions->Find(
//       {.function = f, .arg_types = types, .device = device},
//       [&](FunctionCaller::Found found) {
//         if (!found.ok()) return Fail(found.status());
//         (*found)->Call(args, context.step(), use_results);
//       });
#ifndef LEAT_KERNELS_FUNCTION_CALLER_H_
#define LEAT_KERNELS_FUNCTION_CALLER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/graph/attr.h"
#include "leat/kernels/kernel_context.h"

namespace leat {

// Is a function that was compiled for one device. Is thread-safe.
class CallableFunction {
 public:
  using Results = absl::StatusOr<std::vector<Tensor>>;
  using Done = absl::AnyInvocable<void(Results) &&>;

  virtual ~CallableFunction() = default;

  // Starts a call and returns without waiting. The call is a step of its own,
  // which uses the temporary resources of the calling step `caller`. If the
  // calling step is cancelled, so is the call.
  //
  // Calls `done` exactly once, on any thread, before or after Call returns. The
  // results are in memory of the host. `done` gets the error of the call, or
  // - INVALID_ARGUMENT if a result has no value, because it is on a branch that
  //   was not taken;
  // - RESOURCE_EXHAUSTED if too many calls are under way, or are nested.
  // The function and everything in `caller` must live until then.
  //
  // If `computes` is true, the calling thread must be one that may compute. It
  // then works on the call until it has to wait, and often completes it.
  // Otherwise it only runs quick instructions.
  virtual void Call(std::vector<Tensor> args, const StepServices& caller,
                    Done done, bool computes = false) const = 0;

  // Returns true if the function has ops with state, such as random generators.
  virtual bool HasState() const = 0;
  // Returns the function with new kernels, so that a random generator in it
  // begins anew. The result must not outlive this object.
  virtual absl::StatusOr<std::shared_ptr<const CallableFunction>> NewInstance()
      const = 0;
};

// Says which function a kernel wants to call. Everything is borrowed.
struct FunctionRequest {
  const FunctionRef& function;
  absl::Span<const DType> arg_types = {};
  absl::Span<const DType> return_types = {};
  // Is the full name of the device of this task for nodes that request no other
  // one.
  absl::string_view device = {};
  // Holds the full name of a device for each argument that is a handle to a
  // resource: the device of the resource. The other names are empty. May be
  // empty as a whole.
  absl::Span<const std::string> arg_devices = {};
};

// Finds functions of one graph. Is thread-safe.
class FunctionCaller {
 public:
  using Found = absl::StatusOr<std::shared_ptr<const CallableFunction>>;

  virtual ~FunctionCaller() = default;

  // Calls `done` exactly once with the function, before or after Find returns.
  // The first request compiles the function, and later ones share the result.
  // `done` gets
  // - INVALID_ARGUMENT if the library has no such function, or if the types of
  //   its arguments or results are other ones;
  // - INTERNAL, as in TensorFlow, if this task has no such device;
  // - the errors of planning and compiling.
  // The function keeps all that it needs, and may outlive the FunctionCaller,
  // the graph and the session.
  virtual void Find(const FunctionRequest& request,
                    absl::AnyInvocable<void(Found) &&> done) = 0;

  // Returns the types of the results of `function`. Returns INVALID_ARGUMENT if
  // the library has no such function.
  virtual absl::StatusOr<std::vector<DType>> ReturnTypes(
      const FunctionRef& function) const = 0;
};

}  // namespace leat

#endif  // LEAT_KERNELS_FUNCTION_CALLER_H_
