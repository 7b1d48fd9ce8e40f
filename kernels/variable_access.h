// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions find the variables and other resources of a kernel's node. An
// argument is either a reference (VariableV2) or a resource handle
// (VarHandleOp). With these functions one kernel serves the ops of both kinds.
// The functions are stateless.
#ifndef LEAT_KERNELS_VARIABLE_ACCESS_H_
#define LEAT_KERNELS_VARIABLE_ACCESS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/work_queue.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable.h"

namespace leat::kernels {

// The key of a node's resource in the store. `container` is the attr of that
// name; "" stands for the store's default container. `name` is the attr
// `shared_name` or, if that is empty, the node's name. A private resource
// belongs to one kernel, and the store makes its name from `name`
// (ResourceStore::PrivateName).
struct ResourceName {
  std::string container = {};
  std::string name = {};
  bool is_private = false;
};
// Reads the name from the attrs of `node`. Returns INVALID_ARGUMENT if one of
// the attrs is not a string.
absl::StatusOr<ResourceName> GetResourceName(const NodeDef& node);
// Does the same as GetResourceName, but for queues and accumulators. Their
// resource is private if the node has no `shared_name`, as in TensorFlow. Also
// returns INVALID_ARGUMENT for a `shared_name` that looks like a private name.
absl::StatusOr<ResourceName> GetPrivateResourceName(const NodeDef& node);

// Returns the shape that `attr` declares for a variable or for a component of a
// queue. As in TensorFlow, an unknown rank stands for a scalar. Returns
// INVALID_ARGUMENT if some extents are unknown.
absl::StatusOr<Shape> DeclaredShape(const PartialShape& attr);

// Returns the handle in input `i`. The input owns the handle, so that a lookup
// does not copy its four strings. Returns INVALID_ARGUMENT unless the input
// holds exactly one handle.
absl::StatusOr<const ResourceHandle*> GetHandle(const KernelContext& context,
                                                int i);

// Returns the variable of input `i`, which is a reference or a handle. Returns
// INVALID_ARGUMENT if the variable's dtype is not `dtype`. Returns
// FAILED_PRECONDITION, with TensorFlow's text, if the variable has no value yet
// or does not exist.
absl::StatusOr<std::shared_ptr<Variable>> GetVariable(
    const KernelContext& context, int i, DType dtype);

// Returns FAILED_PRECONDITION, with the text of TensorFlow's ReadVariableOp,
// for a handle without a variable.
absl::Status NoSuchVariable(const ResourceHandle& handle,
                            absl::string_view reason);

// Sets output 0 to the reference in input 0, if input 0 is a reference and the
// op has an output.
void ForwardRef(KernelContext& context);

// Adds `value` to `target` element by element, or subtracts it. Integers wrap
// around. Returns INVALID_ARGUMENT for a dtype that is not a number. REQUIRES:
// both have the same shape and dtype.
enum class Accumulate { kAdd, kSubtract };
absl::Status AccumulateInto(WorkQueue& queue, Accumulate operation,
                            const Tensor& value, Tensor& target);
// Does the same as the function above, on the device on which the kernel runs.
// On a GPU, queues the work.
absl::Status AccumulateInto(const KernelContext& context, Accumulate operation,
                            const Tensor& value, Tensor& target);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_VARIABLE_ACCESS_H_
