// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/op_spec_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"

namespace leat::internal {
namespace {

// TensorFlow's named sets of types, in TensorFlow's order.
constexpr DType kRealNumberTypes[] = {
    DType::kFloat, DType::kDouble, DType::kInt32,  DType::kInt64,
    DType::kUint8, DType::kInt16,  DType::kInt8,   DType::kUint16,
    DType::kHalf,  DType::kUint32, DType::kUint64, DType::kBfloat16};
constexpr DType kNumberTypes[] = {
    DType::kFloat,  DType::kDouble,  DType::kInt32,     DType::kUint8,
    DType::kInt16,  DType::kInt8,    DType::kComplex64, DType::kInt64,
    DType::kQint8,  DType::kQuint8,  DType::kQint32,    DType::kBfloat16,
    DType::kQint16, DType::kQuint16, DType::kUint16,    DType::kComplex128,
    DType::kHalf,   DType::kUint32,  DType::kUint64};
constexpr DType kQuantizedTypes[] = {DType::kQint8, DType::kQuint8,
                                     DType::kQint16, DType::kQuint16,
                                     DType::kQint32};

// Returns the types in the set `name`, or none if there is no such set.
absl::Span<const DType> TypeSet(absl::string_view name) {
  if (name == "numbertype") return kNumberTypes;
  if (name == "realnumbertype") return kRealNumberTypes;
  if (name == "quantizedtype") return kQuantizedTypes;
  return {};
}

bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// A Cursor is the part of a declaration that has not been parsed yet. Every
// method skips white space first. The methods that return StatusOr consume what
// they return. Their errors say what was expected and quote the rest of the
// declaration.
class Cursor {
 public:
  explicit Cursor(absl::string_view text) : rest_(text) {}

  bool AtEnd() {
    SkipSpace();
    return rest_.empty();
  }
  char Peek() {
    SkipSpace();
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool Consume(absl::string_view symbol) {
    SkipSpace();
    if (rest_.substr(0, symbol.size()) != symbol) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }
  // Consumes the longest word whose characters all satisfy `accepts`. The word
  // may be empty.
  template <class Predicate>
  absl::string_view Word(Predicate accepts) {
    SkipSpace();
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), accepts);
    const absl::string_view word =
        rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    return word;
  }
  absl::string_view Name() { return Word(IsNameChar); }

  absl::Status Error(absl::string_view expected) {
    SkipSpace();
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", expected, " at '", rest_, "'"));
  }
  absl::Status Expect(absl::string_view symbol) {
    if (Consume(symbol)) return absl::OkStatus();
    return Error(absl::StrCat("'", symbol, "'"));
  }

  absl::StatusOr<int64_t> Int();
  absl::StatusOr<float> Float();
  absl::StatusOr<bool> Bool();
  absl::StatusOr<std::string> Quoted();
  absl::StatusOr<DType> Type();
  absl::StatusOr<PartialShape> Shape();
  absl::StatusOr<Tensor> IntTensor();

 private:
  void SkipSpace() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  absl::string_view rest_;
};

absl::StatusOr<int64_t> Cursor::Int() {
  const absl::string_view before = rest_;
  const absl::string_view word =
      Word([](char c) { return absl::ascii_isdigit(c) || c == '-'; });
  int64_t value = 0;
  if (absl::SimpleAtoi(word, &value)) return value;
  rest_ = before;
  return Error("an integer");
}

absl::StatusOr<float> Cursor::Float() {
  const absl::string_view before = rest_;
  const absl::string_view word = Word([](char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '+' || c == '.';
  });
  float value = 0;
  if (absl::SimpleAtof(word, &value)) return value;
  rest_ = before;
  return Error("a number");
}

absl::StatusOr<bool> Cursor::Bool() {
  const absl::string_view before = rest_;
  const absl::string_view word = Name();
  if (word == "true") return true;
  if (word == "false") return false;
  rest_ = before;
  return Error("true or false");
}

absl::StatusOr<std::string> Cursor::Quoted() {
  const char quote = Peek();
  if (quote != '\'' && quote != '"') return Error("a quoted string");
  size_t end = 1;
  while (end < rest_.size() && rest_[end] != quote) {
    end += rest_[end] == '\\' ? 2 : 1;
  }
  if (end >= rest_.size()) return Error("the end of the string");
  std::string value;
  if (!absl::CUnescape(rest_.substr(1, end - 1), &value)) {
    return Error("a string with C escapes");
  }
  rest_.remove_prefix(end + 1);
  return value;
}

absl::StatusOr<DType> Cursor::Type() {
  const absl::string_view before = rest_;
  absl::string_view word = Name();
  std::string name(word);
  if (absl::ConsumePrefix(&word, "DT_")) name = absl::AsciiStrToLower(word);
  if (name == "invalid") return DType::kInvalid;
  const std::optional<DType> type = ParseDType(name);
  if (type.has_value() && !IsRef(*type)) return *type;
  rest_ = before;
  return Error("a type");
}

// Parses "{}", "{ unknown_rank: true }" or "{ dim { size: 2 } dim { size: -1 }
// }".
absl::StatusOr<PartialShape> Cursor::Shape() {
  LEAT_RETURN_IF_ERROR(Expect("{"));
  if (Consume("unknown_rank")) {
    LEAT_RETURN_IF_ERROR(Expect(":"));
    LEAT_RETURN_IF_ERROR(Expect("true"));
    LEAT_RETURN_IF_ERROR(Expect("}"));
    return PartialShape();
  }
  Dims dims;
  while (Consume("dim")) {
    LEAT_RETURN_IF_ERROR(Expect("{"));
    LEAT_RETURN_IF_ERROR(Expect("size"));
    LEAT_RETURN_IF_ERROR(Expect(":"));
    LEAT_ASSIGN_OR_RETURN(const int64_t extent, Int());
    dims.push_back(extent);
    LEAT_RETURN_IF_ERROR(Expect("}"));
  }
  LEAT_RETURN_IF_ERROR(Expect("}"));
  return PartialShape::Create(dims);
}

// Parses "{ dtype: uint8 tensor_shape { dim { size: 2 } } int_val: 255 int_val:
// 0 }", with one int_val per element. The dtype is int32 or uint8, because no
// op of TensorFlow has another constant as default value.
absl::StatusOr<Tensor> Cursor::IntTensor() {
  LEAT_RETURN_IF_ERROR(Expect("{"));
  LEAT_RETURN_IF_ERROR(Expect("dtype"));
  LEAT_RETURN_IF_ERROR(Expect(":"));
  LEAT_ASSIGN_OR_RETURN(const DType dtype, Type());
  LEAT_RETURN_IF_ERROR(Expect("tensor_shape"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape partial, Shape());
  LEAT_ASSIGN_OR_RETURN(const leat::Shape shape, partial.ToShape());
  std::vector<int64_t> values;
  while (Consume("int_val")) {
    LEAT_RETURN_IF_ERROR(Expect(":"));
    LEAT_ASSIGN_OR_RETURN(values.emplace_back(), Int());
  }
  if (shape.num_elements() != static_cast<int64_t>(values.size())) {
    return Error("as many values as the shape has elements");
  }
  LEAT_RETURN_IF_ERROR(Expect("}"));
  if (dtype == DType::kInt32) {
    return Tensor::FromSpan<int32_t>(
        shape, std::vector<int32_t>(values.begin(), values.end()));
  }
  if (dtype == DType::kUint8) {
    return Tensor::FromSpan<uint8_t>(
        shape, std::vector<uint8_t>(values.begin(), values.end()));
  }
  return Error("a tensor of int32 or uint8");
}

// Parses what follows the brace of "{float, int32}", "{numbertype, variant}" or
// "{'a', 'b'}".
absl::Status ParseAllowed(Cursor& cursor, AttrDef& attr) {
  const bool strings = cursor.Peek() == '\'' || cursor.Peek() == '"';
  attr.type = strings ? "string" : "type";
  do {
    if (strings) {
      LEAT_ASSIGN_OR_RETURN(std::string value, cursor.Quoted());
      attr.allowed_strings.push_back(std::move(value));
      continue;
    }
    Cursor word = cursor;
    const absl::Span<const DType> set =
        TypeSet(absl::AsciiStrToLower(word.Name()));
    if (!set.empty()) {
      cursor = word;
      attr.allowed_types.insert(attr.allowed_types.end(), set.begin(),
                                set.end());
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(const DType type, cursor.Type());
    attr.allowed_types.push_back(type);
  } while (cursor.Consume(","));
  return cursor.Expect("}");
}

absl::Status ParseElementType(Cursor& cursor, AttrDef& attr) {
  static constexpr absl::string_view kTypes[] = {
      "string", "int", "float", "bool", "type", "shape", "tensor", "func"};
  if (cursor.Consume("{")) return ParseAllowed(cursor, attr);
  Cursor word = cursor;
  const std::string name(word.Name());
  const absl::Span<const DType> set = TypeSet(absl::AsciiStrToLower(name));
  if (!set.empty()) {
    attr.type = "type";
    attr.allowed_types.assign(set.begin(), set.end());
  } else if (std::find(std::begin(kTypes), std::end(kTypes), name) !=
             std::end(kTypes)) {
    attr.type = name;
  } else {
    return cursor.Error("an attr type");
  }
  cursor = word;
  return absl::OkStatus();
}

template <class T>
absl::StatusOr<AttrValue> ParseValues(Cursor& cursor, bool is_list,
                                      absl::StatusOr<T> (Cursor::*parse)()) {
  if (!is_list) {
    LEAT_ASSIGN_OR_RETURN(T value, (cursor.*parse)());
    return AttrValue(std::move(value));
  }
  std::vector<T> list;
  LEAT_RETURN_IF_ERROR(cursor.Expect("["));
  if (cursor.Consume("]")) return AttrValue(std::move(list));
  do {
    LEAT_ASSIGN_OR_RETURN(T value, (cursor.*parse)());
    list.push_back(std::move(value));
  } while (cursor.Consume(","));
  LEAT_RETURN_IF_ERROR(cursor.Expect("]"));
  return AttrValue(std::move(list));
}

// Parses "[]".
template <class T>
absl::StatusOr<AttrValue> ParseEmptyList(Cursor& cursor) {
  LEAT_RETURN_IF_ERROR(cursor.Expect("["));
  LEAT_RETURN_IF_ERROR(cursor.Expect("]"));
  return AttrValue(std::vector<T>());
}

absl::StatusOr<AttrValue> ParseDefault(Cursor& cursor, absl::string_view type) {
  const bool is_list = absl::ConsumePrefix(&type, "list(");
  if (is_list) absl::ConsumeSuffix(&type, ")");
  if (type == "string") return ParseValues(cursor, is_list, &Cursor::Quoted);
  if (type == "int") return ParseValues(cursor, is_list, &Cursor::Int);
  if (type == "float") return ParseValues(cursor, is_list, &Cursor::Float);
  if (type == "bool") return ParseValues(cursor, is_list, &Cursor::Bool);
  if (type == "type") return ParseValues(cursor, is_list, &Cursor::Type);
  if (type == "shape") return ParseValues(cursor, is_list, &Cursor::Shape);
  if (type == "tensor") return ParseValues(cursor, is_list, &Cursor::IntTensor);
  if (is_list && type == "func") return ParseEmptyList<FunctionRef>(cursor);
  return cursor.Error(absl::StrCat("no default, as the attr is a ", type, ","));
}

AttrDef* FindAttr(std::vector<AttrDef>& attrs, absl::string_view name) {
  const auto it =
      std::find_if(attrs.begin(), attrs.end(),
                   [&](const AttrDef& attr) { return attr.name == name; });
  return it == attrs.end() ? nullptr : &*it;
}

// Parses the type of an argument: "T", "float", "N * T", "N * float" or
// "Tlist".
absl::Status ParseArgType(Cursor& cursor, std::vector<AttrDef>& attrs,
                          ArgDef& arg) {
  Cursor start = cursor;
  std::string name(cursor.Name());
  if (cursor.Consume("*")) {
    AttrDef* number = FindAttr(attrs, name);
    if (number == nullptr || number->type != "int") {
      return start.Error("an int attr before '*'");
    }
    if (!number->minimum.has_value()) number->minimum = 1;
    arg.number_attr = name;
    start = cursor;
    name = std::string(cursor.Name());
  }
  AttrDef* attr = FindAttr(attrs, name);
  if (attr == nullptr) {
    cursor = start;
    LEAT_ASSIGN_OR_RETURN(arg.type, cursor.Type());
    if (arg.type == DType::kInvalid) return start.Error("a valid type");
  } else if (attr->type == "type") {
    arg.type_attr = name;
  } else if (attr->type == "list(type)" && arg.number_attr.empty()) {
    if (!attr->minimum.has_value()) attr->minimum = 1;
    arg.type_list_attr = name;
  } else {
    return start.Error(
        "an attr that is a type or, without N *, a list of types");
  }
  return absl::OkStatus();
}

}  // namespace

bool IsIdentifier(absl::string_view text) {
  return !text.empty() && !absl::ascii_isdigit(text[0]) &&
         std::all_of(text.begin(), text.end(), IsNameChar);
}

absl::StatusOr<AttrDef> ParseAttrDef(absl::string_view text) {
  Cursor cursor(text);
  AttrDef attr;
  attr.name = std::string(cursor.Name());
  if (!IsIdentifier(attr.name)) return Cursor(text).Error("a name");
  LEAT_RETURN_IF_ERROR(cursor.Expect(":"));
  Cursor word = cursor;
  const bool is_list = word.Name() == "list" && word.Consume("(");
  if (is_list) cursor = word;
  LEAT_RETURN_IF_ERROR(ParseElementType(cursor, attr));
  if (is_list) {
    LEAT_RETURN_IF_ERROR(cursor.Expect(")"));
    attr.type = absl::StrCat("list(", attr.type, ")");
  }
  if (is_list || attr.type == "int") {
    if (cursor.Consume(">=")) {
      LEAT_ASSIGN_OR_RETURN(attr.minimum, cursor.Int());
    }
  }
  if (cursor.Consume("=")) {
    LEAT_ASSIGN_OR_RETURN(attr.default_value, ParseDefault(cursor, attr.type));
  }
  if (!cursor.AtEnd()) return cursor.Error("the end");
  return attr;
}

absl::StatusOr<ArgDef> ParseArgDef(absl::string_view text,
                                   std::vector<AttrDef>& attrs) {
  Cursor cursor(text);
  ArgDef arg;
  arg.name = std::string(cursor.Name());
  if (!IsIdentifier(arg.name)) return Cursor(text).Error("a name");
  LEAT_RETURN_IF_ERROR(cursor.Expect(":"));
  Cursor word = cursor;
  arg.is_ref = word.Name() == "Ref" && word.Consume("(");
  if (arg.is_ref) cursor = word;
  LEAT_RETURN_IF_ERROR(ParseArgType(cursor, attrs, arg));
  if (arg.is_ref) LEAT_RETURN_IF_ERROR(cursor.Expect(")"));
  if (!cursor.AtEnd()) return cursor.Error("the end");
  return arg;
}

}  // namespace leat::internal
