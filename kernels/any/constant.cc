// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Const, Placeholder, PlaceholderV2 and
// PlaceholderWithDefault.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/device_variants.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::constant {
namespace {

class Const final : public Kernel {
 public:
  explicit Const(Tensor value) : value_(std::move(value)) {}

  absl::Status Compute(KernelContext& context) const final {
    const bool is_variant = value_.dtype() == DType::kVariant;
    if (is_variant ? StreamOf(context) == nullptr : context.IsOutputOnHost(0)) {
      context.set_output(0, value_);
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(Tensor on_gpu, OnGpu(context));
    context.set_output(0, std::move(on_gpu));
    return absl::OkStatus();
  }

 private:
  // Returns the value in the memory of the GPU. Copies it in the first step
  // that runs the node; later steps use the same copy.
  absl::StatusOr<Tensor> OnGpu(KernelContext& context) const {
    MutexLock lock(mutex_);
    if (!on_gpu_.IsValid()) {
      LEAT_ASSIGN_OR_RETURN(on_gpu_, Copy(context));
    }
    return on_gpu_;
  }

  absl::StatusOr<Tensor> Copy(KernelContext& context) const {
    if (value_.dtype() == DType::kVariant) {
      return CopyVariantsToGpu(context, value_);
    }
    LEAT_ASSIGN_OR_RETURN(
        Tensor copy, context.AllocateTemporary(value_.dtype(), value_.shape()));
    LEAT_RETURN_IF_ERROR(StreamOf(context)->CopyToDevice(value_, copy));
    return copy;
  }

  const Tensor value_;
  mutable Mutex mutex_;
  mutable Tensor on_gpu_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeConst(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(Tensor value, node.attrs.Get<Tensor>("value"));
  if (value.dtype() != dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("Const '", node.name, "' has dtype ", Name(dtype),
                     " but its value is of type ", Name(value.dtype())));
  }
  return std::unique_ptr<Kernel>(std::make_unique<Const>(std::move(value)));
}

// A placeholder runs only if it was not fed, so it always fails.
class Placeholder final : public Kernel {
 public:
  explicit Placeholder(std::string expected) : expected_(std::move(expected)) {}

  absl::Status Compute(KernelContext& context) const final {
    return absl::InvalidArgumentError(
        absl::StrCat("You must feed a value for placeholder tensor '",
                     context.node().name, "' with dtype ", expected_));
  }

 private:
  const std::string expected_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakePlaceholder(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, node.attrs.GetOr<PartialShape>(
                                                "shape", PartialShape()));
  std::string expected = Name(dtype);
  // The message leaves out a scalar's shape, as TensorFlow does, because in old
  // graphs the shape [] means that the shape is unknown.
  if (shape.rank() > 0) {
    absl::StrAppend(&expected, " and shape ", shape.DebugString());
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<Placeholder>(std::move(expected)));
}

absl::Status ForwardDefault(KernelContext& context) {
  context.set_output(0, context.input(0));
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("Const", &MakeConst);
  registry.AddForAllDevices("Placeholder", &MakePlaceholder);
  registry.AddForAllDevices("PlaceholderV2", &MakePlaceholder);
  registry.AddForAllDevices("PlaceholderWithDefault",
                            &MakeFunction<&ForwardDefault>);
}

}  // namespace leat::kernels::any::constant
