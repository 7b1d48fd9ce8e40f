// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// How kernels get at variables: an argument is a reference or a resource
// handle, and the two kinds of op share all the rest.
#ifndef LEAT_KERNELS_VARIABLE_ACCESS_H_
#define LEAT_KERNELS_VARIABLE_ACCESS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/work_queue.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable.h"

namespace leat::kernels {

// Where a node's resource is: container ("" is the store's default one) and
// shared_name, or else the node's name.
struct ResourceName {
  std::string container = {};
  std::string name = {};
};
absl::StatusOr<ResourceName> GetResourceName(const NodeDef& node);

// The handle in input `i`, which owns it: its four strings are not copied for a
// look-up. INVALID_ARGUMENT unless it holds exactly one.
absl::StatusOr<const ResourceHandle*> GetHandle(const KernelContext& context,
                                                int i);

// The variable of input `i`: a reference, or named by a handle. Checks that its
// elements are `dtype`. FAILED_PRECONDITION with TensorFlow's text when the
// resource does not exist or has no value yet.
absl::StatusOr<std::shared_ptr<Variable>> GetVariable(
    const KernelContext& context, int i, DType dtype);

// FAILED_PRECONDITION as ReadVariableOp of TensorFlow says it.
absl::Status NoSuchVariable(const ResourceHandle& handle,
                            absl::string_view reason);

// The op's output 0 is its input 0 when that is a reference.
void ForwardRef(KernelContext& context);

// target += value, or -= value. Shapes must be equal; any number type.
enum class Accumulate { kAdd, kSubtract };
absl::Status AccumulateInto(WorkQueue& queue, Accumulate operation,
                            const Tensor& value, Tensor& target);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_VARIABLE_ACCESS_H_
