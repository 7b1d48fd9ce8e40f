// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HandleOutput: the resource handle that a node gives, made in its first run: a
// kernel belongs to one device and one store of resources, so it is always the
// same. Thread-safe.
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

class HandleOutput {
 public:
  HandleOutput(ResourceName name, std::string type)
      : name_(std::move(name)), type_(std::move(type)) {}

  const ResourceName& name() const { return name_; }

  const Tensor& Get(const KernelContext& context) const {
    std::call_once(made_, [&] {
      ResourceHandle handle;
      handle.device = context.step().device->name();
      handle.container = name_.container.empty()
                             ? context.step().resources->default_container()
                             : name_.container;
      handle.name = name_.name;
      handle.maybe_type_name = type_;
      handle_ = Tensor::Scalar(std::move(handle));
    });
    return handle_;
  }

 private:
  const ResourceName name_;
  const std::string type_;
  mutable std::once_flag made_;
  mutable Tensor handle_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_HANDLE_OUTPUT_H_
