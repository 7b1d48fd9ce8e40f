// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/gen/op_code.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace leat::gen {
namespace {

// Limits the length of a line of generated code.
constexpr size_t kColumns = 80;

// Returns the keywords of C++20. Arguments and attrs of ops may have such
// names.
const std::set<std::string>& Keywords() {
  static const auto* const keywords = new std::set<std::string>{
      "alignas",      "alignof",    "and",       "asm",       "auto",
      "bool",         "break",      "case",      "catch",     "char",
      "class",        "compl",      "concept",   "const",     "continue",
      "decltype",     "default",    "delete",    "do",        "double",
      "else",         "enum",       "explicit",  "export",    "extern",
      "false",        "float",      "for",       "friend",    "goto",
      "if",           "inline",     "int",       "long",      "mutable",
      "namespace",    "new",        "noexcept",  "not",       "nullptr",
      "operator",     "or",         "private",   "protected", "public",
      "register",     "requires",   "return",    "short",     "signed",
      "sizeof",       "static",     "struct",    "switch",    "template",
      "this",         "throw",      "true",      "try",       "typedef",
      "typeid",       "typename",   "union",     "unsigned",  "using",
      "virtual",      "void",       "volatile",  "while",     "xor",
      "constexpr",    "consteval",  "constinit", "co_await",  "co_return",
      "co_yield",     "char8_t",    "char16_t",  "char32_t",  "wchar_t",
      "thread_local", "const_cast", "and_eq",    "or_eq",     "xor_eq",
      "not_eq",       "bitand",     "bitor"};
  return *keywords;
}

// Returns true if the argument stands for a list of tensors.
bool IsList(const ArgDef& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

// Returns the C++ type of an attr of type `attr_type`.
std::string CppType(absl::string_view attr_type) {
  if (absl::ConsumePrefix(&attr_type, "list(")) {
    absl::ConsumeSuffix(&attr_type, ")");
    return absl::StrCat("std::vector<", CppType(attr_type), ">");
  }
  if (attr_type == "string") return "std::string";
  if (attr_type == "int") return "int64_t";
  if (attr_type == "type") return "DType";
  if (attr_type == "shape") return "PartialShape";
  if (attr_type == "tensor") return "Tensor";
  if (attr_type == "func") return "FunctionRef";
  return std::string(attr_type);  // float, bool
}

// Makes the C++ text for the value of an attr. Has an overload for each
// alternative of AttrValue that may be a default.
struct Literal {
  std::string operator()(const std::string& value) const {
    return absl::StrCat("\"", absl::CHexEscape(value), "\"");
  }
  std::string operator()(int64_t value) const {
    if (value == INT64_MIN) return "INT64_MIN";
    return absl::StrCat(value);
  }
  std::string operator()(float value) const {
    if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
    if (std::isinf(value)) {
      return absl::StrCat(value < 0 ? "-" : "",
                          "std::numeric_limits<float>::infinity()");
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    const bool is_integer =
        absl::string_view(text).find_first_of(".e") == absl::string_view::npos;
    return absl::StrCat(text, is_integer ? ".0f" : "f");
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(DType value) const {
    std::string name = Name(value);
    // The code below cannot turn a name of several words, such as
    // "float8_e5m2", into the name of its enumerator. Only the newest types
    // have such names.
    if (absl::StrContains(name, '_')) {
      return absl::StrCat("static_cast<DType>(", static_cast<int>(value), ")");
    }
    name[0] = absl::ascii_toupper(name[0]);
    return absl::StrCat("DType::k", name);
  }
  // Writes ::leat::Shape, because Shape alone would be the function op::Shape.
  std::string operator()(const PartialShape& value) const {
    if (!value.rank_known()) return "PartialShape()";
    if (value.rank() == 0) return "PartialShape(::leat::Shape())";
    return absl::StrCat("PartialShape{", absl::StrJoin(value.dims(), ", "),
                        "}");
  }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::vector<std::string> elements;
    for (size_t i = 0; i < list.size(); ++i) {
      const T& element = list[i];
      elements.push_back((*this)(element));
    }
    return absl::StrCat("{", absl::StrJoin(elements, ", "), "}");
  }
  template <class T>
  std::string operator()(const T&) const {
    return "{}";
  }
};

// Returns the declaration of an argument as text: "values: N * T".
std::string ArgText(const ArgDef& arg) {
  std::string type = arg.type_attr + arg.type_list_attr;
  if (type.empty()) type = Name(arg.type);
  if (!arg.number_attr.empty()) {
    type = absl::StrCat(arg.number_attr, " * ", type);
  }
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  return absl::StrCat(arg.name, ": ", type);
}

std::string ArgsText(const std::vector<ArgDef>& args) {
  return absl::StrJoin(args, ", ", [](std::string* out, const ArgDef& arg) {
    out->append(ArgText(arg));
  });
}

// Joins the names to a text such as "a, b or c".
std::string Alternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return absl::StrJoin(names, "");
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return absl::StrCat(absl::StrJoin(first, ", "), " or ", names.back());
}

// Returns a text with the name of an attr and the values that it may have:
// "Tperm: int32 or int64".
std::string AttrText(const AttrDef& attr) {
  std::vector<std::string> allowed;
  for (const DType type : attr.allowed_types) allowed.push_back(Name(type));
  for (const std::string& value : attr.allowed_strings) {
    allowed.push_back(absl::StrCat("\"", value, "\""));
  }
  const bool is_list = absl::StartsWith(attr.type, "list(");
  std::string text = absl::StrCat(attr.name, ": ");
  if (allowed.empty()) {
    absl::StrAppend(&text, attr.type == "type" ? "any type" : attr.type);
  } else {
    absl::StrAppend(&text, is_list ? "list of " : "", Alternatives(allowed));
  }
  const int64_t no_minimum = is_list ? 0 : INT64_MIN;
  if (attr.minimum.value_or(no_minimum) == no_minimum) return text;
  return absl::StrCat(text, is_list ? " of length >= " : " >= ", *attr.minimum);
}

// Returns `text` as comment lines. Breaks the text at spaces, so that a line
// has at most kColumns characters if possible. `margin` is the start of the
// first line, and `next_margin` is the start of the others.
std::string CommentLines(absl::string_view text, absl::string_view margin,
                         absl::string_view next_margin) {
  std::string lines;
  while (margin.size() + text.size() > kColumns) {
    const size_t space = text.rfind(' ', kColumns - margin.size());
    if (space == absl::string_view::npos) break;
    absl::StrAppend(&lines, margin, text.substr(0, space), "\n");
    text.remove_prefix(space + 1);
    margin = next_margin;
  }
  return absl::StrCat(lines, margin, text, "\n");
}

// Returns true if the attr follows from the inputs.
bool IsInferable(const OpDef& op, absl::string_view attr) {
  return std::any_of(
      op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
        return arg.type_attr == attr || arg.number_attr == attr ||
               arg.type_list_attr == attr;
      });
}

// Returns true if a node of the op may have no input. The function for such an
// op takes the builder as a parameter, because there may be no input to get the
// builder from.
bool MayHaveNoInput(const OpDef& op) {
  return std::all_of(
      op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
        const AttrDef* attr = op.FindAttr(arg.number_attr + arg.type_list_attr);
        return attr != nullptr && attr->minimum.value_or(0) <= 0;
      });
}

}  // namespace

OpCode::OpCode(const OpDef& op) : op_(op), takes_builder_(MayHaveNoInput(op)) {
  std::set<std::string> names = {"builder",   "attrs",   "location",
                                 "operation", "outputs", "op_args"};
  std::set<std::string> field_names;
  std::set<std::string> output_names = {"operation"};
  for (const ArgDef& arg : op.inputs) {
    inputs_.push_back({IsList(arg) ? "OperandList" : "Operand",
                       Identifier(arg.name, names), arg.name, ""});
  }
  for (const AttrDef& attr : op.attrs) {
    if (!IsInferable(op, attr.name)) AddAttr(attr, names, field_names);
  }
  for (const ArgDef& arg : op.outputs) {
    outputs_.push_back({IsList(arg) ? "std::vector<Output>" : "Output",
                        Identifier(arg.name, output_names), arg.name, ""});
  }
}

std::string OpCode::Identifier(const std::string& name,
                               std::set<std::string>& taken) {
  std::string identifier = name;
  while (Keywords().contains(identifier) || !taken.insert(identifier).second) {
    identifier += '_';
  }
  return identifier;
}

void OpCode::AddAttr(const AttrDef& attr, std::set<std::string>& names,
                     std::set<std::string>& field_names) {
  const std::string type = CppType(attr.type);
  if (attr.default_value.has_value()) {
    optional_.push_back({type, Identifier(attr.name, field_names), attr.name,
                         std::visit(Literal(), *attr.default_value)});
  } else {
    required_.push_back({type, Identifier(attr.name, names), attr.name, ""});
  }
}

std::string OpCode::ReturnType() const {
  if (outputs_.empty()) return "Operation";
  if (outputs_.size() == 1) return outputs_[0].type;
  return op_.name + "Outputs";
}

std::string OpCode::Comment() const {
  std::string signature =
      absl::StrCat(op_.name, "(", ArgsText(op_.inputs), ")");
  if (!op_.outputs.empty()) {
    absl::StrAppend(&signature, " -> ", ArgsText(op_.outputs));
  }
  std::string comment;
  if (!op_.doc.empty()) {
    comment = absl::StrCat(CommentLines(op_.doc, "// ", "// "), "//\n");
  }
  comment += CommentLines(signature, "//   ", "//       ");
  for (const AttrDef& attr : op_.attrs) {
    comment += CommentLines(AttrText(attr), "//   ", "//       ");
  }
  return comment;
}

std::string OpCode::Structs() const {
  std::string text;
  if (!optional_.empty()) {
    absl::StrAppend(&text, "struct ", op_.name, "Attrs {\n");
    for (const Parameter& field : optional_) {
      absl::StrAppend(&text, "  ", field.type, " ", field.name, " = ",
                      field.value, ";\n");
    }
    text += "};\n";
  }
  if (outputs_.size() > 1) {
    absl::StrAppend(&text, "struct ", op_.name, "Outputs {\n");
    for (const Parameter& field : outputs_) {
      absl::StrAppend(&text, "  ", field.type, " ", field.name, " = {};\n");
    }
    text += "  Operation operation = {};\n};\n";
  }
  return text;
}

std::string OpCode::Signature(bool with_defaults) const {
  std::vector<std::string> parameters;
  if (takes_builder_) parameters.push_back("GraphBuilder& builder");
  for (const auto* list : {&inputs_, &required_}) {
    for (const Parameter& parameter : *list) {
      parameters.push_back(absl::StrCat(parameter.type, " ", parameter.name));
    }
  }
  if (!optional_.empty()) {
    parameters.push_back(
        absl::StrCat(op_.name, "Attrs attrs", with_defaults ? " = {}" : ""));
  }
  parameters.push_back(
      absl::StrCat("SourceLocation location",
                   with_defaults ? " = SourceLocation::Current()" : ""));
  const std::string start = absl::StrCat(ReturnType(), " ", op_.name, "(");
  const std::string line =
      absl::StrCat(start, absl::StrJoin(parameters, ", "), ")");
  if (line.size() + 2 <= kColumns) return line;
  return absl::StrCat(start, "\n    ", absl::StrJoin(parameters, ",\n    "),
                      ")");
}

std::string OpCode::AttrExpression(const std::string& attr, bool length) const {
  for (const auto* list : {&required_, &optional_}) {
    for (const Parameter& parameter : *list) {
      if (parameter.of != attr) continue;
      const std::string name = list == &optional_
                                   ? absl::StrCat("attrs.", parameter.name)
                                   : parameter.name;
      if (!length) return name;
      return absl::StartsWith(parameter.type, "std::vector")
                 ? absl::StrCat(name, ".size()")
                 : name;
    }
  }
  // The attr is not a parameter, so it follows from an input.
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    if (op_.inputs[i].number_attr == attr ||
        op_.inputs[i].type_list_attr == attr) {
      return absl::StrCat(inputs_[i].name, ".size()");
    }
  }
  return "0";
}

std::string OpCode::CountExpression(const ArgDef& output) const {
  if (!IsList(output)) return "1";
  return absl::StrCat("internal::ListLength(",
                      AttrExpression(output.number_attr + output.type_list_attr,
                                     /*length=*/true),
                      ")");
}

// The generated code computes the counts before it calls CallOp, because the
// call moves the attrs away.
std::string OpCode::Counts() const {
  std::string text;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!IsList(op_.outputs[i])) continue;
    absl::StrAppend(&text, "  const int64_t count_", i, " = ",
                    CountExpression(op_.outputs[i]), ";\n");
  }
  return text;
}

std::string OpCode::Call() const {
  std::string text =
      absl::StrCat("  OpArgs op_args;\n  op_args.op = \"", op_.name,
                   "\";\n  op_args.location = location;\n");
  for (const Parameter& input : inputs_) {
    absl::StrAppend(&text, "  op_args.inputs.emplace_back(std::move(",
                    input.name, "));\n");
  }
  for (const auto* list : {&required_, &optional_}) {
    for (const Parameter& attr : *list) {
      const std::string value = AttrExpression(attr.of, /*length=*/false);
      // The default of a Tensor attr cannot be written as a C++ literal. So an
      // invalid Tensor means that the attr is not set.
      if (list == &optional_ && attr.type == "Tensor") {
        absl::StrAppend(&text, "  if (", value, ".IsValid())");
      }
      absl::StrAppend(&text, "  op_args.attrs.Set(\"", attr.of,
                      "\", std::move(", value, "));\n");
    }
  }
  return absl::StrCat(text, "  const Operation operation = internal::CallOp(",
                      takes_builder_ ? "&builder" : "nullptr",
                      ", std::move(op_args));\n");
}

std::string OpCode::Return() const {
  if (outputs_.empty()) return "  return operation;\n";
  std::string text;
  if (outputs_.size() > 1) {
    absl::StrAppend(&text, "  ", ReturnType(), " outputs;\n");
  }
  size_t singles = 0;  // outputs before this one that are not lists
  std::string lists;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const std::string begin = absl::StrCat(singles, lists);
    std::string value;
    if (IsList(op_.outputs[i])) {
      value = absl::StrCat("internal::OutputList(operation, ", begin,
                           ", count_", i, ")");
      absl::StrAppend(&lists, " + count_", i);
    } else {
      value = absl::StrCat("Output(operation, static_cast<int>(", begin, "))");
      ++singles;
    }
    if (outputs_.size() == 1) return absl::StrCat("  return ", value, ";\n");
    absl::StrAppend(&text, "  outputs.", outputs_[i].name, " = ", value, ";\n");
  }
  return text + "  outputs.operation = operation;\n  return outputs;\n";
}

std::string OpCode::Declaration() const {
  return absl::StrCat(Structs(), Comment(), Signature(/*with_defaults=*/true),
                      ";\n\n");
}

std::string OpCode::Definition() const {
  return absl::StrCat(Signature(/*with_defaults=*/false), " {\n", Counts(),
                      Call(), Return(), "}\n\n");
}

}  // namespace leat::gen
