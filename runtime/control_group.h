// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ControlGroup tells how much memory the processes of a container may use and
// do use (cgroups(7), versions 1 and 2).
//
//   const ControlGroup group = LeastControlGroup(
//       ReadSystemFile("/proc/self/cgroup"), "/sys/fs/cgroup");
//   group.limit_bytes - group.UsedBytes();  // what is left
#ifndef LEAT_RUNTIME_CONTROL_GROUP_H_
#define LEAT_RUNTIME_CONTROL_GROUP_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Stands for "no limit".
inline constexpr int64_t kNoMemoryLimit = int64_t{1} << 62;

// A control group that limits memory, or none. A plain value.
struct ControlGroup {
  int64_t limit_bytes = kNoMemoryLimit;
  std::string folder = {};  // of its files; "" if there is no group
  bool is_version_1 = false;

  // Returns how many bytes the processes of the group use together, without the
  // contents of files, which the kernel drops when memory is needed. Returns 0
  // if the number is unknown. Takes a few tens of microseconds.
  int64_t UsedBytes() const;
};

// Returns, among the control groups of a process and all groups that contain
// them, the one with the least memory limit, or no group if none has a limit.
//
// `groups` is the text of /proc/self/cgroup, which names the groups. `mount` is
// where control groups of version 1 and 2 are mounted ("/sys/fs/cgroup"). A
// file that cannot be read sets no limit. Unreadable files are common in a
// container, because the container sees its own group as the root.
ControlGroup LeastControlGroup(absl::string_view groups,
                               const std::string& mount);

}  // namespace leat

#endif  // LEAT_RUNTIME_CONTROL_GROUP_H_
