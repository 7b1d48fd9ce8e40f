// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/op_list.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/status_macros.h"
#include "leat/tools/dumps/table.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

// Appends an argument as text, such as "a: T" or "values: N * T".
void AppendArg(std::string* out, const ArgDef& arg) {
  std::string type = !arg.type_list_attr.empty() ? arg.type_list_attr
                     : !arg.type_attr.empty()    ? arg.type_attr
                                                 : Name(arg.type);
  if (!arg.number_attr.empty()) {
    type = absl::StrCat(arg.number_attr, " * ", type);
  }
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  absl::StrAppend(out, arg.name, ": ", type);
}

void AppendType(std::string* out, DType dtype) { out->append(Name(dtype)); }

// Returns a text that says which values an attr may have.
std::string Allowed(const AttrDef& attr) {
  if (!attr.allowed_types.empty()) {
    return absl::StrCat(
        " in {", absl::StrJoin(attr.allowed_types, ", ", AppendType), "}");
  }
  if (!attr.allowed_strings.empty()) {
    return absl::StrCat(" in {", absl::StrJoin(attr.allowed_strings, ", "),
                        "}");
  }
  return attr.minimum ? absl::StrCat(" >= ", *attr.minimum) : "";
}

std::string Default(const AttrDef& attr) {
  return attr.default_value ? DebugString(*attr.default_value) : "";
}

// Returns the device types that have a kernel for the op, sorted.
std::vector<std::string> DeviceTypes(const OpRegistry& ops, const OpDef& op) {
  std::set<std::string> types;
  for (const KernelSignature& kernel : ops.Signatures(op.name)) {
    types.insert(kernel.device_type);
  }
  return {types.begin(), types.end()};
}

std::string ConstraintsText(const KernelSignature& kernel) {
  return absl::StrJoin(
      kernel.constraints, "; ",
      [](std::string* out, const TypeConstraint& constraint) {
        absl::StrAppend(out, constraint.attr, " in {",
                        absl::StrJoin(constraint.types, ", ", AppendType), "}");
      });
}

Json OpJson(const OpRegistry& ops, const OpDef& op) {
  Json json = {{"name", op.name},
               {"doc", std::string(op.doc)},
               {"signature", OpSignature(op)},
               {"attrs", Json::array()},
               {"stateful", op.is_stateful},
               {"devices", DeviceTypes(ops, op)}};
  for (const AttrDef& attr : op.attrs) {
    Json entry = {{"name", attr.name}, {"type", attr.type}};
    entry["default"] = nullptr;
    if (attr.default_value) entry["default"] = Default(attr);
    json["attrs"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string OpSignature(const OpDef& op) {
  return absl::StrCat(op.name, "(", absl::StrJoin(op.inputs, ", ", AppendArg),
                      ") -> (", absl::StrJoin(op.outputs, ", ", AppendArg),
                      ")");
}

std::string OpListText(const OpRegistry& ops, bool color) {
  std::vector<std::vector<Cell>> rows;
  for (const OpDef* op : ops.Ops()) {
    const std::vector<std::string> types = DeviceTypes(ops, *op);
    rows.push_back(
        {Cell(types.empty() ? "-" : absl::StrJoin(types, ","), Style::kFaint),
         Cell(OpSignature(*op), Style::kOp)});
  }
  return FormatTable(rows, {.color = color, .indent = 0});
}

absl::StatusOr<std::string> OpText(const OpRegistry& ops,
                                   absl::string_view name, bool color) {
  LEAT_ASSIGN_OR_RETURN(const OpDef* op, ops.Lookup(name));
  std::string text =
      absl::StrCat(Styled(OpSignature(*op), Style::kOp, color), "\n");
  if (!op->doc.empty()) absl::StrAppend(&text, "  ", op->doc, "\n");
  std::vector<std::vector<Cell>> rows;
  for (const AttrDef& attr : op->attrs) {
    rows.push_back(
        {"attr", Cell(attr.name, Style::kName),
         Cell(absl::StrCat(attr.type, Allowed(attr),
                           attr.default_value ? " = " : "", Default(attr)))});
  }
  for (const KernelSignature& kernel : ops.Signatures(name)) {
    rows.push_back({"kernel", Cell(kernel.device_type, Style::kName),
                    Cell(ConstraintsText(kernel))});
  }
  if (ops.Signatures(name).empty()) rows.push_back({"kernel", "none"});
  absl::StrAppend(&text, FormatTable(rows, {.color = color}));
  if (op->is_stateful) absl::StrAppend(&text, "  stateful\n");
  return text;
}

absl::StatusOr<std::string> OpListJson(const OpRegistry& ops,
                                       absl::string_view name) {
  Json list = Json::array();
  if (name.empty()) {
    for (const OpDef* op : ops.Ops()) list.push_back(OpJson(ops, *op));
  } else {
    LEAT_ASSIGN_OR_RETURN(const OpDef* op, ops.Lookup(name));
    list.push_back(OpJson(ops, *op));
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace leat
