// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of OptionalFromValue, OptionalNone, OptionalHasValue and
// OptionalGetValue.
#include "leat/core/variants/optional.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_list_access.h"

namespace leat::kernels::any::optional {
namespace {

absl::Status SetOptional(KernelContext& context, OptionalValue value) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<Variant>()[0] = Variant::Of(std::move(value));
  return absl::OkStatus();
}

absl::Status FromValue(KernelContext& context) {
  OptionalValue::Components components;
  for (int i = 0; i < context.num_inputs(); ++i) {
    components.push_back(context.input(i));
  }
  LEAT_ASSIGN_OR_RETURN(OptionalValue value,
                        OptionalValue::Create(std::move(components)));
  return SetOptional(context, std::move(value));
}

absl::Status None(KernelContext& context) {
  return SetOptional(context, OptionalValue());
}

// Returns the optional in input 0, a scalar variant. Returns INVALID_ARGUMENT
// if the input holds no optional.
absl::StatusOr<const OptionalValue*> GetOptional(const KernelContext& context) {
  const Tensor& input = context.input(0);
  if (input.rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input to ", context.node().op->name,
                     " must be a scalar tensor containing an OptionalVariant "
                     "object."));
  }
  const auto* value = input.scalar<Variant>().get<OptionalValue>();
  if (value == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input to ", context.node().op->name,
                     " must be an OptionalVariant object."));
  }
  return value;
}

absl::Status HasValue(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const OptionalValue* value, GetOptional(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  output->mutable_data<bool>()[0] = value->has_value();
  return absl::OkStatus();
}

class GetValue final : public Kernel {
 public:
  explicit GetValue(std::vector<PartialShape> shapes)
      : shapes_(std::move(shapes)) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const OptionalValue* value, GetOptional(context));
    if (!value->has_value()) {
      return absl::InvalidArgumentError(
          "The given optional does not have a value.");
    }
    const auto& components = value->components();
    if (static_cast<int>(components.size()) != context.num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("The given optional has ", components.size(),
                       " components, expected ", context.num_outputs()));
    }
    for (int i = 0; i < context.num_outputs(); ++i) {
      LEAT_RETURN_IF_ERROR(
          Check(i, components[i], context.node().output_types[i]));
      LEAT_RETURN_IF_ERROR(CheckMemory(context, components[i]));
      context.set_output(i, components[i]);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Check(int i, const Tensor& component, DType dtype) const {
    if (component.dtype() != dtype) {
      return Mismatch("type", i, Name(dtype), Name(component.dtype()));
    }
    if (!shapes_[i].IsCompatibleWith(component.shape())) {
      return Mismatch("shape", i, shapes_[i].DebugString(),
                      component.shape().DebugString());
    }
    return absl::OkStatus();
  }

  static absl::Status Mismatch(absl::string_view what, int i,
                               absl::string_view expected,
                               absl::string_view actual) {
    return absl::InvalidArgumentError(
        absl::StrCat("The given optional does not match the expected ", what,
                     " for component ", i, ". Expected: ", expected,
                     ". Actual: ", actual, "."));
  }

  const std::vector<PartialShape> shapes_;  // one for each output
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeGetValue(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      auto shapes, node.attrs.Get<std::vector<PartialShape>>("output_shapes"));
  if (shapes.size() != node.output_types.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Node '", node.name, "' has ", shapes.size(), " output_shapes for ",
        node.output_types.size(), " outputs"));
  }
  return std::unique_ptr<Kernel>(std::make_unique<GetValue>(std::move(shapes)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("OptionalFromValue", &MakeFunction<&FromValue>);
  registry.AddForAllDevices("OptionalNone", &MakeFunction<&None>);
  registry.AddForAllDevices("OptionalHasValue", &MakeFunction<&HasValue>);
  registry.AddForAllDevices("OptionalGetValue", &MakeGetValue);
}

}  // namespace leat::kernels::any::optional
