// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/control_group.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/files/system_file.h"

namespace leat {
namespace {

// Returns the number that a file contains, or nothing if it contains none.
std::optional<int64_t> ReadNumber(const std::string& path) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(ReadSystemFile(path), &number)) return std::nullopt;
  return number;
}

// Adds the group with the files in `folder` to `found` if the group has a
// limit. In version 2 there are two limits. A group that uses more than
// memory.high is slowed down; at memory.max, processes are ended. A file
// contains "max" if there is no limit.
void AddGroup(const std::string& folder, bool is_version_1,
              std::vector<ControlGroup>& found) {
  int64_t limit = kNoMemoryLimit;
  const std::vector<const char*> files =
      is_version_1 ? std::vector<const char*>{"/memory.limit_in_bytes"}
                   : std::vector<const char*>{"/memory.max", "/memory.high"};
  for (const char* const file : files) {
    const int64_t number =
        ReadNumber(absl::StrCat(folder, file)).value_or(kNoMemoryLimit);
    if (number > 0) limit = std::min(limit, number);
  }
  if (limit == kNoMemoryLimit) return;
  found.push_back(
      {.limit_bytes = limit, .folder = folder, .is_version_1 = is_version_1});
}

// Adds the group `path` below `root`, and all groups that contain it.
void AddGroups(absl::string_view root, absl::string_view path,
               bool is_version_1, std::vector<ControlGroup>& found) {
  std::string folder(root);
  AddGroup(folder, is_version_1, found);
  for (const absl::string_view part :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    // This group is outside of what the process can see.
    if (part == "..") break;
    absl::StrAppend(&folder, "/", part);
    AddGroup(folder, is_version_1, found);
  }
}

// Returns how many bytes of a group the operating system can free. `statistics`
// are the statistics of the group, with lines such as "inactive_file 4096".
int64_t DroppableBytes(absl::string_view statistics, bool is_version_1) {
  const std::vector<absl::string_view> names =
      is_version_1 ? std::vector<absl::string_view>{"total_inactive_file",
                                                    "total_active_file"}
                   : std::vector<absl::string_view>{
                         "inactive_file", "active_file", "slab_reclaimable"};
  int64_t bytes = 0;
  for (const absl::string_view line : absl::StrSplit(statistics, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, ' ');
    int64_t number = 0;
    if (parts.size() == 2 && absl::c_linear_search(names, parts[0]) &&
        absl::SimpleAtoi(parts[1], &number)) {
      bytes += number;
    }
  }
  return bytes;
}

}  // namespace

std::optional<int64_t> ControlGroup::UsedBytes() const {
  const std::optional<int64_t> used = ReadNumber(absl::StrCat(
      folder, is_version_1 ? "/memory.usage_in_bytes" : "/memory.current"));
  const std::string statistics =
      ReadSystemFile(absl::StrCat(folder, "/memory.stat"));
  if (!used.has_value() || statistics.empty()) return std::nullopt;
  return std::max<int64_t>(0, *used - DroppableBytes(statistics, is_version_1));
}

std::vector<ControlGroup> MemoryGroups(absl::string_view groups,
                                       const std::string& mount) {
  std::vector<ControlGroup> found;
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    // The line of a control group is "4:memory:/path" in version 1 and
    // "0::/path" in version 2.
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      AddGroups(mount, parts[2], /*is_version_1=*/false, found);
    }
    for (const absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      if (controller != "memory") continue;
      AddGroups(absl::StrCat(mount, "/memory"), parts[2],
                /*is_version_1=*/true, found);
    }
  }
  return found;
}

}  // namespace leat
