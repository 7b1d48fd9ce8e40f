// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "leat/core/quoted_text.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

absl::Status ErrorAt(absl::string_view text, size_t byte,
                     absl::string_view problem) {
  const size_t before = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const auto lines = std::count(text.begin(), text.begin() + before, '\n');
  return absl::InvalidArgumentError(
      absl::StrCat("the JSON text is wrong at byte ", byte, ", line ",
                   lines + 1, ": ", problem));
}

// Iterates over the text and counts in `read` how many bytes the parser has
// read.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  size_t* read;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    ++*read;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) {
    return a.at != b.at;
  }
};

// Builds the tree from the events of nlohmann's SAX parser. A member that
// returns false ends the parse. The names of the members are nlohmann's.
class TreeBuilder {
 public:
  using Kind = JsonValue::Kind;

  explicit TreeBuilder(absl::string_view text) : text_(text) {}

  size_t* read() { return &read_; }
  const absl::Status& status() const { return status_; }
  JsonValue Take() { return std::move(root_); }

  bool null() { return Add(Kind::kNull) != nullptr; }
  bool boolean(bool) { return Add(Kind::kBool) != nullptr; }
  bool number_integer(int64_t value) {
    JsonValue* number = AddNumber(static_cast<double>(value));
    number->integer = value;
    return true;
  }
  bool number_unsigned(uint64_t value) {
    JsonValue* number = AddNumber(static_cast<double>(value));
    if (value <= uint64_t{std::numeric_limits<int64_t>::max()}) {
      number->integer = static_cast<int64_t>(value);
    }
    return true;
  }
  bool number_float(double value, const std::string&) {
    return AddNumber(value) != nullptr;
  }
  bool string(std::string& value) {
    Add(Kind::kString)->text = std::move(value);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) {
    return Fail("there is binary data");
  }
  bool start_object(size_t) { return Open(Kind::kObject); }
  bool start_array(size_t) { return Open(Kind::kArray); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    if (!open_.back().names.insert(name).second) {
      return Fail(
          absl::StrCat("the key ", QuotedText(name), " is twice in an object"));
    }
    open_.back().value->keys.push_back(std::move(name));
    return true;
  }

  // `error` says "[json.exception.parse_error.101] parse error at ...: syntax
  // error while parsing value - unexpected ']'; last read: '...'; expected
  // ...". The message leaves out the last token, because the token comes from
  // an untrusted text and may be long.
  bool parse_error(size_t position, const std::string& last_token,
                   const nlohmann::json::exception& error) {
    const std::string whole = absl::StrReplaceAll(
        error.what(), {{"; last read: '" + last_token + "'", ""}});
    const size_t begin = whole.find(" - ");
    status_ = ErrorAt(text_, position,
                      begin == whole.npos ? "a number is too large"
                                          : whole.substr(begin + 3));
    return false;
  }

 private:
  struct Container {
    JsonValue* value;  // stays valid, because its parent does not grow
    absl::flat_hash_set<std::string> names = {};
  };

  // Adds a value to the innermost open container, or makes it the root.
  JsonValue* Add(Kind kind) {
    JsonValue* place = &root_;
    if (!open_.empty()) {
      place = &open_.back().value->values.emplace_back();
    }
    place->kind = kind;
    return place;
  }

  JsonValue* AddNumber(double value) {
    JsonValue* number = Add(Kind::kNumber);
    number->number = value;
    return number;
  }

  bool Open(Kind kind) {
    if (open_.size() >= static_cast<size_t>(kMaxJsonDepth)) {
      return Fail(
          absl::StrCat("values are nested deeper than ", kMaxJsonDepth));
    }
    open_.push_back({.value = Add(kind)});
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  bool Fail(absl::string_view problem) {
    status_ = ErrorAt(text_, read_, problem);
    return false;
  }

  const absl::string_view text_;
  size_t read_ = 0;
  JsonValue root_;
  std::vector<Container> open_;
  absl::Status status_;
};

}  // namespace

const JsonValue* JsonValue::Find(absl::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &values[found - keys.begin()];
}

absl::string_view JsonValue::KindText() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "a boolean";
    case Kind::kNumber:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the JSON text has ", text.size(), " bytes, and at most ",
                     kMaxJsonBytes, " are read"));
  }
  // The parser of nlohmann treats a zero byte as the end of the text.
  if (const size_t zero = text.find('\0'); zero != text.npos) {
    return ErrorAt(text, zero + 1, "there is a byte that is zero");
  }
  TreeBuilder builder(text);
  const CountingIterator begin{text.data(), builder.read()};
  const CountingIterator end{text.data() + text.size(), builder.read()};
  if (!nlohmann::json::sax_parse(begin, end, &builder)) {
    return builder.status();
  }
  return builder.Take();
}

}  // namespace leat
