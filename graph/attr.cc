// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/attr.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// The attrs of a function may hold functions. DebugString follows such
// functions to this depth only, because a hostile graph may nest them very
// deep.
constexpr int kMaxPrintedDepth = 16;

std::string Text(const AttrValue& value, int max_elements, int depth);

std::string TextOf(const std::string& value) {
  return absl::StrCat("\"", absl::CHexEscape(value), "\"");
}

std::string TextOf(float value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g",
                static_cast<double>(value + 0.0f));  // prints -0 as 0
  return text;
}

std::string TextOf(const FunctionRef& function, int max_elements, int depth) {
  std::string text = function.name;
  if (function.attrs == nullptr || function.attrs->empty()) return text;
  if (depth >= kMaxPrintedDepth) return text + "[...]";
  absl::string_view separator = "[";
  for (const auto& [name, value] : *function.attrs) {
    absl::StrAppend(&text, separator, name, "=",
                    Text(value, max_elements, depth + 1));
    separator = ", ";
  }
  return text + "]";
}

// Converts any alternative of AttrValue to text. Converts a list element by
// element.
struct Printer {
  int max_elements;
  int depth;

  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const std::string& value) const {
    return TextOf(value);
  }
  std::string operator()(int64_t value) const { return absl::StrCat(value); }
  std::string operator()(float value) const { return TextOf(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(DType value) const { return Name(value); }
  std::string operator()(const PartialShape& value) const {
    return value.DebugString();
  }
  std::string operator()(const Tensor& value) const {
    return value.DebugString(max_elements);
  }
  std::string operator()(const FunctionRef& value) const {
    return TextOf(value, max_elements, depth);
  }
  std::string operator()(const AttrPlaceholder& value) const {
    return absl::StrCat("$", value.name);
  }
  std::string operator()(EmptyList) const { return "[]"; }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::string text = "[";
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text += ", ";
      const T& element = list[i];
      text += (*this)(element);
    }
    return text + "]";
  }
};

std::string Text(const AttrValue& value, int max_elements, int depth) {
  return std::visit(Printer{max_elements, depth}, value);
}

template <class Entries>
auto LowerBound(Entries& entries, absl::string_view name) {
  return std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const AttrMap::Entry& entry, absl::string_view wanted) {
        return entry.first < wanted;
      });
}

}  // namespace

bool operator==(const FunctionRef& a, const FunctionRef& b) {
  if (a.name != b.name) return false;
  if (a.attrs == b.attrs) return true;
  static const AttrMap kNone;
  return (a.attrs ? *a.attrs : kNone) == (b.attrs ? *b.attrs : kNone);
}

bool operator==(const Tensor& a, const Tensor& b) { return Identical(a, b); }

absl::string_view AttrTypeName(const AttrValue& value) {
  static constexpr absl::string_view kNames[] = {
      "none",        "string",       "int",        "float",
      "bool",        "type",         "shape",      "tensor",
      "func",        "placeholder",  "list",       "list(string)",
      "list(int)",   "list(float)",  "list(bool)", "list(type)",
      "list(shape)", "list(tensor)", "list(func)"};
  static_assert(std::size(kNames) == std::variant_size_v<AttrValue>);
  return value.valueless_by_exception() ? kNames[0] : kNames[value.index()];
}

std::string DebugString(const AttrValue& value, int max_elements) {
  return Text(value, max_elements, /*depth=*/0);
}

AttrMap::AttrMap(std::initializer_list<Entry> entries) {
  entries_.reserve(entries.size());
  for (const Entry& entry : entries) Set(entry.first, entry.second);
}

const AttrValue* AttrMap::Find(absl::string_view name) const {
  // Comparing two strings for equality compares their lengths first. So
  // scanning a few entries is faster than a binary search.
  constexpr size_t kFew = 8;
  if (entries_.size() <= kFew) {
    for (const Entry& entry : entries_) {
      if (entry.first == name) return &entry.second;
    }
    return nullptr;
  }
  const auto it = LowerBound(entries_, name);
  return it != entries_.end() && it->first == name ? &it->second : nullptr;
}

void AttrMap::Set(absl::string_view name, AttrValue value) {
  const auto it = LowerBound(entries_, name);
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(name), std::move(value));
  }
}

void AttrMap::Erase(absl::string_view name) {
  const auto it = LowerBound(entries_, name);
  if (it != entries_.end() && it->first == name) entries_.erase(it);
}

absl::StatusOr<int32_t> AttrMap::GetInt32(absl::string_view name) const {
  LEAT_ASSIGN_OR_RETURN(const int64_t value, Get<int64_t>(name));
  const auto fitting = static_cast<int32_t>(value);
  if (fitting == value) return fitting;
  return absl::InvalidArgumentError(absl::StrCat(
      "Attr ", name, " has value ", value, " out of range for an int32"));
}

absl::Status AttrMap::MissingError(absl::string_view name) const {
  return absl::InvalidArgumentError(
      absl::StrCat("attr '", name, "' is missing"));
}

absl::Status AttrMap::TypeError(absl::string_view name,
                                const AttrValue& value) const {
  return absl::InvalidArgumentError(
      absl::StrCat("attr '", name, "' is of type '", AttrTypeName(value),
                   "', which is not what the op reads: ", DebugString(value)));
}

}  // namespace leat
