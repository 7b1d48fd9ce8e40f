// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/devices/device_name.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace leat {
namespace {

// Removes from the front of `rest` all text before the first character that is
// in `stops`. Returns this text.
absl::string_view TakeUntil(absl::string_view stops, absl::string_view& rest) {
  const size_t end = std::min(rest.find_first_of(stops), rest.size());
  const absl::string_view text = rest.substr(0, end);
  rest.remove_prefix(end);
  return text;
}

// Takes from `rest` all text before the first character that is in `stops`, and
// reads it as a name. If the text is "*", `name` has no value afterwards.
// Returns false if the text is not a name.
bool TakeName(absl::string_view stops, absl::string_view& rest,
              std::optional<std::string>& name) {
  const absl::string_view text = TakeUntil(stops, rest);
  name.reset();
  if (text == "*") return true;
  if (text.empty() || !absl::ascii_isalpha(text[0])) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  name = std::string(text);
  return true;
}

// Takes from `rest` all text before the next slash, and reads it as a number in
// [0, 2^31). If the text is "*", `number` has no value afterwards. Returns
// false if the text is not a number.
bool TakeNumber(absl::string_view& rest, std::optional<int>& number) {
  const absl::string_view text = TakeUntil("/", rest);
  number.reset();
  if (text == "*") return true;
  int value;
  // SimpleAtoi would also take signs and spaces.
  if (text.empty() || !absl::ascii_isdigit(text[0]) ||
      !absl::ascii_isdigit(text.back()) || !absl::SimpleAtoi(text, &value)) {
    return false;
  }
  number = value;
  return true;
}

// Takes the text after "/device:", such as "CPU:0", "CPU:*", "CPU" or "*", and
// sets type and id of `name`. Returns false if the text is malformed.
bool TakeDevice(absl::string_view& rest, DeviceName& name) {
  if (!TakeName(":/", rest, name.type)) return false;
  if (name.type && (absl::EqualsIgnoreCase(*name.type, "cpu") ||
                    absl::EqualsIgnoreCase(*name.type, "gpu"))) {
    absl::AsciiStrToUpper(&*name.type);
  }
  name.id.reset();
  return !absl::ConsumePrefix(&rest, ":") || TakeNumber(rest, name.id);
}

// Takes one component, with its slash, from the front of `rest`, and sets the
// fields of `name` that it specifies. Returns false if the text is malformed.
bool TakeComponent(absl::string_view& rest, DeviceName& name) {
  if (absl::ConsumePrefix(&rest, "/job:")) {
    return TakeName("/", rest, name.job);
  }
  if (absl::ConsumePrefix(&rest, "/replica:")) {
    return TakeNumber(rest, name.replica);
  }
  if (absl::ConsumePrefix(&rest, "/task:")) return TakeNumber(rest, name.task);
  if (absl::ConsumePrefix(&rest, "/device:")) return TakeDevice(rest, name);
  if (absl::ConsumePrefix(&rest, "/cpu:") ||
      absl::ConsumePrefix(&rest, "/CPU:")) {
    name.type = "CPU";
    return TakeNumber(rest, name.id);
  }
  if (absl::ConsumePrefix(&rest, "/gpu:") ||
      absl::ConsumePrefix(&rest, "/GPU:")) {
    name.type = "GPU";
    return TakeNumber(rest, name.id);
  }
  return false;
}

// Sets the field `target` to `other` if `other` has a value. Returns false if
// both have values and the values differ.
template <class T>
bool MergeField(const std::optional<T>& other, std::optional<T>& target) {
  if (!other) return true;
  if (target && *target != *other) return false;
  target = other;
  return true;
}

template <class T>
absl::Status Clash(absl::string_view field, const std::optional<T>& a,
                   const std::optional<T>& b, const DeviceName& name_a,
                   const DeviceName& name_b) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Cannot merge devices with incompatible ", field, "s ", *a, " and ", *b,
      ": '", name_a.ToString(), "' and '", name_b.ToString(), "'"));
}

template <class T>
bool FieldMatches(const std::optional<T>& wanted,
                  const std::optional<T>& actual) {
  return !wanted || wanted == actual;
}

}  // namespace

absl::StatusOr<DeviceName> DeviceName::Parse(absl::string_view text) {
  DeviceName name;
  if (text == "/") return name;
  absl::string_view rest = text;
  while (!rest.empty()) {
    if (!TakeComponent(rest, name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Malformed device specification '", absl::CHexEscape(text), "'"));
    }
  }
  return name;
}

std::string DeviceName::ToString() const {
  std::string text;
  if (job) absl::StrAppend(&text, "/job:", *job);
  if (replica) absl::StrAppend(&text, "/replica:", *replica);
  if (task) absl::StrAppend(&text, "/task:", *task);
  if (type || id) {
    absl::StrAppend(&text, "/device:", type.value_or("*"), ":",
                    id ? absl::StrCat(*id) : "*");
  }
  return text;
}

bool DeviceName::Matches(const DeviceName& other) const {
  return FieldMatches(job, other.job) && FieldMatches(replica, other.replica) &&
         FieldMatches(task, other.task) && FieldMatches(type, other.type) &&
         FieldMatches(id, other.id);
}

absl::StatusOr<DeviceName> MergeDeviceNames(const DeviceName& a,
                                            const DeviceName& b,
                                            bool allow_soft) {
  DeviceName merged = a;
  if (!MergeField(b.job, merged.job)) return Clash("job", a.job, b.job, a, b);
  if (!MergeField(b.replica, merged.replica)) {
    return Clash("replica", a.replica, b.replica, a, b);
  }
  if (!MergeField(b.task, merged.task)) {
    return Clash("task", a.task, b.task, a, b);
  }
  if (!MergeField(b.type, merged.type)) {
    if (!allow_soft) return Clash("type", a.type, b.type, a, b);
    merged.type.reset();
    merged.id.reset();
    return merged;
  }
  if (!MergeField(b.id, merged.id)) {
    if (!allow_soft) return Clash("id", a.id, b.id, a, b);
    merged.id.reset();
  }
  return merged;
}

DeviceName OverrideDeviceName(const DeviceName& outer,
                              const DeviceName& inner) {
  DeviceName name = inner;
  if (!name.job) name.job = outer.job;
  if (!name.replica) name.replica = outer.replica;
  if (!name.task) name.task = outer.task;
  if (!name.type) name.type = outer.type;
  if (!name.id) name.id = outer.id;
  return name;
}

DeviceName TaskOf(const DeviceName& device) {
  DeviceName task = device;
  task.type.reset();
  task.id.reset();
  return task;
}

}  // namespace leat
