// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Functions that tell how much memory this process uses, and how much it may
// use: all memory of the machine, or less if a control group (a container) sets
// a limit. Stateless, thread-safe.
#ifndef LEAT_RUNTIME_HOST_MEMORY_H_
#define LEAT_RUNTIME_HOST_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Stands for "no limit".
inline constexpr int64_t kNoMemoryLimit = int64_t{1} << 62;

// Returns how many bytes this process may use, or kNoMemoryLimit if the number
// is unknown.
int64_t HostMemoryBytes();

// Returns how many bytes of memory this process occupies now (its resident
// set), or 0 if the number is unknown.
int64_t ResidentBytes();

// Returns the least memory limit, in bytes, of the control groups of a process
// and of all groups that contain them, or kNoMemoryLimit if there is none.
//
// `groups` is the text of /proc/self/cgroup, which names the groups. `mount` is
// where control groups of version 1 and 2 are mounted ("/sys/fs/cgroup"). A
// file that cannot be read sets no limit. In a container this is common,
// because the container sees its own group as the root.
int64_t ControlGroupMemoryLimit(absl::string_view groups,
                                const std::string& mount);

}  // namespace leat

#endif  // LEAT_RUNTIME_HOST_MEMORY_H_
