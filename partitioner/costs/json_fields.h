// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// JsonFields reads the fields of a JSON object of a user, and says in each
// error where the wrong field is and what its value is:
//
//   hosts[0].cores is -4, but must be a number from 1 to 65536
#ifndef LEAT_PARTITIONER_COSTS_JSON_FIELDS_H_
#define LEAT_PARTITIONER_COSTS_JSON_FIELDS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/codec/json.h"

namespace leat {

// Is a plain value: the least and the greatest number that a field may have.
struct NumberRange {
  double min = 0;
  double max = 0;
};

// Borrows the value that it reads. All errors are INVALID_ARGUMENT. Const
// access is thread-safe.
class JsonFields {
 public:
  // `path` is the place of the object, such as "hosts[0]", and "" for the
  // root. Fails if `value` is no object, or has a key that is not in `allowed`.
  static absl::StatusOr<JsonFields> Open(
      const JsonValue& value, std::string path,
      const std::vector<absl::string_view>& allowed);

  const std::string& path() const { return path_; }
  // Returns the path of a field, such as "hosts[0].cores".
  std::string PathOf(absl::string_view key) const;

  // Return a number in `range`. Number fails if there is no such field, and
  // NumberOr then returns `fallback`.
  absl::StatusOr<double> Number(absl::string_view key, NumberRange range) const;
  absl::StatusOr<double> NumberOr(absl::string_view key, double fallback,
                                  NumberRange range) const;
  // Returns an integer in `range`, or `fallback` if there is no such field.
  absl::StatusOr<int> IntegerOr(absl::string_view key, int fallback,
                                NumberRange range) const;
  // Returns a text that is not empty.
  absl::StatusOr<std::string> Text(absl::string_view key) const;
  // Return the elements of an array, or the value of an object.
  absl::StatusOr<const std::vector<JsonValue>*> Array(
      absl::string_view key) const;
  absl::StatusOr<const JsonValue*> Object(absl::string_view key) const;
  // Returns the value of a field, or null if there is none.
  const JsonValue* Find(absl::string_view key) const {
    return object_->Find(key);
  }

  // Returns an error that says "PATH.KEY is VALUE, but PROBLEM", or "PATH.KEY
  // is missing" if there is no such field.
  absl::Status Error(absl::string_view key, absl::string_view problem) const;

 private:
  JsonFields(const JsonValue& object, std::string path)
      : object_(&object), path_(std::move(path)) {}

  const JsonValue* object_;
  std::string path_;
};

// Returns a value for a message: a number, a quoted text or "an array".
std::string JsonValueText(const JsonValue& value);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_JSON_FIELDS_H_
