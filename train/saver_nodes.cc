// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saver_nodes.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/random_id.h"
#include "leat/graph/ops.h"

namespace leat {
namespace {

// The variables that one task saves, and the device on which it does so.
struct Shard {
  std::string device;  // "": the open device scopes choose it
  std::vector<Variable> variables;
};

// Returns the CPU of the task that has `device`, because only CPUs have files.
std::string CpuBeside(const std::string& device) {
  absl::StatusOr<DeviceName> name = DeviceName::Parse(device);
  if (!name.ok() || !name->type.has_value()) return device;
  name->type = "CPU";
  name->id = 0;
  return name->ToString();
}

std::vector<Shard> ShardsOf(const GraphBuilder& b,
                            absl::Span<const Variable> variables,
                            bool sharded) {
  if (!sharded) return {{"", {variables.begin(), variables.end()}}};
  std::map<std::string, std::vector<Variable>> by_device;
  for (const Variable& variable : variables) {
    const Node& node = b.graph().node(variable.handle().operation().id());
    by_device[CpuBeside(node.def->device)].push_back(variable);
  }
  std::vector<Shard> shards;
  for (auto& [device, group] : by_device) {
    shards.push_back({device, std::move(group)});
  }
  return shards;
}

// Returns the name of the tensor in the checkpoint that has the variable.
std::string KeyOf(const Variable& variable) {
  const auto& part = variable.part();
  if (!part.has_value()) return variable.name();
  const std::string whole =
      part->variable.substr(0, part->variable.rfind("/part_"));
  return absl::StrCat(whole, variable.name().substr(part->variable.size()));
}

// Returns the text "SHAPE SLICE" for a part of a variable (TensorFlow's
// SaveSliceInfo.spec), and "" for a variable that is not a part.
std::string SliceOf(const Variable& variable) {
  const auto& part = variable.part();
  if (!part.has_value()) return "";
  std::vector<std::string> extents;
  for (int i = 0; i < part->whole.rank(); ++i) {
    extents.push_back(absl::StrCat(i == part->axis ? part->offset : 0, ",",
                                   variable.shape().dim(i)));
  }
  return absl::StrCat(absl::StrJoin(part->whole.dims(), " "), " ",
                      absl::StrJoin(extents, ":"));
}

// Returns what a restored tensor must be: SliceOf for a part, and otherwise the
// shape and a slice that is the whole, so that a checkpoint with another shape
// is refused. Returns "", any shape, if the shape is not known or a scalar.
std::string ExpectedSliceOf(const Variable& variable) {
  const absl::StatusOr<Shape> shape = variable.shape().ToShape();
  if (variable.part().has_value() || !shape.ok() || shape->rank() == 0) {
    return SliceOf(variable);
  }
  return absl::StrCat(
      absl::StrJoin(shape->dims(), " "), " ",
      absl::StrJoin(std::vector<std::string>(shape->dims().size(), "-"), ":"));
}

// Adds nodes to the builder for one Saver.
class SaverBuilder {
 public:
  SaverBuilder(GraphBuilder& b, SourceLocation location)
      : b_(b), location_(location) {}

  // Returns the input that steps feed with the prefix.
  Output Prefix() {
    const Output model = b_.Const("model", "filename/input", location_);
    const Output filename = Default(model, "filename");
    return Default(filename, "Const");
  }

  // Returns `prefix` once all variables have been read.
  Output AfterReads(absl::Span<const Variable> variables, Output prefix) {
    std::vector<Operation> reads;
    for (const Variable& variable : variables) {
      reads.push_back(variable.value().operation());
    }
    return After(reads, prefix, "variables_are_read");
  }

  // Writes all variables with one op. Returns `prefix`, once that is done.
  Output SaveWhole(const Shard& shard, Output prefix) {
    return After({Save(shard, prefix)}, prefix, "control_dependency");
  }

  // Each task writes its variables to a folder for these files only. One task
  // then makes one checkpoint of them. The name of the folder is different in
  // each graph, so that two programs do not disturb each other.
  Output SaveShards(absl::Span<const Shard> shards, Output prefix) {
    const Output ending = b_.Const(
        absl::StrCat("_temp_", RandomHandle(), "/part"), "temp", location_);
    const Output base = op::StringJoin(b_, {prefix, ending}, {}, location_);
    const auto count = static_cast<int32_t>(shards.size());
    std::vector<Output> written;
    for (int32_t i = 0; i < count; ++i) {
      const Scope device = b_.OnDevice(shards[i].device, location_);
      const Output name = op::ShardedFilename(base, i, count, location_);
      written.push_back(
          After({Save(shards[i], name)}, name, "control_dependency"));
    }
    const Scope device = b_.OnDevice(shards.back().device, location_);
    const Output all = op::Pack(written, {}, location_);
    const Operation merged = op::MergeV2Checkpoints(all, prefix, {}, location_);
    return After({merged}, prefix, "Identity");
  }

  // Assigns the variables of a shard.
  std::vector<Operation> Restore(const Shard& shard, Output prefix) {
    std::vector<DType> dtypes;
    std::vector<std::string> slices;
    for (const Variable& variable : shard.variables) {
      dtypes.push_back(variable.dtype());
      slices.push_back(ExpectedSliceOf(variable));
    }
    std::vector<Output> tensors;
    {
      const Scope device = b_.OnDevice(shard.device, location_);
      tensors = op::RestoreV2(
          prefix, Strings(Keys(shard), "RestoreV2/tensor_names"),
          Strings(slices, "RestoreV2/shape_and_slices"), dtypes, location_);
    }
    std::vector<Operation> assigned;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Variable& variable = shard.variables[i];
      const Scope beside =
          b_.ColocateWith(variable.handle().operation(), location_);
      assigned.push_back(
          variable.is_resource()
              ? op::AssignVariableOp(variable.handle(), tensors[i], {},
                                     location_)
              : op::Assign(variable.handle(), tensors[i], {}, location_)
                    .operation());
    }
    return assigned;
  }

 private:
  Output Default(Output value, absl::string_view name) {
    return b_
        .AddOp({.op = "PlaceholderWithDefault",
                .inputs = {value},
                .attrs = {{"shape", PartialShape(Shape{})}},
                .name = std::string(name),
                .location = location_})
        .output(0);
  }

  Output After(absl::Span<const Operation> operations, Output value,
               absl::string_view name) {
    const Scope after = b_.ControlDependencies(operations, location_);
    return b_
        .AddOp({.op = "Identity",
                .inputs = {value},
                .name = std::string(name),
                .location = location_})
        .output(0);
  }

  Output Strings(const std::vector<std::string>& texts,
                 absl::string_view name) {
    return b_.Const(Tensor::FromSpan<std::string>(
                        Shape{static_cast<int64_t>(texts.size())}, texts),
                    name, location_);
  }

  static std::vector<std::string> Keys(const Shard& shard) {
    std::vector<std::string> keys;
    for (const Variable& variable : shard.variables) {
      keys.push_back(KeyOf(variable));
    }
    return keys;
  }

  Operation Save(const Shard& shard, Output prefix) {
    const Scope device = b_.OnDevice(shard.device, location_);
    std::vector<std::string> slices;
    std::vector<Output> values;
    for (const Variable& variable : shard.variables) {
      slices.push_back(SliceOf(variable));
      values.push_back(variable.value());
    }
    return op::SaveV2(prefix, Strings(Keys(shard), "SaveV2/tensor_names"),
                      Strings(slices, "SaveV2/shape_and_slices"), values,
                      location_);
  }

  GraphBuilder& b_;
  const SourceLocation location_;
};

}  // namespace

SaverNodes AddSaverNodes(GraphBuilder& b, const SaverOptions& options,
                         SourceLocation location) {
  const Scope site = b.CallSite(location);
  const std::vector<Variable>& variables =
      options.variables.empty() ? b.variables() : options.variables;
  if (variables.empty()) {
    b.Fail(absl::InvalidArgumentError("a Saver has no variables to save"),
           location);
  }
  for (const Variable& variable : variables) {
    if (!b.status().ok() || !variable.handle().IsValid()) return {};
  }
  if (!b.status().ok()) return {};
  const Scope free = b.NoControlDependencies(location);
  const Scope names = b.NameScope(options.name, location);
  SaverBuilder builder(b, location);
  const Output prefix = builder.Prefix();
  const std::vector<Shard> shards = ShardsOf(b, variables, options.sharded);
  const Output saved = options.sharded ? builder.SaveShards(shards, prefix)
                                       : builder.SaveWhole(shards[0], prefix);
  const Output read = builder.AfterReads(variables, prefix);
  std::vector<Operation> assigned;
  for (const Shard& shard : shards) {
    const std::vector<Operation> some = builder.Restore(shard, prefix);
    assigned.insert(assigned.end(), some.begin(), some.end());
  }
  const Operation restore = b.Group(assigned, "restore_all", location);
  if (!b.status().ok()) return {};
  return {prefix.operation().name(), read.operation().name(),
          saved.operation().name(), restore.name()};
}

}  // namespace leat
