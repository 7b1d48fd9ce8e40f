// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// How much memory this process may take: the machine's, or less where a
// control group (a container) has a limit. Stateless, thread-safe.
#ifndef LEAT_RUNTIME_HOST_MEMORY_H_
#define LEAT_RUNTIME_HOST_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// What stands for no limit.
inline constexpr int64_t kNoMemoryLimit = int64_t{1} << 62;

// Bytes; kNoMemoryLimit where the system does not tell.
int64_t HostMemoryBytes();

// What this process has in memory now; 0 where the system does not tell.
int64_t ResidentBytes();

// The least limit, in bytes, of the groups that `groups`, the text of
// /proc/self/cgroup, names and of those they are in; kNoMemoryLimit without
// any. `mount` is where both versions of control groups are mounted
// ("/sys/fs/cgroup"). What cannot be read limits nothing: a container sees its
// own group as the root.
int64_t ControlGroupMemoryLimit(absl::string_view groups,
                                const std::string& mount);

}  // namespace leat

#endif  // LEAT_RUNTIME_HOST_MEMORY_H_
