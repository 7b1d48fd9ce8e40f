// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace leat {
namespace {

constexpr char kMount[] = "/sys/fs/cgroup";

// Returns the contents of a file, or "" if it cannot be read.
std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  // getline does not throw if reading fails; an iterator would.
  std::getline(file, text, '\0');
  return text;
}

// Returns the limit that a file contains, or kNoMemoryLimit if it contains no
// number. Version 2 writes "max" for no limit.
int64_t ReadLimit(const std::string& path) {
  int64_t bytes = 0;
  if (!absl::SimpleAtoi(ReadText(path), &bytes) || bytes <= 0) {
    return kNoMemoryLimit;
  }
  return std::min(bytes, kNoMemoryLimit);
}

// Returns the least limit of the group `path` below `root` and of all groups
// that contain it.
int64_t LeastLimit(absl::string_view root, absl::string_view path,
                   absl::string_view file) {
  int64_t least = ReadLimit(absl::StrCat(root, "/", file));
  std::string folder(root);
  for (const absl::string_view part :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    // This group is outside of what the process can see.
    if (part == "..") break;
    absl::StrAppend(&folder, "/", part);
    least = std::min(least, ReadLimit(absl::StrCat(folder, "/", file)));
  }
  return least;
}

}  // namespace

int64_t ControlGroupMemoryLimit(absl::string_view groups,
                                const std::string& mount) {
  int64_t least = kNoMemoryLimit;
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    // A line is "4:memory:/path" in version 1 and "0::/path" in version 2.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      least = std::min(least, LeastLimit(mount, parts[2], "memory.max"));
    }
    for (const absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      if (controller != "memory") continue;
      least = std::min(least, LeastLimit(absl::StrCat(mount, "/memory"),
                                         parts[2], "memory.limit_in_bytes"));
    }
  }
  return least;
}

int64_t HostMemoryBytes() {
  const int64_t limit =
      ControlGroupMemoryLimit(ReadText("/proc/self/cgroup"), kMount);
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  int64_t bytes = 0;
  if (pages <= 0 || page_bytes <= 0 ||
      __builtin_mul_overflow(pages, page_bytes, &bytes)) {
    return limit;
  }
  return std::min(bytes, limit);
}

int64_t ResidentBytes() {
  // The file has numbers of pages: the total, those in memory, and others.
  const std::string pages = ReadText("/proc/self/statm");
  const std::vector<absl::string_view> parts =
      absl::StrSplit(pages, absl::MaxSplits(' ', 2));
  int64_t resident = 0;
  int64_t bytes = 0;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[1], &resident) ||
      __builtin_mul_overflow(resident, sysconf(_SC_PAGESIZE), &bytes)) {
    return 0;
  }
  return bytes;
}

}  // namespace leat
