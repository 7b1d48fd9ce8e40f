// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// JsonValue: an untrusted JSON text (RFC 8259) as a tree: what a configuration
// is read from. Bounded in size and depth, and no key stands twice in an
// object, so nobody reads another value than the one that its author saw.
#ifndef LEAT_DISTRIBUTED_JSON_H_
#define LEAT_DISTRIBUTED_JSON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

inline constexpr size_t kMaxJsonBytes = size_t{1} << 20;
inline constexpr int kMaxJsonDepth = 32;

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text = {};                // of a string, in UTF-8
  std::optional<int64_t> integer = {};  // of a number without '.' and 'e'
  std::vector<std::string> keys = {};   // of an object, as they stand
  std::vector<JsonValue> values = {};   // of an object (one a key) or array

  bool is_object() const { return kind == Kind::kObject; }
  // Null where there is no such key, or this is no object. O(keys).
  const JsonValue* Find(absl::string_view key) const;
  // "a string", "an array": for messages.
  absl::string_view KindText() const;
};

// INVALID_ARGUMENT "byte 17, line 2: unexpected ']'; expected ':'" (bytes and
// lines count from 1, the byte is the last one that was read) for what is not
// JSON, has a key twice in an object or nests deeper than kMaxJsonDepth; and
// for a text above kMaxJsonBytes.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_JSON_H_
