// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/control_group.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace leat::control_group_test {
namespace {

// The folder `root_` stands for /sys/fs/cgroup.
class ControlGroupTest : public ::testing::Test {
 protected:
  ControlGroupTest() { std::filesystem::remove_all(root_); }
  ~ControlGroupTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = absl::StrCat(root_, "/", file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int64_t Limit(absl::string_view groups) {
    int64_t least = kNoMemoryLimit;
    for (const ControlGroup& group : MemoryGroups(groups, root_)) {
      least = std::min(least, group.limit_bytes);
    }
    return least;
  }

  const std::string root_ =
      absl::StrCat(::testing::TempDir(), "leat_cgroup_", getpid());
};

TEST_F(ControlGroupTest, IsTheLeastOfAGroupAndThoseAroundIt) {
  Write("a/memory.max", "3000\n");
  Write("a/b/memory.max", "max\n");
  Write("a/b/c/memory.max", "5000\n");
  Write("other/memory.max", "1\n");
  EXPECT_EQ(Limit("0::/a/b/c\n"), 3000);
  EXPECT_EQ(Limit("0::/a/b\n"), 3000);
  Write("a/b/c/memory.max", "2000\n");
  EXPECT_EQ(Limit("0::/a/b/c\n"), 2000);
  EXPECT_EQ(Limit("0::/a/b\n"), 3000);
}

TEST_F(ControlGroupTest, ReadsTheFirstVersionToo) {
  Write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("memory/docker/1a2b/memory.limit_in_bytes", "7000\n");
  const char* const groups =
      "11:cpu,cpuacct:/docker/1a2b\n9:name=systemd:/docker/1a2b\n"
      "4:hugetlb,memory:/docker/1a2b\n0::/docker/1a2b\n";
  EXPECT_EQ(Limit(groups), 7000);
  Write("docker/1a2b/memory.max", "6000\n");
  EXPECT_EQ(Limit(groups), 6000);
  EXPECT_EQ(Limit("4:memory:/\n"), kNoMemoryLimit);
}

// In a container, /proc/self/cgroup gives the path that the group has on the
// host. The container does not see this path. It sees the files of the group in
// the root folder.
TEST_F(ControlGroupTest, ReadsTheRootWhereThePathIsNotToBeSeen) {
  Write("memory.max", "4000\n");
  EXPECT_EQ(Limit("0::/system.slice/docker-1a2b.scope\n"), 4000);
  EXPECT_EQ(Limit("0::/../other\n"), 4000);
}

TEST_F(ControlGroupTest, IsNoneForWhatCannotBeRead) {
  EXPECT_EQ(Limit(""), kNoMemoryLimit);
  EXPECT_EQ(Limit("0::/a\n"), kNoMemoryLimit);
  EXPECT_EQ(Limit("::::\n\n0\nnonsense:memory\n"), kNoMemoryLimit);
  for (const char* const text :
       {"", "max", "-1", "0", "12x", "1e3", "99999999999999999999999"}) {
    Write("a/memory.max", text);
    EXPECT_EQ(Limit("0::/a\n"), kNoMemoryLimit) << text;
  }
}

TEST_F(ControlGroupTest, IsSlowedDownFromHighOn) {
  Write("a/memory.max", "3000\n");
  Write("a/memory.high", "2500\n");
  EXPECT_EQ(Limit("0::/a\n"), 2500);
}

// A group may have a larger limit than its subgroup but less memory left. Here
// the group a has 450 bytes left, and its subgroup a/b has 1,600 bytes left.
TEST_F(ControlGroupTest, KnowsWhatTheProcessesOfEachGroupUse) {
  Write("a/memory.max", "3000\n");
  Write("a/memory.current", "2900\n");
  Write("a/memory.stat",
        "anon 500\nfile 9999\ninactive_file 200\nactive_file 100\n"
        "slab_reclaimable 50\n");
  Write("a/b/memory.max", "2000\n");
  Write("a/b/memory.current", "400\n");
  Write("a/b/memory.stat", "anon 400\n");
  const auto groups = MemoryGroups("0::/a/b\n", root_);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].limit_bytes, 3000);
  EXPECT_EQ(groups[0].UsedBytes(), 2550);
  EXPECT_EQ(groups[1].limit_bytes, 2000);
  EXPECT_EQ(groups[1].UsedBytes(), 400);
}

TEST_F(ControlGroupTest, KnowsWhatGroupsOfTheFirstVersionUse) {
  Write("memory/c/memory.limit_in_bytes", "2000\n");
  Write("memory/c/memory.usage_in_bytes", "1500\n");
  Write("memory/c/memory.stat",
        "inactive_file 1\ntotal_inactive_file 300\ntotal_active_file 400\n");
  const auto groups = MemoryGroups("4:memory:/c\n", root_);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].UsedBytes(), 800);
}

TEST_F(ControlGroupTest, DoesNotKnowWhatCannotBeRead) {
  EXPECT_EQ(ControlGroup().UsedBytes(), std::nullopt);
  Write("a/memory.max", "3000\n");
  EXPECT_EQ(MemoryGroups("0::/a\n", root_)[0].UsedBytes(), std::nullopt);
  Write("a/memory.current", "1000\n");
  EXPECT_EQ(MemoryGroups("0::/a\n", root_)[0].UsedBytes(), std::nullopt);
}

}  // namespace
}  // namespace leat::control_group_test
