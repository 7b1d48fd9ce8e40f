// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/optimizer_update.h"

#include "absl/strings/str_cat.h"
#include "leat/graph/ops.h"

namespace leat::nn {

Output OptimizerUpdate::value(absl::string_view name) const {
  if (const auto it = values_.find(name); it != values_.end()) {
    return it->second;
  }
  const auto it = powers_.find(name);
  if (it == powers_.end()) return Output();
  const Output power = it->second.value();
  if (power.dtype() == variable_.dtype()) return power;
  return op::Cast(power, variable_.dtype(), {}, location_);
}

Variable OptimizerUpdate::Slot(const Initializer& initial_value) {
  GraphBuilder& b = builder_;
  const absl::StatusOr<Shape> shape = variable_.shape().ToShape();
  if (!shape.ok()) {
    b.Fail(absl::InvalidArgumentError(absl::StrCat(
               "variable '", variable_.name(), "' of unknown shape ",
               variable_.shape().DebugString(),
               " cannot have an optimizer's slots")),
           location_);
    return {};
  }
  Scope colocated = b.ColocateWith(variable_.handle().operation(), location_);
  Scope controls = b.NoControlDependencies(location_);
  Scope names = b.NameScope(absl::StrCat(variable_.name(), "/"), location_);
  Output initial;
  {
    Scope scope =
        b.NameScope(absl::StrCat(slot_name_, "/Initializer"), location_);
    initial = initial_value(b, *shape, variable_.dtype(), *shape);
  }
  return b.Variable(slot_name_, initial,
                    {.trainable = false,
                     .use_resource = variable_.is_resource(),
                     .part = variable_.part()},
                    location_);
}

Operation OptimizerUpdate::Apply(absl::string_view op,
                                 absl::Span<const Variable> variables,
                                 std::vector<OpInput> inputs,
                                 AttrMap attrs) const {
  OpArgs args;
  const std::string name = absl::StrCat(is_resource() ? "Resource" : "", op);
  args.op = name;
  for (const Variable& variable : variables) {
    args.inputs.push_back(variable.handle());
  }
  for (OpInput& input : inputs) args.inputs.push_back(std::move(input));
  args.attrs = std::move(attrs);
  args.location = location_;
  return builder_.AddOp(std::move(args));
}

Output OptimizerUpdate::ReadAfter(const Variable& variable,
                                  Operation change) const {
  if (!variable.is_resource()) return change.output(0);
  const Operation operations[] = {change};
  Scope after = builder_.ControlDependencies(operations, location_);
  return op::ReadVariableOp(variable.handle(), variable.dtype(), location_);
}

Output OptimizerUpdate::Assigned(const Variable& variable, Output value) const {
  const Operation change =
      variable.is_resource()
          ? op::AssignVariableOp(variable.handle(), value, {}, location_)
          : op::Assign(variable.handle(), value, {}, location_).operation();
  return ReadAfter(variable, change);
}

Output OptimizerUpdate::RowsAdded(const Variable& variable,
                                  const IndexedSlices& rows) const {
  const Operation change =
      variable.is_resource()
          ? op::ResourceScatterAdd(variable.handle(), rows.indices, rows.values,
                                   location_)
          : op::ScatterAdd(variable.handle(), rows.indices, rows.values, {},
                           location_)
                .operation();
  return ReadAfter(variable, change);
}

Operation OptimizerUpdate::Subtract(const Variable& variable,
                                    Output value) const {
  if (variable.is_resource()) {
    return op::AssignSubVariableOp(variable.handle(), value, location_);
  }
  return op::AssignSub(variable.handle(), value, {}, location_).operation();
}

Output OptimizerUpdate::Rows(const Variable& variable, Output indices) const {
  if (variable.is_resource()) {
    return op::ResourceGather(variable.handle(), indices, variable.dtype(), {},
                              location_);
  }
  return op::GatherV2(variable.value(), indices, 0, {}, location_);
}

Operation OptimizerUpdate::SetRows(const Variable& variable, Output indices,
                                   Output rows) const {
  if (variable.is_resource()) {
    return op::ResourceScatterUpdate(variable.handle(), indices, rows,
                                     location_);
  }
  return op::ScatterUpdate(variable.handle(), indices, rows, {}, location_)
      .operation();
}

Operation OptimizerUpdate::SubtractRows(const Variable& variable,
                                        Output indices, Output rows) const {
  if (variable.is_resource()) {
    return op::ResourceScatterSub(variable.handle(), indices, rows, location_);
  }
  return op::ScatterSub(variable.handle(), indices, rows, {}, location_)
      .operation();
}

}  // namespace leat::nn
