// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HandleOutput holds the resource handle that a node such as VarHandleOp
// outputs. The node's first run makes the handle. Later runs reuse it, which
// saves the copy of four strings. The handle never changes, because a kernel
// belongs to one device and one store of resources.
//
// A resource with a private name lives as long as this object, and thus as long
// as the kernel and its session.
//
// Some old ops output a reference to a variable instead, whose value is two
// strings: the container and the name of the resource. Set and FindResource
// serve both kinds of ops.
//
//   const HandleOutput handle_;  // a member of the kernel
//   return handle_.Set(context);
#ifndef LEAT_KERNELS_HANDLE_OUTPUT_H_
#define LEAT_KERNELS_HANDLE_OUTPUT_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "leat/core/resource_handle.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels {

// Is thread-safe. Owns the handle's tensor.
class HandleOutput {
 public:
  // `name` is the name of the resource and of its container; an empty container
  // stands for the store's default container. `type` is the kTypeName of the
  // resource's class, such as Variable::kTypeName.
  HandleOutput(ResourceName name, std::string type)
      : name_(std::move(name)), type_(std::move(type)) {}

  // Sets output 0 to the handle or, if the op outputs a reference, to a
  // reference to the variable. REQUIRES: as for Get.
  absl::Status Set(KernelContext& context) const {
    const Tensor& handle = Get(context);
    if (!IsRef(context.node().output_types[0])) {
      context.set_output(0, handle);
      return absl::OkStatus();
    }
    std::call_once(reference_made_, [&] {
      const auto& named = handle.scalar<ResourceHandle>();
      reference_ = std::make_shared<Variable>(named.name, DType::kString,
                                              PartialShape{2});
      reference_assigned_ = reference_->Assign(
          Tensor::Vector<std::string>({named.container, named.name}));
    });
    LEAT_RETURN_IF_ERROR(reference_assigned_);
    context.set_output_ref(0, reference_);
    return absl::OkStatus();
  }

  // Deletes the resource if its name is private.
  ~HandleOutput() {
    if (store_ == nullptr) return;
    const auto& handle = handle_.scalar<ResourceHandle>();
    store_->Delete(handle.container, type_, handle.name).IgnoreError();
  }

  // Returns a scalar of dtype resource that names the resource on the device of
  // `context`. The reference is valid until this object is destroyed. REQUIRES:
  // all calls have contexts of the same device and store, and the store
  // outlives this object.
  const Tensor& Get(const KernelContext& context) const {
    std::call_once(made_, [&] {
      ResourceStore& store = *context.step().resources;
      ResourceHandle handle;
      handle.device = context.step().device->name();
      handle.container =
          name_.container.empty() ? store.default_container() : name_.container;
      handle.name =
          name_.is_private ? store.PrivateName(name_.name) : name_.name;
      handle.maybe_type_name = type_;
      handle_ = Tensor::Scalar(std::move(handle));
      if (name_.is_private) store_ = &store;
    });
    return handle_;
  }

 private:
  const ResourceName name_;
  const std::string type_;
  mutable std::once_flag made_;
  // Is set by the first call of Get.
  mutable Tensor handle_;
  // Is the store of the resource if its name is private, and otherwise null. Is
  // borrowed, and set by the first call of Get.
  mutable ResourceStore* store_ = nullptr;
  mutable std::once_flag reference_made_;
  mutable std::shared_ptr<Variable> reference_;
  mutable absl::Status reference_assigned_;
};

// Returns the resource of type T that input `i` names. The input is a handle,
// or a reference to a variable with the container and the name. Fails as
// LookupHandle does, and with INVALID_ARGUMENT if the variable has another
// value.
template <class T>
absl::StatusOr<std::shared_ptr<T>> FindResource(const KernelContext& context,
                                                int i) {
  ResourceStore& store = *context.step().resources;
  const std::shared_ptr<Variable>& reference = context.input_ref(i);
  if (reference == nullptr) {
    LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, i));
    return LookupHandle<T>(store, *handle, context.step().device->name());
  }
  LEAT_ASSIGN_OR_RETURN(
      const Tensor names,
      reference->Read(context.step().device->host_allocator()));
  if (names.dtype() != DType::kString || names.num_elements() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("Resource handle must have 2 elements, but had shape: ",
                     names.shape().DebugString()));
  }
  const auto text = names.data<std::string>();
  return store.Find<T>(text[0], text[1]);
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_HANDLE_OUTPUT_H_
