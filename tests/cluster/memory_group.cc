// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/cluster/memory_group.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "leat/core/files/system_file.h"
#include "leat/tests/testing/eventually.h"

namespace leat::testing {
namespace {

// Returns the path of this process's group in the line of /proc/self/cgroup
// that contains `mark`, or "" if there is no such line.
std::string OwnPath(const char* mark) {
  const std::string groups = ReadSystemFile("/proc/self/cgroup");
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    const size_t found = line.find(mark);
    if (found != line.npos) {
      return std::string(line.substr(line.rfind(':') + 1));
    }
  }
  return "";
}

}  // namespace

MemoryGroup::MemoryGroup(int64_t limit_bytes) {
  if (Make(absl::StrCat("/sys/fs/cgroup/memory", OwnPath("memory:")),
           "memory.limit_in_bytes", limit_bytes)) {
    return;
  }
  Make(absl::StrCat("/sys/fs/cgroup", OwnPath("0::")), "memory.max",
       limit_bytes);
}

MemoryGroup::~MemoryGroup() {
  if (!is_made()) return;
  // The group cannot be removed until the kernel has cleaned up the last
  // process in it.
  EXPECT_TRUE(Eventually([&] { return rmdir(folder_.c_str()) == 0; }))
      << folder_;
}

bool MemoryGroup::Make(const std::string& parent, const char* limit_file,
                       int64_t limit_bytes) {
  static std::atomic<int> number{0};
  const std::string folder =
      absl::StrCat(parent, "/leat_test_", getpid(), "_", ++number);
  if (mkdir(folder.c_str(), 0755) != 0) return false;
  std::ofstream file(absl::StrCat(folder, "/", limit_file));
  file << limit_bytes;
  file.close();
  if (!file) {
    rmdir(folder.c_str());
    return false;
  }
  folder_ = folder;
  return true;
}

std::vector<std::string> MemoryGroup::Enter(
    const std::string& program, const std::vector<std::string>& args) const {
  std::vector<std::string> shell = {
      "-c", "echo $$ >\"$0\"/cgroup.procs && exec \"$@\"", folder_, program};
  shell.insert(shell.end(), args.begin(), args.end());
  return shell;
}

}  // namespace leat::testing
