// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_spec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_spec_parser.h"

namespace leat {
namespace {

absl::Status SpecError(const OpSpec& spec, absl::string_view declaration,
                       absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(
      "op '", spec.name, "', declaration '", declaration, "': ", message));
}

template <class Def>
bool HasName(const std::vector<Def>& defs, absl::string_view name) {
  return std::any_of(defs.begin(), defs.end(),
                     [&](const Def& def) { return def.name == name; });
}

absl::Status ParseArgs(const OpSpec& spec,
                       const std::vector<std::string>& declarations,
                       std::vector<AttrDef>& attrs, std::vector<ArgDef>& args) {
  for (const std::string& text : declarations) {
    absl::StatusOr<ArgDef> arg = internal::ParseArgDef(text, attrs);
    if (!arg.ok()) return SpecError(spec, text, arg.status().message());
    if (HasName(args, arg->name)) {
      return SpecError(spec, text, "this name is already taken");
    }
    args.push_back(*std::move(arg));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpDef> ParseOpSpec(const OpSpec& spec) {
  OpDef op;
  if (!internal::IsIdentifier(spec.name)) {
    return SpecError(spec, spec.name,
                     "the name of an op must be an identifier");
  }
  op.name = spec.name;
  op.doc = spec.doc;
  for (const std::string& text : spec.attrs) {
    absl::StatusOr<AttrDef> attr = internal::ParseAttrDef(text);
    if (!attr.ok()) return SpecError(spec, text, attr.status().message());
    if (HasName(op.attrs, attr->name)) {
      return SpecError(spec, text, "this name is already taken");
    }
    op.attrs.push_back(*std::move(attr));
  }
  LEAT_RETURN_IF_ERROR(ParseArgs(spec, spec.inputs, op.attrs, op.inputs));
  LEAT_RETURN_IF_ERROR(ParseArgs(spec, spec.outputs, op.attrs, op.outputs));
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    if (!op.attrs[i].default_value.has_value()) continue;
    const absl::Status status =
        CheckAttrValue(op.attrs[i], *op.attrs[i].default_value);
    if (!status.ok()) return SpecError(spec, spec.attrs[i], status.message());
  }
  op.is_stateful = spec.stateful;
  op.is_commutative = spec.commutative;
  op.is_aggregate = spec.aggregate;
  op.allows_uninitialized_input = spec.allows_uninitialized_input;
  op.shape_function = spec.shape;
  op.work_function = spec.work;
  return op;
}

}  // namespace leat
