// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceName is a full or partial device specification such as
// "/job:ps/replica:0/task:1/device:CPU:0". Syntax and legacy forms ("/cpu:0",
// "/device:GPU:*") are TensorFlow's.
//
//   LEAT_ASSIGN_OR_RETURN(const DeviceName request,
//                         DeviceName::Parse("/job:ps/cpu:0"));
//   request.ToString();  // "/job:ps/device:CPU:0"
//   request.IsFull();    // false: replica and task may be any
#ifndef LEAT_CORE_DEVICES_DEVICE_NAME_H_
#define LEAT_CORE_DEVICES_DEVICE_NAME_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

// The parsed fields of a device specification. A field without a value matches
// anything. A plain value.
struct DeviceName {
  std::optional<std::string> job = {};
  std::optional<int> replica = {};
  std::optional<int> task = {};
  std::optional<std::string> type = {};  // upper case: "CPU", "GPU"
  std::optional<int> id = {};

  // Parses a specification. "" and "/" specify nothing, and "*" leaves its
  // field without a value. Returns INVALID_ARGUMENT quoting the text if it is
  // malformed.
  static absl::StatusOr<DeviceName> Parse(absl::string_view text);

  // Returns the specification in its canonical form, or "" if no field has a
  // value. Parse reads it back.
  std::string ToString() const;
  // Returns true if every field has a value, so that the name stands for one
  // device.
  bool IsFull() const { return job && replica && task && type && id; }

  // Returns true if `other` has every field that this name has, with the same
  // value.
  bool Matches(const DeviceName& other) const;

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

// Returns the name that has the fields of both `a` and `b`. Returns
// INVALID_ARGUMENT naming the field and both values if a field has different
// values. With `allow_soft`, names with different types merge into a name
// without type and id, and names with different ids into a name without id.
absl::StatusOr<DeviceName> MergeDeviceNames(const DeviceName& a,
                                            const DeviceName& b,
                                            bool allow_soft = false);

// Returns `inner` with its missing fields taken from `outer`. This is how
// nested device scopes combine.
DeviceName OverrideDeviceName(const DeviceName& outer, const DeviceName& inner);

// Returns the name of the task that a device belongs to: `device` without type
// and id, such as "/job:worker/replica:0/task:1".
DeviceName TaskOf(const DeviceName& device);

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_DEVICE_NAME_H_
