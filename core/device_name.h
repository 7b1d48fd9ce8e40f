// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceName: a full or partial device specification such as
// "/job:ps/replica:0/task:1/device:CPU:0". Syntax and legacy forms ("/cpu:0",
// "/device:GPU:*") are TensorFlow's.
#ifndef LEAT_CORE_DEVICE_NAME_H_
#define LEAT_CORE_DEVICE_NAME_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

// A field without a value matches anything.
struct DeviceName {
  std::optional<std::string> job = {};
  std::optional<int> replica = {};
  std::optional<int> task = {};
  std::optional<std::string> type = {};  // upper case: "CPU", "GPU"
  std::optional<int> id = {};

  // INVALID_ARGUMENT quoting the text for anything that is not a specification.
  static absl::StatusOr<DeviceName> Parse(absl::string_view text);

  std::string ToString() const;  // "" when nothing is specified
  bool IsFull() const { return job && replica && task && type && id; }

  // Every field that this one has, `other` has with the same value.
  bool Matches(const DeviceName& other) const;

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

// What both ask for. INVALID_ARGUMENT naming the field and both values when
// they clash; with `allow_soft` a clash of type or id drops id, then type.
absl::StatusOr<DeviceName> MergeDeviceNames(const DeviceName& a,
                                            const DeviceName& b,
                                            bool allow_soft = false);

// `inner` where it says something, else `outer`: nested device scopes.
DeviceName OverrideDeviceName(const DeviceName& outer, const DeviceName& inner);

// "/job:worker/replica:0/task:1" of a full name: the task a device belongs to.
DeviceName TaskOf(const DeviceName& device);

}  // namespace leat

#endif  // LEAT_CORE_DEVICE_NAME_H_
