// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/control_group.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/system_file.h"

namespace leat {
namespace {

// Returns the number that a file contains, or -1 if it contains no number.
int64_t ReadNumber(const std::string& path) {
  int64_t number = 0;
  return absl::SimpleAtoi(ReadSystemFile(path), &number) ? number : -1;
}

// Replaces `least` by the group with the files in `folder` if its limit is
// less. A group of version 2 without a limit has the limit "max".
void Consider(std::string folder, bool is_version_1, ControlGroup& least) {
  const char* const file =
      is_version_1 ? "/memory.limit_in_bytes" : "/memory.max";
  const int64_t limit = ReadNumber(absl::StrCat(folder, file));
  if (limit <= 0 || limit >= least.limit_bytes) return;
  least = {.limit_bytes = limit,
           .folder = std::move(folder),
           .is_version_1 = is_version_1};
}

// Considers the group `path` below `root`, and all groups that contain it.
void ConsiderAll(absl::string_view root, absl::string_view path,
                 bool is_version_1, ControlGroup& least) {
  std::string folder(root);
  Consider(folder, is_version_1, least);
  for (const absl::string_view part :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    // This group is outside of what the process can see.
    if (part == "..") break;
    absl::StrAppend(&folder, "/", part);
    Consider(folder, is_version_1, least);
  }
}

// Returns the bytes of files in the statistics of a group, whose lines are such
// as "inactive_file 4096".
int64_t FileBytes(absl::string_view statistics, bool is_version_1) {
  const absl::string_view prefix = is_version_1 ? "total_" : "";
  const std::string names[] = {absl::StrCat(prefix, "inactive_file"),
                               absl::StrCat(prefix, "active_file")};
  int64_t bytes = 0;
  for (const absl::string_view line : absl::StrSplit(statistics, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
    int64_t number = 0;
    if (parts.size() == 2 && (parts[0] == names[0] || parts[0] == names[1]) &&
        absl::SimpleAtoi(parts[1], &number)) {
      bytes += number;
    }
  }
  return bytes;
}

}  // namespace

int64_t ControlGroup::UsedBytes() const {
  if (folder.empty()) return 0;
  const int64_t used = ReadNumber(absl::StrCat(
      folder, is_version_1 ? "/memory.usage_in_bytes" : "/memory.current"));
  const std::string statistics =
      ReadSystemFile(absl::StrCat(folder, "/memory.stat"));
  return std::max<int64_t>(0, used - FileBytes(statistics, is_version_1));
}

ControlGroup LeastControlGroup(absl::string_view groups,
                               const std::string& mount) {
  ControlGroup least;
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    // The line of a control group is "4:memory:/path" in version 1 and
    // "0::/path" in version 2.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      ConsiderAll(mount, parts[2], /*is_version_1=*/false, least);
    }
    for (const absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      if (controller != "memory") continue;
      ConsiderAll(absl::StrCat(mount, "/memory"), parts[2],
                  /*is_version_1=*/true, least);
    }
  }
  return least;
}

}  // namespace leat
