// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/codec/op_def_codec.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/graph/codec/attr_codec.h"
#include "leat/protos/op_def.pb.h"

namespace leat {
namespace {

absl::Status OpError(const pb::OpDef& op, absl::string_view kind,
                     absl::string_view name, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("op '", op.name(), "', ", kind, " '", name, "': ", message));
}

constexpr absl::string_view kBadName =
    "its name is not valid: a name is not empty and has no spaces, control "
    "characters, ':' or '^'";

// Returns true if `name` can be the name of an op, attr or argument. The inputs
// of a function's nodes contain names between colons and after '^', so a name
// must contain neither character.
bool IsValidArgName(absl::string_view name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return c == ':' || c == '^' || static_cast<unsigned char>(c) <= ' ';
  });
}

bool IsAttrType(absl::string_view type) {
  static constexpr absl::string_view kTypes[] = {
      "string", "int", "float", "bool", "type", "shape", "tensor", "func"};
  if (absl::ConsumePrefix(&type, "list(") && !absl::ConsumeSuffix(&type, ")")) {
    return false;
  }
  return std::find(std::begin(kTypes), std::end(kTypes), type) !=
         std::end(kTypes);
}

absl::Status CheckReference(const pb::OpDef& proto, const OpDef& op,
                            const ArgDef& arg, const std::string& name,
                            absl::string_view type) {
  if (name.empty()) return absl::OkStatus();
  const AttrDef* attr = op.FindAttr(name);
  if (attr != nullptr && attr->type == type) return absl::OkStatus();
  return OpError(proto, "argument", arg.name,
                 attr == nullptr
                     ? absl::StrCat("attr '", name, "' is not declared")
                     : absl::StrCat("attr '", name, "' is of type ", attr->type,
                                    ", but must be of type ", type));
}

absl::StatusOr<ArgDef> ArgFromProto(const pb::OpDef& proto, const OpDef& op,
                                    const pb::OpDef::ArgDef& arg) {
  if (!IsValidArgName(arg.name())) {
    return OpError(proto, "argument", arg.name(), kBadName);
  }
  ArgDef result;
  result.name = arg.name();
  result.type_attr = arg.type_attr();
  result.number_attr = arg.number_attr();
  result.type_list_attr = arg.type_list_attr();
  result.is_ref = arg.is_ref();
  if (arg.type() != 0) {
    const std::optional<DType> type = DTypeFromWire(arg.type());
    if (!type.has_value() || IsRef(*type)) {
      return OpError(
          proto, "argument", arg.name(),
          absl::StrCat("type ", static_cast<int>(arg.type()),
                       type.has_value() ? " is a reference" : " is unknown"));
    }
    result.type = *type;
  }
  const int types = (result.type != DType::kInvalid) +
                    !result.type_attr.empty() + !result.type_list_attr.empty();
  if (types != 1) {
    return OpError(proto, "argument", arg.name(),
                   absl::StrCat("it has ", types,
                                " of type, type_attr and type_list_attr, but "
                                "must have exactly one"));
  }
  if (!result.type_list_attr.empty() && !result.number_attr.empty()) {
    return OpError(proto, "argument", arg.name(),
                   "it has both a type_list_attr and a number_attr, but may "
                   "have only one");
  }
  LEAT_RETURN_IF_ERROR(
      CheckReference(proto, op, result, result.type_attr, "type"));
  LEAT_RETURN_IF_ERROR(
      CheckReference(proto, op, result, result.number_attr, "int"));
  LEAT_RETURN_IF_ERROR(
      CheckReference(proto, op, result, result.type_list_attr, "list(type)"));
  return result;
}

absl::Status AllowedFromProto(const pb::OpDef& proto,
                              const pb::OpDef::AttrDef& attr, AttrDef& result) {
  if (!attr.has_allowed_values()) return absl::OkStatus();
  const auto& list = attr.allowed_values().list();
  for (const int number : list.type()) {
    const std::optional<DType> type = DTypeFromWire(number);
    // Skips types that this library does not have, because no node can have
    // them.
    if (type.has_value()) result.allowed_types.push_back(*type);
  }
  if (list.type_size() > 0 && result.allowed_types.empty()) {
    return OpError(proto, "attr", attr.name(),
                   "all of the types that it allows are unknown");
  }
  result.allowed_strings.assign(list.s().begin(), list.s().end());
  return absl::OkStatus();
}

absl::StatusOr<AttrDef> AttrFromProto(const pb::OpDef& proto,
                                      const pb::OpDef::AttrDef& attr) {
  if (!IsValidArgName(attr.name())) {
    return OpError(proto, "attr", attr.name(), kBadName);
  }
  AttrDef result;
  result.name = attr.name();
  result.type = attr.type();
  if (!IsAttrType(result.type)) {
    return OpError(
        proto, "attr", attr.name(),
        absl::StrCat("an attr cannot be of type '", attr.type(), "'"));
  }
  if (attr.has_minimum()) result.minimum = attr.minimum();
  LEAT_RETURN_IF_ERROR(AllowedFromProto(proto, attr, result));
  if (attr.has_default_value()) {
    AttrBudget budget;
    absl::StatusOr<AttrValue> value =
        AttrValueFromProto(attr.default_value(), budget);
    if (!value.ok()) {
      return OpError(proto, "attr", attr.name(), value.status().message());
    }
    const absl::Status status = CheckAttrValue(result, *value);
    if (!status.ok()) {
      return OpError(proto, "attr", attr.name(), status.message());
    }
    result.default_value = *std::move(value);
  }
  return result;
}

absl::Status ArgsFromProto(
    const pb::OpDef& proto, const OpDef& op,
    const google::protobuf::RepeatedPtrField<pb::OpDef::ArgDef>& args,
    std::vector<ArgDef>& result) {
  absl::flat_hash_set<absl::string_view> names;
  for (const pb::OpDef::ArgDef& arg : args) {
    if (!names.insert(arg.name()).second) {
      return OpError(proto, "argument", arg.name(), "it is declared twice");
    }
    LEAT_ASSIGN_OR_RETURN(ArgDef converted, ArgFromProto(proto, op, arg));
    result.push_back(std::move(converted));
  }
  return absl::OkStatus();
}

void ArgToProto(const ArgDef& arg, pb::OpDef::ArgDef& proto) {
  proto.set_name(arg.name);
  proto.set_type(static_cast<pb::DataType>(arg.type));
  proto.set_type_attr(arg.type_attr);
  proto.set_number_attr(arg.number_attr);
  proto.set_type_list_attr(arg.type_list_attr);
  proto.set_is_ref(arg.is_ref);
}

absl::Status AttrToProto(const AttrDef& attr, pb::OpDef::AttrDef& proto) {
  proto.set_name(attr.name);
  proto.set_type(attr.type);
  if (attr.default_value.has_value()) {
    LEAT_RETURN_IF_ERROR(
        AttrValueToProto(*attr.default_value, *proto.mutable_default_value()));
  }
  if (attr.minimum.has_value()) {
    proto.set_has_minimum(true);
    proto.set_minimum(*attr.minimum);
  }
  for (const DType type : attr.allowed_types) {
    proto.mutable_allowed_values()->mutable_list()->add_type(
        static_cast<pb::DataType>(type));
  }
  for (const std::string& text : attr.allowed_strings) {
    proto.mutable_allowed_values()->mutable_list()->add_s(text);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpDef> OpDefFromProto(const pb::OpDef& proto) {
  OpDef op;
  op.name = proto.name();
  if (!IsValidArgName(op.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("op '", op.name, "': ", kBadName));
  }
  absl::flat_hash_set<absl::string_view> names;
  for (const pb::OpDef::AttrDef& attr : proto.attr()) {
    if (!names.insert(attr.name()).second) {
      return OpError(proto, "attr", attr.name(), "it is declared twice");
    }
    LEAT_ASSIGN_OR_RETURN(AttrDef converted, AttrFromProto(proto, attr));
    op.attrs.push_back(std::move(converted));
  }
  LEAT_RETURN_IF_ERROR(ArgsFromProto(proto, op, proto.input_arg(), op.inputs));
  LEAT_RETURN_IF_ERROR(
      ArgsFromProto(proto, op, proto.output_arg(), op.outputs));
  op.is_stateful = proto.is_stateful();
  op.is_commutative = proto.is_commutative();
  op.is_aggregate = proto.is_aggregate();
  op.allows_uninitialized_input = proto.allows_uninitialized_input();
  return op;
}

absl::Status OpDefToProto(const OpDef& op, pb::OpDef& proto) {
  proto.Clear();
  proto.set_name(op.name);
  for (const ArgDef& arg : op.inputs) ArgToProto(arg, *proto.add_input_arg());
  for (const ArgDef& arg : op.outputs) ArgToProto(arg, *proto.add_output_arg());
  for (const AttrDef& attr : op.attrs) {
    LEAT_RETURN_IF_ERROR(AttrToProto(attr, *proto.add_attr()));
  }
  proto.set_is_stateful(op.is_stateful);
  proto.set_is_commutative(op.is_commutative);
  proto.set_is_aggregate(op.is_aggregate);
  proto.set_allows_uninitialized_input(op.allows_uninitialized_input);
  return absl::OkStatus();
}

}  // namespace leat
