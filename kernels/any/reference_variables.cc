// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of reference variables: Variable, VariableV2,
// IsVariableInitialized, Assign, AssignAdd, AssignSub, TemporaryVariable and
// DestroyTemporaryVariable.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::any::reference_variables {
namespace {

// Outputs a reference to the node's variable. Makes the variable if there is
// none. As in TensorFlow, a variable without elements has a value at once.
class ReferenceVariable final : public Kernel {
 public:
  ReferenceVariable(ResourceName name, DType dtype, Shape shape)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(
        std::shared_ptr<Variable> variable,
        context.step().resources->FindOrMake<Variable>(
            name_.container, name_.name, [&] { return New(context); }));
    if (variable->dtype() != dtype_) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Variable ", name_.name, " holds values of type ",
          Name(variable->dtype()), ", but this node expects ", Name(dtype_)));
    }
    context.set_output_ref(0, std::move(variable));
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::shared_ptr<Variable>> New(KernelContext& context) const {
    auto variable = std::make_shared<Variable>(name_.name, dtype_, shape_);
    if (shape_.num_elements() > 0) return variable;
    Device& device = *context.step().device;
    Allocator& allocator = context.IsOutputOnHost(0) ? device.host_allocator()
                                                     : device.allocator();
    LEAT_ASSIGN_OR_RETURN(Tensor nothing,
                          Tensor::Allocate(allocator, dtype_, shape_));
    LEAT_RETURN_IF_ERROR(variable->Assign(std::move(nothing)));
    return variable;
  }

  const ResourceName name_;
  const DType dtype_;
  const Shape shape_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeVariable(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetResourceName(node));
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape attr,
                        node.attrs.Get<PartialShape>("shape"));
  LEAT_ASSIGN_OR_RETURN(Shape shape, DeclaredShape(attr));
  return std::unique_ptr<Kernel>(std::make_unique<ReferenceVariable>(
      std::move(name), dtype, std::move(shape)));
}

absl::Status CheckRef(const KernelContext& context) {
  if (context.input_ref(0) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError("input 0 must be a reference");
}

absl::Status IsInitialized(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(CheckRef(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<bool>()[0] = context.input_ref(0)->IsInitialized();
  return absl::OkStatus();
}

class AssignReference final : public Kernel {
 public:
  explicit AssignReference(bool validate_shape)
      : validate_shape_(validate_shape) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_RETURN_IF_ERROR(CheckRef(context));
    LEAT_RETURN_IF_ERROR(
        context.input_ref(0)->Assign(context.input(1), validate_shape_));
    ForwardRef(context);
    return absl::OkStatus();
  }

 private:
  const bool validate_shape_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeAssign(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(bool validate,
                        node.attrs.GetOr<bool>("validate_shape", true));
  return std::unique_ptr<Kernel>(std::make_unique<AssignReference>(validate));
}

template <Accumulate operation>
absl::Status AccumulateReference(KernelContext& context) {
  LEAT_RETURN_IF_ERROR(CheckRef(context));
  const Tensor& value = context.input(1);
  LEAT_RETURN_IF_ERROR(context.input_ref(0)->Update(
      context.step().device->allocator(), [&](Tensor& target) {
        if (target.dtype() != value.dtype() ||
            target.shape() != value.shape()) {
          return absl::InvalidArgumentError(
              absl::StrCat("Parameters and update must be the same size: ",
                           target.shape().DebugString(), " vs. ",
                           value.shape().DebugString()));
        }
        return AccumulateInto(context, operation, value, target);
      }));
  ForwardRef(context);
  return absl::OkStatus();
}

// Returns the name of a temporary variable in the step's store. Each iteration
// of a loop has variables of its own.
std::string TemporaryKey(const KernelContext& context,
                         absl::string_view var_name) {
  return absl::StrCat(context.frame_id(), ":", context.iteration(), "/",
                      var_name);
}

absl::StatusOr<std::string> VarName(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string name,
                        node.attrs.GetOr<std::string>("var_name", ""));
  if (name.empty()) name = node.name;
  return name;
}

// Makes a variable that exists at most until the step ends. Its value is zeros.
// In TensorFlow the value is undefined.
class TemporaryVariable final : public Kernel {
 public:
  TemporaryVariable(std::string name, DType dtype, Shape shape)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)) {}

  absl::Status Compute(KernelContext& context) const final {
    bool made = false;
    LEAT_ASSIGN_OR_RETURN(
        std::shared_ptr<Variable> variable,
        context.step().step_resources->FindOrMake<Variable>(
            "", TemporaryKey(context, name_),
            [&]() -> absl::StatusOr<std::shared_ptr<Variable>> {
              made = true;
              return std::make_shared<Variable>(name_, dtype_, shape_);
            }));
    if (!made) {
      return absl::AlreadyExistsError(
          absl::StrCat("Temporary variable ", name_, " already exists"));
    }
    LEAT_ASSIGN_OR_RETURN(
        Tensor value,
        Tensor::Allocate(context.step().device->allocator(), dtype_, shape_));
    if (IsPlainBytes(dtype_)) {
      std::fill_n(value.mutable_raw_data(), value.num_bytes(), '\0');
    }
    LEAT_RETURN_IF_ERROR(variable->Assign(std::move(value)));
    context.set_output_ref(0, std::move(variable));
    return absl::OkStatus();
  }

 private:
  const std::string name_;
  const DType dtype_;
  const Shape shape_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeTemporary(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string name, VarName(node));
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape attr,
                        node.attrs.Get<PartialShape>("shape"));
  LEAT_ASSIGN_OR_RETURN(Shape shape, DeclaredShape(attr));
  return std::unique_ptr<Kernel>(std::make_unique<TemporaryVariable>(
      std::move(name), dtype, std::move(shape)));
}

class DestroyTemporary final : public Kernel {
 public:
  explicit DestroyTemporary(std::string name) : name_(std::move(name)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_RETURN_IF_ERROR(CheckRef(context));
    LEAT_ASSIGN_OR_RETURN(
        Tensor value,
        context.input_ref(0)->Read(context.step().device->allocator()));
    LEAT_RETURN_IF_ERROR(context.step().step_resources->Delete(
        "", Variable::kTypeName, TemporaryKey(context, name_)));
    context.set_output(0, std::move(value));
    return absl::OkStatus();
  }

 private:
  const std::string name_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeDestroy(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string name, VarName(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<DestroyTemporary>(std::move(name)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("Variable", &MakeVariable);
  registry.AddForAllDevices("VariableV2", &MakeVariable);
  registry.AddForAllDevices("IsVariableInitialized",
                            &MakeFunction<&IsInitialized>);
  registry.AddForAllDevices("Assign", &MakeAssign);
  registry.AddForAllDevices(
      "AssignAdd", &MakeFunction<&AccumulateReference<Accumulate::kAdd>>);
  registry.AddForAllDevices(
      "AssignSub", &MakeFunction<&AccumulateReference<Accumulate::kSubtract>>);
  registry.Add("TemporaryVariable", kCpu, &MakeTemporary);
  registry.Add("DestroyTemporaryVariable", kCpu, &MakeDestroy);
}

}  // namespace leat::kernels::any::reference_variables
