// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ControlGroup tells how much memory the processes of a container may use, and
// how much they use now (cgroups(7), versions 1 and 2).
//
//   for (const ControlGroup& group : MemoryGroups(
//            ReadSystemFile("/proc/self/cgroup"), "/sys/fs/cgroup")) {
//     group.limit_bytes - group.UsedBytes().value_or(0);  // what is left
//   }
#ifndef LEAT_RUNTIME_CONTROL_GROUP_H_
#define LEAT_RUNTIME_CONTROL_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace leat {

// Stands for "no limit".
inline constexpr int64_t kNoMemoryLimit = int64_t{1} << 62;

// Describes a control group that limits memory. Is a plain value.
struct ControlGroup {
  int64_t limit_bytes = kNoMemoryLimit;
  std::string folder = {};  // where its files are
  bool is_version_1 = false;

  // Returns how many bytes the processes of the group use together. Memory that
  // the operating system frees when it needs memory, such as cached contents of
  // files, does not count. Returns nothing if the number is unknown. Takes some
  // tens of microseconds, or more on a machine with many processors.
  std::optional<int64_t> UsedBytes() const;
};

// Returns the control groups that limit the memory of a process now. These can
// be groups of the process or groups that contain them.
//
// `groups` is the text of /proc/self/cgroup, which names the groups. `mount` is
// where control groups of version 1 and 2 are mounted ("/sys/fs/cgroup"). A
// file that cannot be read sets no limit. Unreadable files are common in a
// container, because the container sees its own group as the root.
std::vector<ControlGroup> MemoryGroups(absl::string_view groups,
                                       const std::string& mount);

}  // namespace leat

#endif  // LEAT_RUNTIME_CONTROL_GROUP_H_
