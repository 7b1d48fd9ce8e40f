// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of _Arg and _Retval. _Arg outputs feed number `index` of
// the step. _Retval stores its input as fetch number `index` of the step.
// `index` is an attr. Feeds and fetches are in host memory, so on a GPU the
// kernels queue copies.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/device_variants.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::arguments {
namespace {

absl::Status OutOfRange(int64_t index, size_t size, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("index ", index, " is too large, because the step has only ",
                   size, " ", what));
}

class Arg final : public Kernel {
 public:
  Arg(int64_t index, DType dtype) : index_(index), dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    const auto args = context.step().args;
    if (index_ >= static_cast<int64_t>(args.size())) {
      return OutOfRange(index_, args.size(), "arguments");
    }
    const Tensor& value = args[index_];
    if (value.dtype() != dtype_) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", index_, " is of type ", Name(value.dtype()),
                       ", but the node expects ", Name(dtype_)));
    }
    if (StreamOf(context) != nullptr && dtype_ == DType::kVariant) {
      LEAT_ASSIGN_OR_RETURN(Tensor on_gpu, CopyVariantsToGpu(context, value));
      context.set_output(0, std::move(on_gpu));
      return absl::OkStatus();
    }
    if (context.IsOutputOnHost(0)) {
      context.set_output(0, value);
      return absl::OkStatus();
    }
    LEAT_ASSIGN_OR_RETURN(Tensor* const on_gpu,
                          context.AllocateOutput(0, value.shape()));
    return context.step().device->gpu_stream()->CopyToDevice(value, *on_gpu);
  }

 private:
  const int64_t index_;
  const DType dtype_;
};

class Retval final : public Kernel {
 public:
  explicit Retval(int64_t index) : index_(index) {}

  absl::Status Compute(KernelContext& context) const final {
    const auto returns = context.step().returns;
    if (index_ >= static_cast<int64_t>(returns.size())) {
      return OutOfRange(index_, returns.size(), "return values");
    }
    const Tensor& value = context.input(0);
    // The copies below are only queued. The step does not end before the copied
    // bytes have arrived.
    if (StreamOf(context) != nullptr && value.dtype() == DType::kVariant) {
      LEAT_ASSIGN_OR_RETURN(
          returns[index_],
          CopyVariantsToHost(context, value, [] { return nullptr; }));
      return absl::OkStatus();
    }
    if (!value.IsOnGpu()) {
      returns[index_] = value;
      return absl::OkStatus();
    }
    Device& gpu = *context.step().device;
    LEAT_ASSIGN_OR_RETURN(
        returns[index_],
        Tensor::Allocate(gpu.host_allocator(), value.dtype(), value.shape()));
    gpu.gpu_stream()->CopyToHost(value, returns[index_], nullptr);
    return absl::OkStatus();
  }

 private:
  const int64_t index_;
};

absl::StatusOr<int64_t> GetIndex(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(int64_t index, node.attrs.Get<int64_t>("index"));
  if (index < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Node '", node.name, "' has index ", index, ", which is negative"));
  }
  return index;
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeArg(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(int64_t index, GetIndex(node));
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("T"));
  return std::unique_ptr<Kernel>(std::make_unique<Arg>(index, dtype));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeRetval(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(int64_t index, GetIndex(node));
  return std::unique_ptr<Kernel>(std::make_unique<Retval>(index));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("_Arg", &MakeArg);
  registry.AddForAllDevices("_Retval", &MakeRetval);
}

}  // namespace leat::kernels::any::arguments
