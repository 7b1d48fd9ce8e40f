// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/dataset_nodes.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/devices/device_name.h"

namespace leat {
namespace {

std::string RequestedDevice(const Output& output) {
  const Operation operation = output.operation();
  return operation.builder()->graph().node(operation.id()).def->device;
}

}  // namespace

DatasetNode NodeOf(const std::vector<FunctionTensor>& components) {
  DatasetNode node;
  for (const FunctionTensor& component : components) {
    node.dtypes.push_back(component.dtype);
    node.shapes.push_back(component.shape);
  }
  return node;
}

OperandList Constants(const std::vector<Tensor>& tensors) {
  return OperandList(std::vector<Operand>(tensors.begin(), tensors.end()));
}

DatasetNode NodeAdder::Fail(const absl::Status& error) const {
  builder_.Fail(error, location_);
  return {};
}

Operation NodeAdder::Add(absl::string_view op, std::vector<OpInput> inputs,
                         AttrMap attrs) const {
  return builder_.AddOp({.op = op,
                         .inputs = std::move(inputs),
                         .attrs = std::move(attrs),
                         .location = location_});
}

DatasetNode NodeAdder::AddDataset(absl::string_view op,
                                  std::vector<OpInput> inputs, DatasetNode like,
                                  AttrMap attrs) const {
  attrs.Set("output_types", like.dtypes);
  attrs.Set("output_shapes", like.shapes);
  like.handle = Add(op, std::move(inputs), std::move(attrs)).output(0);
  return like;
}

AddedFunction NodeAdder::Function(absl::string_view name,
                                  const DatasetNode& input,
                                  const Dataset::MapFunction& function) const {
  std::vector<FunctionTensor> arguments;
  for (size_t i = 0; i < input.dtypes.size(); ++i) {
    arguments.push_back({.dtype = input.dtypes[i], .shape = input.shapes[i]});
  }
  const size_t num_variables = builder_.variables().size();
  absl::StatusOr<AddedFunction> added = AddFunction(
      builder_, name, arguments,
      [&](absl::Span<const Output> components) {
        return function(builder_, {components.begin(), components.end()});
      },
      location_);
  absl::Status status = added.status();
  if (status.ok()) status = CheckCaptured(name, input, added->captured);
  if (status.ok()) status = CheckVariables(name, num_variables);
  if (status.ok()) return *std::move(added);
  Fail(status);
  return {};
}

absl::Status NodeAdder::CheckCaptured(
    absl::string_view function, const DatasetNode& input,
    const std::vector<Output>& captured) const {
  for (const Output& output : captured) {
    if (output.dtype() != DType::kResource) continue;
    const std::string own = RequestedDevice(input.handle);
    const std::string other = RequestedDevice(output);
    const auto own_name = DeviceName::Parse(own);
    const auto other_name = DeviceName::Parse(other);
    if (!own_name.ok() || !other_name.ok()) continue;  // placement tells it
    if (MergeDeviceNames(*own_name, *other_name).ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "'", function, "' uses the resource '", output.operation().name(),
        "' on '", other, "', but the dataset is on '", own,
        "'; read a variable outside of the function, or put both on one "
        "device"));
  }
  return absl::OkStatus();
}

absl::Status NodeAdder::CheckVariables(absl::string_view function,
                                       size_t before) const {
  const std::vector<Variable>& variables = builder_.variables();
  if (use_ == DatasetUse::kInGraph || variables.size() == before) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", function, "' makes the variable '", variables[before].name(),
      "', but functions of a dataset that is opened must not "
      "use variables"));
}

}  // namespace leat
