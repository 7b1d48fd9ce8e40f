// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of resource variables: VarHandleOp, VarIsInitializedOp,
// ReadVariableOp, AssignVariableOp, AssignAddVariableOp, AssignSubVariableOp,
// DestroyResourceOp and VariableShape.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::any::variables {
namespace {

class VarHandle final : public Kernel {
 public:
  explicit VarHandle(ResourceName name)
      : handle_(std::move(name), Variable::kTypeName) {}

  absl::Status Compute(KernelContext& context) const final {
    context.set_output(0, handle_.Get(context));
    return absl::OkStatus();
  }

 private:
  const HandleOutput handle_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeVarHandle(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetResourceName(node));
  return std::unique_ptr<Kernel>(std::make_unique<VarHandle>(std::move(name)));
}

// Returns the variable that `handle` names. Returns NOT_FOUND if there is
// none, and INVALID_ARGUMENT if the handle names something else.
absl::StatusOr<std::shared_ptr<Variable>> Lookup(KernelContext& context,
                                                 const ResourceHandle& handle) {
  return LookupHandle<Variable>(*context.step().resources, handle,
                                context.step().device->name());
}

absl::Status IsInitialized(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
  const auto variable = Lookup(context, *handle);
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<bool>()[0] =
      variable.ok() && (*variable)->IsInitialized();
  return absl::OkStatus();
}

class ReadVariable final : public Kernel {
 public:
  explicit ReadVariable(DType dtype) : dtype_(dtype) {}

  bool IsQuick(KernelContext& context) const final {
    const auto handle = GetHandle(context, 0);
    if (!handle.ok()) return true;
    const auto variable = Lookup(context, **handle);
    return !variable.ok() || (*variable)->IsQuickToRead();
  }

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
    const absl::Status kind = CheckHandle(*handle, Variable::kTypeName,
                                          context.step().device->name());
    if (!kind.ok()) return NoSuchVariable(*handle, kind.message());
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                          GetVariable(context, 0, dtype_));
    LEAT_ASSIGN_OR_RETURN(Tensor value,
                          variable->Read(context.step().device->allocator()));
    context.set_output(0, std::move(value));
    return absl::OkStatus();
  }

 private:
  const DType dtype_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeRead(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  return std::unique_ptr<Kernel>(std::make_unique<ReadVariable>(dtype));
}

class AssignVariable final : public Kernel {
 public:
  AssignVariable(DType dtype, bool validate_shape)
      : dtype_(dtype), validate_shape_(validate_shape) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
    LEAT_RETURN_IF_ERROR(CheckHandle(*handle, Variable::kTypeName,
                                     context.step().device->name()));
    LEAT_ASSIGN_OR_RETURN(
        std::shared_ptr<Variable> variable,
        context.step().resources->FindOrMake<Variable>(
            handle->container, handle->name,
            [&]() -> absl::StatusOr<std::shared_ptr<Variable>> {
              return std::make_shared<Variable>(handle->name, dtype_,
                                                PartialShape());
            }));
    const Tensor& value = context.input(1);
    if (validate_shape_ && variable->IsInitialized()) {
      LEAT_RETURN_IF_ERROR(variable->WithValue([&](const Tensor& current) {
        return current.shape() == value.shape()
                   ? absl::OkStatus()
                   : WrongShape(current.shape(), value.shape());
      }));
    }
    return variable->Assign(value, /*validate_shape=*/false);
  }

 private:
  static absl::Status WrongShape(const Shape& expected, const Shape& got) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Trying to assign to variable with tensor with wrong shape. Expected ",
        expected.DebugString(), " got ", got.DebugString()));
  }

  const DType dtype_;
  const bool validate_shape_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAssign(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(bool validate,
                        node.attrs.GetOr<bool>("validate_shape", false));
  return std::unique_ptr<Kernel>(
      std::make_unique<AssignVariable>(dtype, validate));
}

class AccumulateVariable final : public Kernel {
 public:
  AccumulateVariable(DType dtype, Accumulate operation)
      : dtype_(dtype), operation_(operation) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                          GetVariable(context, 0, dtype_));
    const Tensor& value = context.input(1);
    return variable->Update(
        context.step().device->allocator(), [&](Tensor& target) {
          if (target.shape() != value.shape()) {
            return absl::InvalidArgumentError(absl::StrCat(
                "Cannot update variable with shape ",
                target.shape().DebugString(), " using a Tensor with shape ",
                value.shape().DebugString(), ", shapes must be equal."));
          }
          return AccumulateInto(context, operation_, value, target);
        });
  }

 private:
  const DType dtype_;
  const Accumulate operation_;
};

template <Accumulate operation>
absl::StatusOr<std::unique_ptr<Kernel>> MakeAccumulate(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  return std::unique_ptr<Kernel>(
      std::make_unique<AccumulateVariable>(dtype, operation));
}

class DestroyResource final : public Kernel {
 public:
  explicit DestroyResource(bool ignore_lookup_error)
      : ignore_lookup_error_(ignore_lookup_error) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
    LEAT_RETURN_IF_ERROR(CheckHandle(*handle, handle->maybe_type_name,
                                     context.step().device->name()));
    const absl::Status status = context.step().resources->Delete(
        handle->container, handle->maybe_type_name, handle->name);
    if (ignore_lookup_error_ && absl::IsNotFound(status)) {
      return absl::OkStatus();
    }
    return status;
  }

 private:
  const bool ignore_lookup_error_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeDestroy(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool ignore,
                        node.attrs.GetOr<bool>("ignore_lookup_error", true));
  return std::unique_ptr<Kernel>(std::make_unique<DestroyResource>(ignore));
}

template <class T>
absl::Status WriteShape(KernelContext& context, const Shape& shape) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, Shape{shape.rank()}));
  auto dims = output->mutable_data<T>();
  for (int i = 0; i < shape.rank(); ++i) {
    dims[i] = static_cast<T>(shape.dim(i));
    if (static_cast<int64_t>(dims[i]) != shape.dim(i)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape ", shape.DebugString(), " does not fit the output type"));
    }
  }
  return absl::OkStatus();
}

absl::Status ShapeOfVariable(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const ResourceHandle* handle, GetHandle(context, 0));
  auto variable = Lookup(context, *handle);
  if (absl::IsNotFound(variable.status())) {
    return NoSuchVariable(*handle, variable.status().message());
  }
  if (!variable.ok()) return variable.status();
  Shape shape;
  LEAT_RETURN_IF_ERROR((*variable)->WithValue([&](const Tensor& value) {
    shape = value.shape();
    return absl::OkStatus();
  }));
  return context.node().output_types[0] == DType::kInt64
             ? WriteShape<int64_t>(context, shape)
             : WriteShape<int32_t>(context, shape);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("VarHandleOp", &MakeVarHandle);
  registry.AddForAllDevices("VarIsInitializedOp",
                            &MakeFunction<&IsInitialized>);
  registry.AddForAllDevices("ReadVariableOp", &MakeRead);
  registry.AddForAllDevices("AssignVariableOp", &MakeAssign);
  registry.AddForAllDevices("AssignAddVariableOp",
                            &MakeAccumulate<Accumulate::kAdd>);
  registry.AddForAllDevices("AssignSubVariableOp",
                            &MakeAccumulate<Accumulate::kSubtract>);
  registry.AddForAllDevices("DestroyResourceOp", &MakeDestroy);
  registry.AddForAllDevices("VariableShape", &MakeFunction<&ShapeOfVariable>);
}

}  // namespace leat::kernels::any::variables
