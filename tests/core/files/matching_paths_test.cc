// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests patterns of paths. The results are those of TensorFlow 2.15.1.
#include "leat/core/files/matching_paths.h"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/output_file.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::matching_paths_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MatchingPathsTest : public ::testing::Test {
 protected:
  MatchingPathsTest() {
    for (const char* const name : {"d1", "d1/s", "d2", ".hid"}) {
      std::filesystem::create_directory(folder_.Path(name));
    }
    for (const char* const name :
         {"a.txt", "b.txt", "w[1].txt", "d1/x.txt", "d1/s/y.txt", "d2/x.txt"}) {
      EXPECT_TRUE(WriteFile(folder_.Path(name), "").ok());
    }
  }

  // Returns the paths that match, without the folder of the test.
  std::vector<std::string> Match(const std::string& pattern) const {
    auto paths = MatchingPaths(files_, folder_.Path(pattern));
    EXPECT_TRUE(paths.ok()) << paths.status();
    if (!paths.ok()) return {};
    for (std::string& path : *paths) {
      path = std::string(absl::StripPrefix(path, folder_.Path("")));
    }
    return *paths;
  }

  TemporaryFolder folder_;
  FileAccess files_ = FileAccess::Unrestricted();
};

TEST_F(MatchingPathsTest, FindsWhatTensorFlowFinds) {
  EXPECT_THAT(Match("*.txt"), ElementsAre("a.txt", "b.txt", "w[1].txt"));
  EXPECT_THAT(Match("?.txt"), ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(Match("*/x.txt"), ElementsAre("d1/x.txt", "d2/x.txt"));
  EXPECT_THAT(Match("*/*/*"), ElementsAre("d1/s/y.txt"));
  EXPECT_THAT(Match("**/y.txt"), IsEmpty());
  EXPECT_THAT(Match(".*"), ElementsAre(".hid"));
  EXPECT_THAT(Match("d?"), ElementsAre("d1", "d2"));
  EXPECT_THAT(Match("[ab].txt"), ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(Match("[!a].txt"), ElementsAre("b.txt"));
  EXPECT_THAT(Match("[^a].txt"), ElementsAre("b.txt"));
  EXPECT_THAT(Match("[]b-c].txt"), ElementsAre("b.txt"));
  EXPECT_THAT(Match("[[:alpha:]].txt"), ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(Match("w\\[1\\].txt"), ElementsAre("w[1].txt"));
  EXPECT_THAT(Match("w[1].txt"), IsEmpty());
  EXPECT_THAT(Match("a\\.txt"), ElementsAre("a.txt"));
  EXPECT_THAT(Match("[a"), IsEmpty());
  EXPECT_THAT(Match("a.txt"), ElementsAre("a.txt"));
  EXPECT_THAT(Match("none"), IsEmpty());
  EXPECT_THAT(Match("none/*"), IsEmpty());
  EXPECT_THAT(Match("a.txt/*"), IsEmpty());
}

// TensorFlow read beyond the end of such a pattern (CVE-2020-26269).
TEST_F(MatchingPathsTest, APatternMayEndWithASlash) {
  EXPECT_THAT(Match("d2/x.txt/"), IsEmpty());
  EXPECT_THAT(Match("d1/s/"), ElementsAre("d1/s/"));
  EXPECT_THAT(Match("d*/"), ElementsAre("d1", "d2"));
}

TEST_F(MatchingPathsTest, ManyStarsTakeLittleTime) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(MatchesWildcards(std::string(250, 'a') + "b", pattern));
  EXPECT_TRUE(MatchesWildcards(std::string(250, 'a'), pattern));
}

TEST_F(MatchingPathsTest, NoPatternLeadsOutOfARoot) {
  FileAccess confined;
  ASSERT_TRUE(confined.AddRoot(folder_.Path("d1"), /*may_write=*/false).ok());
  const auto inside = MatchingPaths(confined, folder_.Path("d1/*"));
  ASSERT_TRUE(inside.ok()) << inside.status();
  EXPECT_EQ(inside->size(), 2u);
  for (const char* const pattern : {"*", "d2/*", "d1/../*", "a.txt"}) {
    const auto outside = MatchingPaths(confined, folder_.Path(pattern));
    EXPECT_TRUE(absl::IsPermissionDenied(outside.status()))
        << pattern << ": " << outside.status();
  }
}

TEST_F(MatchingPathsTest, LinksInACircleDoNotFillTheMemory) {
  for (const char* const name : {"l1", "l2", "l3", "l4", "l5", "l6", "l7"}) {
    ASSERT_EQ(symlink(".", folder_.Path(name).c_str()), 0);
  }
  const auto paths =
      MatchingPaths(files_, folder_.Path("l*/l*/l*/l*/l*/l*/l*/l*/l*/l*"));
  EXPECT_TRUE(absl::IsResourceExhausted(paths.status())) << paths.status();
}

}  // namespace
}  // namespace leat::matching_paths_test
