// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make and find resources that live until their step ends:
// TensorArrays and stacks. The container of such a resource is named after the
// step, so the handle of a resource of another step finds nothing. The
// functions are stateless.
//
//   LEAT_RETURN_IF_ERROR(OutputStepResource<Stack>(context, name, make));
//   LEAT_ASSIGN_OR_RETURN(auto stack, FindStepResource<Stack>(context));
#ifndef LEAT_KERNELS_ARRAYS_STEP_HANDLE_H_
#define LEAT_KERNELS_ARRAYS_STEP_HANDLE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/held_bytes.h"
#include "leat/core/resource_handle.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/step_resource.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels {

// Returns the name of the container of the step's resources.
inline std::string StepContainer(const KernelContext& context) {
  return absl::StrCat("__per_step_", context.step().step_id);
}

// Returns a name that no other resource of the step has. It contains the string
// attr `attr` or, if that is empty, the name of the node.
inline absl::StatusOr<std::string> NewStepName(const KernelContext& context,
                                               absl::string_view attr) {
  const NodeDef& node = context.node();
  LEAT_ASSIGN_OR_RETURN(const std::string name,
                        node.attrs.GetOr<std::string>(attr, ""));
  return context.step().step_resources->PrivateName(name.empty() ? node.name
                                                                 : name);
}

// Makes the step's resource of this name with `make` if there is none, and sets
// output 0 to its handle. Returns the error of `make`, or RESOURCE_EXHAUSTED if
// there is no memory. Another thread may make the same resource at the same
// time. Then only one of the two is kept.
template <class T>
absl::Status OutputStepResource(
    KernelContext& context, std::string name,
    absl::FunctionRef<absl::StatusOr<std::shared_ptr<T>>()> make) {
  ResourceStore& store = *context.step().step_resources;
  ResourceHandle handle;
  handle.device = context.step().device->name();
  handle.container = StepContainer(context);
  handle.name = std::move(name);
  handle.maybe_type_name = T::kTypeName;
  if (!store.Find<T>(handle.container, handle.name).ok()) {
    // The resource is made before the store is locked, because that may take
    // long.
    LEAT_ASSIGN_OR_RETURN(
        BufferRef counted,
        // The name is in the key and in the resource, each with room to spare.
        CountBytes(T::kMostBytes + 4 * static_cast<int64_t>(handle.name.size()),
                   context.step().device->host_allocator()));
    LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<T> made, make());
    made->Hold(std::move(counted));
    LEAT_RETURN_IF_ERROR(
        store
            .FindOrMake<T>(
                handle.container, handle.name,
                [&]() -> absl::StatusOr<std::shared_ptr<T>> { return made; })
            .status());
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, Shape{}, HeldBytes(handle)));
  output->mutable_data<ResourceHandle>()[0] = std::move(handle);
  return absl::OkStatus();
}

// Returns the resource of the step that the handle in input 0 names. Fails as
// LookupHandle does.
template <class T>
absl::StatusOr<std::shared_ptr<T>> FindStepResource(
    const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
  return LookupHandle<T>(*context.step().step_resources, *handle,
                         context.step().device->name());
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_ARRAYS_STEP_HANDLE_H_
