// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/variable_defs.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "leat/protos/meta_graph.pb.h"
#include "leat/protos/variable.pb.h"

namespace leat {
namespace {

pb::VariableDef Describe(const Variable& variable) {
  pb::VariableDef def;
  def.set_variable_name(variable.handle().name());
  def.set_initial_value_name(variable.initializer().input(1).name());
  def.set_initializer_name(variable.initializer().name());
  def.set_snapshot_name(variable.value().name());
  def.set_is_resource(variable.is_resource());
  def.set_trainable(variable.is_trainable());
  if (variable.part().has_value()) {
    *def.mutable_save_slice_info_def() = SliceInfoOf(variable);
  }
  return def;
}

}  // namespace

pb::SaveSliceInfoDef SliceInfoOf(const Variable& variable) {
  const VariablePart& part = *variable.part();
  pb::SaveSliceInfoDef info;
  info.set_full_name(
      absl::StrCat(part.variable.substr(0, part.variable.rfind("/part_")),
                   variable.name().substr(part.variable.size())));
  for (int i = 0; i < part.whole.rank(); ++i) {
    info.add_full_shape(part.whole.dim(i));
    info.add_var_offset(i == part.axis ? part.offset : 0);
    info.add_var_shape(variable.shape().dim(i));
  }
  return info;
}

void AddVariableCollections(const std::vector<Variable>& variables,
                            pb::MetaGraphDef& meta) {
  for (const Variable& variable : variables) {
    const std::string def = Describe(variable).SerializeAsString();
    auto& collections = *meta.mutable_collection_def();
    collections["variables"].mutable_bytes_list()->add_value(def);
    if (!variable.is_trainable()) continue;
    collections["trainable_variables"].mutable_bytes_list()->add_value(def);
  }
}

}  // namespace leat
