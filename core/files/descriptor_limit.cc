// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/descriptor_limit.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace leat {
namespace {

// The soft limit is raised no further than this, because child processes
// inherit it. Some programs begin by closing every descriptor number below the
// limit, which would take long.
constexpr rlim_t kEnough = rlim_t{1} << 20;

// Returns the soft limit, at most INT32_MAX.
int64_t Limit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return INT32_MAX;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT32_MAX));
}

// Returns how many descriptors are open. Returns -1 and sets `errno` if the
// folder that lists the descriptors cannot be opened.
int64_t NumOpen() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return -1;
  int64_t count = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(folder);
  return count - 1;  // does not count the descriptor of `folder`
}

}  // namespace

void RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  setrlimit(RLIMIT_NOFILE, &limit);
}

int64_t NumFreeDescriptors() {
  const int64_t open = NumOpen();
  if (open < 0) return errno == EMFILE || errno == ENFILE ? 0 : INT32_MAX;
  return std::max<int64_t>(0, Limit() - open);
}

absl::Status CheckFreeDescriptors(int64_t needed, absl::string_view who) {
  const int64_t free = NumFreeDescriptors();
  if (free >= needed) return absl::OkStatus();
  const int64_t limit = Limit();
  return absl::ResourceExhaustedError(
      absl::StrCat("this process may have ", limit,
                   " open files and sockets, and ", limit - free, " are open; ",
                   who, " needs ", needed, " more: set the limit to at least ",
                   limit - free + needed, " (ulimit -n)"));
}

}  // namespace leat
