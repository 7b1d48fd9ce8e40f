// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/json_fields.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/quoted_text.h"

namespace leat {

std::string JsonValueText(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNumber:
      return value.integer.has_value() ? absl::StrCat(*value.integer)
                                       : absl::StrCat(value.number);
    case JsonValue::Kind::kString:
      return QuotedText(value.text);
    default:
      return std::string(value.KindText());
  }
}

absl::StatusOr<JsonFields> JsonFields::Open(
    const JsonValue& value, std::string path,
    const std::vector<absl::string_view>& allowed) {
  if (!value.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path.empty() ? "the text" : path, " is ",
                     JsonValueText(value), ", but must be an object"));
  }
  JsonFields fields(value, std::move(path));
  for (const std::string& key : value.keys) {
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        fields.path_.empty() ? "the text" : fields.path_, " has the field ",
        QuotedText(key), ", which is unknown; known are ",
        absl::StrJoin(allowed, ", ")));
  }
  return fields;
}

std::string JsonFields::PathOf(absl::string_view key) const {
  return path_.empty() ? std::string(key) : absl::StrCat(path_, ".", key);
}

absl::Status JsonFields::Error(absl::string_view key,
                               absl::string_view problem) const {
  const JsonValue* const value = Find(key);
  if (value == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(PathOf(key), " is missing"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      PathOf(key), " is ", JsonValueText(*value), ", but ", problem));
}

absl::StatusOr<double> JsonFields::Number(absl::string_view key,
                                          NumberRange range) const {
  const JsonValue* const value = Find(key);
  if (value != nullptr && value->kind == JsonValue::Kind::kNumber &&
      value->number >= range.min && value->number <= range.max) {
    return value->number;
  }
  return Error(key, absl::StrCat("must be a number from ", range.min, " to ",
                                 range.max));
}

absl::StatusOr<double> JsonFields::NumberOr(absl::string_view key,
                                            double fallback,
                                            NumberRange range) const {
  if (Find(key) == nullptr) return fallback;
  return Number(key, range);
}

absl::StatusOr<int> JsonFields::IntegerOr(absl::string_view key, int fallback,
                                          NumberRange range) const {
  const JsonValue* const value = Find(key);
  if (value == nullptr) return fallback;
  if (value->integer.has_value() && value->number >= range.min &&
      value->number <= range.max) {
    return static_cast<int>(*value->integer);
  }
  return Error(key, absl::StrCat("must be an integer from ", range.min, " to ",
                                 range.max));
}

absl::StatusOr<std::string> JsonFields::Text(absl::string_view key) const {
  const JsonValue* const value = Find(key);
  if (value != nullptr && value->kind == JsonValue::Kind::kString &&
      !value->text.empty()) {
    return value->text;
  }
  return Error(key, "must be a string that is not empty");
}

absl::StatusOr<const std::vector<JsonValue>*> JsonFields::Array(
    absl::string_view key) const {
  const JsonValue* const value = Find(key);
  if (value != nullptr && value->kind == JsonValue::Kind::kArray) {
    return &value->values;
  }
  return Error(key, "must be an array");
}

absl::StatusOr<const JsonValue*> JsonFields::Object(
    absl::string_view key) const {
  const JsonValue* const value = Find(key);
  if (value != nullptr && value->is_object()) return value;
  return Error(key, "must be an object");
}

}  // namespace leat
