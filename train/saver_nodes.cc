// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saver_nodes.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/random_id.h"
#include "leat/graph/ops.h"
#include "leat/protos/saver.pb.h"
#include "leat/protos/variable.pb.h"
#include "leat/train/variable_defs.h"

namespace leat {
namespace {

// Describes the variables that one task saves, and the device that runs the
// save.
struct Shard {
  std::string device;  // "": the open device scopes choose it
  std::vector<SavedVariable> variables;
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
                            absl::Span<const SavedVariable> variables,
                            bool sharded) {
  if (!sharded) return {{"", {variables.begin(), variables.end()}}};
  std::map<std::string, std::vector<SavedVariable>> by_device;
  for (const SavedVariable& variable : variables) {
    const Node& node = b.graph().node(variable.handle.operation().id());
    by_device[CpuBeside(node.def->device)].push_back(variable);
  }
  std::vector<Shard> shards;
  for (auto& [device, group] : by_device) {
    shards.push_back({device, std::move(group)});
  }
  return shards;
}

// Returns the text "SHAPE SLICE" for a part of a variable (TensorFlow's
// SaveSliceInfo.spec).
std::string SliceOf(const pb::SaveSliceInfoDef& info) {
  std::vector<std::string> extents;
  for (int i = 0; i < info.full_shape_size(); ++i) {
    extents.push_back(absl::StrCat(info.var_offset(i), ",", info.var_shape(i)));
  }
  return absl::StrCat(absl::StrJoin(info.full_shape(), " "), " ",
                      absl::StrJoin(extents, ":"));
}

// Returns the text "SHAPE SLICE" that a restored tensor must match. For a part
// of a variable, the text describes this part. For a whole variable, the slice
// is the whole tensor, so that all servers, TensorFlow's included, refuse a
// checkpoint with another shape. Returns "" if the shape is not known or is
// that of a scalar.
std::string ExpectedSliceOf(const SavedVariable& variable) {
  const absl::StatusOr<Shape> shape = variable.shape.ToShape();
  if (!variable.slice.empty() || !shape.ok() || shape->rank() == 0) {
    return variable.slice;
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

  // Adds the input that steps feed with the prefix of the checkpoint.
  Output Prefix() {
    const Output model = b_.Const("model", "filename/input", location_);
    const Output filename = Default(model, "filename");
    return Default(filename, "Const");
  }

  // Returns the value of `prefix` after all variables have been read.
  Output AfterReads(absl::Span<const SavedVariable> variables, Output prefix) {
    std::vector<Operation> reads;
    for (const SavedVariable& variable : variables) {
      reads.push_back(variable.value.operation());
    }
    return After(reads, prefix, "variables_are_read");
  }

  // Writes all variables with one op. Returns the value of `prefix` after this
  // op has run.
  Output SaveWhole(const Shard& shard, Output prefix) {
    return After({Save(shard, prefix)}, prefix, "control_dependency");
  }

  // Makes each task write its variables to a folder for these files only. One
  // task then makes one checkpoint of the files. The name of the folder is
  // different in each graph, so that two programs do not disturb each other.
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

  // Assigns the variables only after every task has read its tensors. So if one
  // tensor cannot be read, no variable changes.
  Operation Restore(absl::Span<const Shard> shards, Output prefix) {
    std::vector<Operation> reads;
    for (const Shard& shard : shards) reads.push_back(Read(shard, prefix));
    const Scope after = b_.ControlDependencies(
        {b_.Group(reads, "all_are_read", location_)}, location_);
    std::vector<Operation> assigned;
    for (size_t k = 0; k < shards.size(); ++k) {
      for (size_t i = 0; i < shards[k].variables.size(); ++i) {
        assigned.push_back(Assign(shards[k].variables[i],
                                  reads[k].output(static_cast<int>(i))));
      }
    }
    const Scope free = b_.NoControlDependencies(location_);
    return b_.Group(assigned, "restore_all", location_);
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
    for (const SavedVariable& variable : shard.variables) {
      keys.push_back(variable.key);
    }
    return keys;
  }

  Operation Save(const Shard& shard, Output prefix) {
    const Scope device = b_.OnDevice(shard.device, location_);
    std::vector<std::string> slices;
    std::vector<Output> values;
    for (const SavedVariable& variable : shard.variables) {
      slices.push_back(variable.slice);
      values.push_back(variable.value);
    }
    return op::SaveV2(prefix, Strings(Keys(shard), "SaveV2/tensor_names"),
                      Strings(slices, "SaveV2/shape_and_slices"), values,
                      location_);
  }

  // Reads the tensors of a shard. The attr `_output_shapes` tells the kernel
  // the shapes, because a slice cannot describe a scalar.
  Operation Read(const Shard& shard, Output prefix) {
    const Scope device = b_.OnDevice(shard.device, location_);
    std::vector<DType> dtypes;
    std::vector<std::string> slices;
    std::vector<PartialShape> shapes;
    for (const SavedVariable& variable : shard.variables) {
      dtypes.push_back(variable.value.dtype());
      slices.push_back(ExpectedSliceOf(variable));
      shapes.push_back(variable.shape);
    }
    return b_.AddOp(
        {.op = "RestoreV2",
         .inputs = {prefix, Strings(Keys(shard), "RestoreV2/tensor_names"),
                    Strings(slices, "RestoreV2/shape_and_slices")},
         .attrs = {{"dtypes", dtypes}, {"_output_shapes", shapes}},
         .location = location_});
  }

  Operation Assign(const SavedVariable& variable, Output value) {
    const Scope beside =
        b_.ColocateWith(variable.handle.operation(), location_);
    if (!variable.handle.is_ref()) {
      return op::AssignVariableOp(variable.handle, value, {}, location_);
    }
    return op::Assign(variable.handle, value, {}, location_).operation();
  }

  GraphBuilder& b_;
  const SourceLocation location_;
};

}  // namespace

std::vector<SavedVariable> SavedVariables(
    absl::Span<const Variable> variables) {
  std::vector<SavedVariable> saved;
  for (const Variable& variable : variables) {
    if (!variable.handle().IsValid()) {  // the builder has an error
      saved.emplace_back();
      continue;
    }
    saved.push_back({.handle = variable.handle(),
                     .value = variable.value(),
                     .shape = variable.shape(),
                     .key = variable.name()});
    if (!variable.part().has_value()) continue;
    const pb::SaveSliceInfoDef info = SliceInfoOf(variable);
    saved.back().key = info.full_name();
    saved.back().slice = SliceOf(info);
  }
  return saved;
}

pb::SaverDef SaverNodes::ToProto(int max_to_keep, bool sharded) const {
  pb::SaverDef def;
  def.set_filename_tensor_name(absl::StrCat(prefix, ":0"));
  def.set_save_tensor_name(absl::StrCat(save, ":0"));
  def.set_restore_op_name(restore);
  def.set_max_to_keep(max_to_keep);
  def.set_sharded(sharded);
  def.set_keep_checkpoint_every_n_hours(10000);  // TensorFlow's default
  def.set_version(pb::SaverDef::V2);
  return def;
}

SaverNodes AddSaverNodes(GraphBuilder& b,
                         absl::Span<const SavedVariable> variables,
                         bool sharded, const std::string& name,
                         SourceLocation location) {
  const Scope site = b.CallSite(location);
  if (variables.empty()) {
    b.Fail(absl::InvalidArgumentError("a Saver has no variables to save"),
           location);
  }
  for (const SavedVariable& variable : variables) {
    if (!b.status().ok() || !variable.handle.IsValid()) return {};
  }
  if (!b.status().ok()) return {};
  const Scope free = b.NoControlDependencies(location);
  const Scope names = b.NameScope(name, location);
  SaverBuilder builder(b, location);
  const Output prefix = builder.Prefix();
  const std::vector<Shard> shards = ShardsOf(b, variables, sharded);
  const Output saved = sharded ? builder.SaveShards(shards, prefix)
                               : builder.SaveWhole(shards[0], prefix);
  const Output read = builder.AfterReads(variables, prefix);
  const Operation restore = builder.Restore(shards, prefix);
  if (!b.status().ok()) return {};
  return {prefix.operation().name(), read.operation().name(),
          saved.operation().name(), restore.name()};
}

}  // namespace leat
