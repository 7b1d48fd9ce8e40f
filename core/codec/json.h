// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// JsonValue represents a JSON text (RFC 8259) as a tree. It is meant for
// reading configurations.
//
//   LEAT_ASSIGN_OR_RETURN(const JsonValue value, ParseJson(R"({"index": 3})"));
//   const JsonValue* index = value.Find("index");  // null if there is none
//
// The text is not trusted: its size and depth are bounded. An object with two
// equal keys is refused, because it would be unclear which value counts.
#ifndef LEAT_CORE_CODEC_JSON_H_
#define LEAT_CORE_CODEC_JSON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

// Limits the length of a text, in bytes.
inline constexpr size_t kMaxJsonBytes = size_t{1} << 20;
// Limits the depth of nested arrays and objects.
inline constexpr int kMaxJsonDepth = 32;

// Describes a JSON value and all values inside it. Is a value type, and
// thread-compatible.
struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  // Is the content of a string, in UTF-8.
  std::string text = {};
  // Is the value of a number, which is finite. It is rounded if a double cannot
  // hold it.
  double number = 0;
  // Is the value of a number that has neither '.' nor 'e'.
  std::optional<int64_t> integer = {};
  // Holds the keys of an object, in the order of the JSON text.
  std::vector<std::string> keys = {};
  // Holds the elements of an array, or one value for each key of an object.
  std::vector<JsonValue> values = {};

  bool is_object() const { return kind == Kind::kObject; }
  // Returns the value of `key`, owned by this, or null if this is not an object
  // or has no such key. Takes O(keys) time.
  const JsonValue* Find(absl::string_view key) const;
  // Returns "a string", "an array" or the like, for messages.
  absl::string_view KindText() const;
};

// Parses `text`. Returns INVALID_ARGUMENT if the text is not JSON, repeats a
// key in an object, is nested deeper than kMaxJsonDepth or is longer than
// kMaxJsonBytes. An error is, for example, "the JSON text is wrong at byte 17,
// line 2: unexpected ']'; expected ':'". Bytes and lines count from 1. The
// error names the last byte that the parser has read.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text);

}  // namespace leat

#endif  // LEAT_CORE_CODEC_JSON_H_
