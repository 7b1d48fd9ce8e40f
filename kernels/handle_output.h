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
//   const HandleOutput handle_;  // a member of the kernel
//   context.set_output(0, handle_.Get(context));
#ifndef LEAT_KERNELS_HANDLE_OUTPUT_H_
#define LEAT_KERNELS_HANDLE_OUTPUT_H_

#include <mutex>
#include <string>
#include <utility>

#include "leat/core/resource_handle.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"
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
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_HANDLE_OUTPUT_H_
