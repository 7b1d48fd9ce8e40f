// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_def.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Holds the types of the tensors that an argument stands for: `types` if
// `types` is set, and otherwise `count` times `type`.
struct ArgTypes {
  DType type = DType::kInvalid;
  int64_t count = 1;
  const std::vector<DType>* types = nullptr;
};

absl::StatusOr<int64_t> CountOf(const ArgDef& arg, const AttrMap& attrs) {
  LEAT_ASSIGN_OR_RETURN(const int64_t count,
                        attrs.Get<int64_t>(arg.number_attr));
  if (count < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("attr '", arg.number_attr, "' counts the tensors of '",
                     arg.name, "' and is negative: ", count));
  }
  return count;
}

// Returns a pointer to the list of types in `attrs`. AttrMap::Get would copy
// the list.
absl::StatusOr<const std::vector<DType>*> ListOf(const ArgDef& arg,
                                                 const AttrMap& attrs) {
  static const std::vector<DType> kNone;
  const AttrValue* value = attrs.Find(arg.type_list_attr);
  if (value != nullptr) {
    if (const auto* list = std::get_if<std::vector<DType>>(value)) return list;
    if (std::holds_alternative<EmptyList>(*value)) return &kNone;
  }
  return attrs.Get<std::vector<DType>>(arg.type_list_attr).status();
}

absl::StatusOr<ArgTypes> TypesOf(const ArgDef& arg, const AttrMap& attrs) {
  ArgTypes result;
  if (!arg.type_list_attr.empty()) {
    LEAT_ASSIGN_OR_RETURN(result.types, ListOf(arg, attrs));
    result.count = static_cast<int64_t>(result.types->size());
    return result;
  }
  result.type = arg.type;
  if (!arg.type_attr.empty()) {
    LEAT_ASSIGN_OR_RETURN(result.type, attrs.Get<DType>(arg.type_attr));
  }
  if (!arg.number_attr.empty()) {
    LEAT_ASSIGN_OR_RETURN(result.count, CountOf(arg, attrs));
  }
  return result;
}

absl::Status TooManyError(const ArgDef& arg, int64_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat("argument '", arg.name, "' stands for ", count,
                   " tensors; a node has at most ", kMaxArgs));
}

absl::StatusOr<std::vector<DType>> ArgumentTypes(
    const std::vector<ArgDef>& args, const AttrMap& attrs) {
  std::vector<DType> result;
  result.reserve(args.size());
  for (const ArgDef& arg : args) {
    LEAT_ASSIGN_OR_RETURN(const ArgTypes types, TypesOf(arg, attrs));
    if (types.count > kMaxArgs - static_cast<int64_t>(result.size())) {
      return TooManyError(arg, types.count);
    }
    for (int64_t i = 0; i < types.count; ++i) {
      const DType type = types.types ? (*types.types)[i] : types.type;
      if (type == DType::kInvalid) {
        return absl::InvalidArgumentError(
            absl::StrCat("argument '", arg.name, "' has no valid type"));
      }
      result.push_back(arg.is_ref ? RefOf(type) : type);
    }
  }
  return result;
}

// Visits an AttrValue and returns the length of a list, or nothing for another
// value.
struct ListLength {
  template <class T>
  std::optional<int64_t> operator()(const std::vector<T>& list) const {
    return static_cast<int64_t>(list.size());
  }
  std::optional<int64_t> operator()(EmptyList) const { return 0; }
  template <class T>
  std::optional<int64_t> operator()(const T&) const {
    return std::nullopt;
  }
};

absl::Status CheckBounds(const AttrDef& attr, const AttrValue& value) {
  if (!attr.minimum.has_value()) return absl::OkStatus();
  const std::optional<int64_t> length = std::visit(ListLength(), value);
  const int64_t* number = std::get_if<int64_t>(&value);
  if (number != nullptr && *number < *attr.minimum) {
    return absl::InvalidArgumentError(
        absl::StrCat("Value for attr '", attr.name, "' of ", *number,
                     " must be at least minimum ", *attr.minimum));
  }
  if (length.has_value() && *length < *attr.minimum) {
    return absl::InvalidArgumentError(
        absl::StrCat("Length for attr '", attr.name, "' of ", *length,
                     " must be at least minimum ", *attr.minimum));
  }
  return absl::OkStatus();
}

absl::Status CheckType(const AttrDef& attr, DType type) {
  const std::vector<DType>& allowed = attr.allowed_types;
  if (IsRef(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Value for attr '", attr.name, "' of ", Name(type),
                     " must not be a reference type"));
  }
  if (allowed.empty() ||
      std::find(allowed.begin(), allowed.end(), type) != allowed.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Value for attr '", attr.name, "' of ", Name(type),
                   " is not in the list of allowed values: ",
                   absl::StrJoin(allowed, ", ", [](std::string* out, DType t) {
                     absl::StrAppend(out, Name(t));
                   })));
}

absl::Status CheckString(const AttrDef& attr, const std::string& value) {
  const std::vector<std::string>& allowed = attr.allowed_strings;
  if (allowed.empty() ||
      std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "Value for attr '", attr.name, "' of ", DebugString(AttrValue(value)),
      " is not in the list of allowed values: \"",
      absl::StrJoin(allowed, "\", \""), "\""));
}

// Returns an empty list of type `type`. CheckAttrs replaces an EmptyList by
// this list, so that equal nodes have equal attrs.
AttrValue TypedEmptyList(absl::string_view type) {
  if (type == "list(string)") return std::vector<std::string>();
  if (type == "list(int)") return std::vector<int64_t>();
  if (type == "list(float)") return std::vector<float>();
  if (type == "list(bool)") return std::vector<bool>();
  if (type == "list(type)") return std::vector<DType>();
  if (type == "list(shape)") return std::vector<PartialShape>();
  if (type == "list(tensor)") return std::vector<Tensor>();
  if (type == "list(func)") return std::vector<FunctionRef>();
  return EmptyList();
}

}  // namespace

const AttrDef* OpDef::FindAttr(absl::string_view name) const {
  for (const AttrDef& attr : attrs) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}

absl::StatusOr<std::vector<DType>> InputTypes(const OpDef& op,
                                              const AttrMap& attrs) {
  return ArgumentTypes(op.inputs, attrs);
}

absl::StatusOr<std::vector<DType>> OutputTypes(const OpDef& op,
                                               const AttrMap& attrs) {
  return ArgumentTypes(op.outputs, attrs);
}

absl::StatusOr<std::vector<int>> ArgOffsets(const std::vector<ArgDef>& args,
                                            const AttrMap& attrs) {
  std::vector<int> offsets = {0};
  offsets.reserve(args.size() + 1);
  for (const ArgDef& arg : args) {
    LEAT_ASSIGN_OR_RETURN(const ArgTypes types, TypesOf(arg, attrs));
    if (types.count > kMaxArgs - offsets.back()) {
      return TooManyError(arg, types.count);
    }
    offsets.push_back(offsets.back() + static_cast<int>(types.count));
  }
  return offsets;
}

absl::Status CheckAttrValue(const AttrDef& attr, const AttrValue& value) {
  const absl::string_view type = AttrTypeName(value);
  const bool is_empty_list = std::holds_alternative<EmptyList>(value) &&
                             absl::StartsWith(attr.type, "list(");
  if (type != attr.type && !is_empty_list) {
    return absl::InvalidArgumentError(
        absl::StrCat("Value for attr '", attr.name, "' is of type '", type,
                     "', expected '", attr.type, "': ", DebugString(value)));
  }
  LEAT_RETURN_IF_ERROR(CheckBounds(attr, value));
  if (const auto* dtype = std::get_if<DType>(&value)) {
    return CheckType(attr, *dtype);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return CheckString(attr, *text);
  }
  if (const auto* types = std::get_if<std::vector<DType>>(&value)) {
    for (DType element : *types) {
      LEAT_RETURN_IF_ERROR(CheckType(attr, element));
    }
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& element : *texts) {
      LEAT_RETURN_IF_ERROR(CheckString(attr, element));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAttrs(const OpDef& op, AttrMap& attrs, bool fill_defaults) {
  for (const AttrDef& attr : op.attrs) {
    const AttrValue* value = attrs.Find(attr.name);
    if (value == nullptr) {
      if (!fill_defaults || !attr.default_value.has_value()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "attr '", attr.name, "' of op ", op.name, " is missing"));
      }
      attrs.Set(attr.name, *attr.default_value);
      continue;
    }
    LEAT_RETURN_IF_ERROR(CheckAttrValue(attr, *value));
    if (std::holds_alternative<EmptyList>(*value)) {
      attrs.Set(attr.name, TypedEmptyList(attr.type));
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
