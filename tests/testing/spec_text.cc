// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/spec_text.h"

#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace leat::testing {
namespace {

std::string Text(const std::string& value) {
  return absl::StrCat(
      "'",
      absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"\n", "\\n"}, {"'", "\\'"}}),
      "'");
}
std::string Text(int64_t value) { return absl::StrCat(value); }
std::string Text(float value) { return absl::StrFormat("%.9g", value); }
std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(DType value) { return Name(value); }
std::string Text(const PartialShape& value) {
  if (!value.rank_known()) return "{ unknown_rank: true }";
  std::string dims;
  for (const int64_t extent : value.dims()) {
    absl::StrAppend(&dims, "dim { size: ", extent, " } ");
  }
  return dims.empty() ? "{}" : absl::StrCat("{ ", dims, "}");
}
// Supports only tensors of integers, because no op has another tensor as a
// default value.
std::string Text(const Tensor& value) {
  std::string text =
      absl::StrCat("{ dtype: ", Name(value.dtype()), " tensor_shape ",
                   Text(PartialShape(value.shape())), " ");
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    const int64_t element = value.dtype() == DType::kUint8
                                ? value.data<uint8_t>()[i]
                                : value.data<int32_t>()[i];
    absl::StrAppend(&text, "int_val: ", element, " ");
  }
  return text + "}";
}
template <class T>
requires requires(const T& value) { Text(value); }
std::string Text(const std::vector<T>& values) {
  return absl::StrCat("[",
                      absl::StrJoin(values, ", ",
                                    [](std::string* out, const T& value) {
                                      out->append(Text(value));
                                    }),
                      "]");
}

struct DefaultText {
  template <class T>
  std::string operator()(const T& value) const {
    if constexpr (requires { Text(value); }) {
      return Text(value);
    } else {
      return "[]";  // an empty list of functions
    }
  }
};

std::string ArgText(const ArgDef& arg) {
  std::string type = absl::StrCat(arg.type_list_attr, arg.type_attr);
  if (type.empty()) type = Name(arg.type);
  if (!arg.number_attr.empty()) type = arg.number_attr + " * " + type;
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  return absl::StrCat(arg.name, ": ", type, "\n");
}

std::string AttrText(const AttrDef& attr) {
  std::vector<std::string> allowed;
  for (const DType type : attr.allowed_types) allowed.push_back(Text(type));
  for (const auto& value : attr.allowed_strings) allowed.push_back(Text(value));
  std::string text = attr.type;
  if (!allowed.empty()) {
    text = absl::StrCat("{", absl::StrJoin(allowed, ", "), "}");
    if (absl::StartsWith(attr.type, "list(")) text = "list(" + text + ")";
  }
  if (attr.minimum) absl::StrAppend(&text, " >= ", *attr.minimum);
  if (attr.default_value) {
    absl::StrAppend(&text, " = ",
                    std::visit(DefaultText(), *attr.default_value));
  }
  return absl::StrCat(attr.name, ": ", text, "\n");
}

}  // namespace

std::string SpecText(const OpDef& op) {
  std::string text = absl::StrCat("op ", op.name, "\n");
  if (op.is_stateful) text += "  is_stateful\n";
  if (op.is_commutative) text += "  is_commutative\n";
  if (op.is_aggregate) text += "  is_aggregate\n";
  if (op.allows_uninitialized_input) text += "  allows_uninitialized_input\n";
  for (const ArgDef& arg : op.inputs) text += "  input " + ArgText(arg);
  for (const ArgDef& arg : op.outputs) text += "  output " + ArgText(arg);
  for (const AttrDef& attr : op.attrs) text += "  attr " + AttrText(attr);
  return text;
}

}  // namespace leat::testing
