// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/fold.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::fold_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string> Labels(const std::vector<FoldedLine>& lines) {
  std::vector<std::string> labels;
  for (const FoldedLine& line : lines) labels.push_back(line.label);
  return labels;
}

// Expects that each name is on exactly one line.
void ExpectPartition(const std::vector<FoldedLine>& lines, size_t num_names) {
  std::set<int> seen;
  size_t count = 0;
  for (const FoldedLine& line : lines) {
    EXPECT_TRUE(std::is_sorted(line.members.begin(), line.members.end()));
    seen.insert(line.members.begin(), line.members.end());
    count += line.members.size();
  }
  EXPECT_EQ(seen.size(), num_names);
  EXPECT_EQ(count, num_names);
}

std::vector<std::string> LargeModel() {
  std::vector<std::string> names = {"x"};
  for (int layer = 0; layer < 100; ++layer) {
    for (int i = 0; i < 70; ++i) {
      names.push_back(absl::StrCat("layer_", layer, "/block/op_", i));
    }
  }
  names.push_back("loss");
  return names;
}

TEST(FoldTest, ShowsSmallGraphsInFull) {
  EXPECT_THAT(Labels(FoldNames({"a", "s/b", "s/c"})),
              ElementsAre("a", "s/b", "s/c"));
}

TEST(FoldTest, UnfoldsTheLargestScopesThatFit) {
  const std::vector<std::string> names = {"a",   "s/b", "s/c", "s/d",
                                          "t/e", "t/f", "g"};
  EXPECT_THAT(Labels(FoldNames(names, {.max_lines = 6})),
              ElementsAre("a", "s/b", "s/c", "s/d", "t/", "g"));
}

TEST(FoldTest, FitsAThousandsOfNodesIntoTheLines) {
  const std::vector<std::string> names = LargeModel();
  const std::vector<FoldedLine> lines = FoldNames(names);
  EXPECT_LE(lines.size(), 60u);
  ExpectPartition(lines, names.size());
  EXPECT_THAT(Labels(lines), Contains("layer_*/"));
  EXPECT_THAT(Labels(lines), Contains("loss"));
}

TEST(FoldTest, FoldsNamesWithoutScopes) {
  std::vector<std::string> names;
  for (int i = 0; i < 7000; ++i) names.push_back(absl::StrCat("add_", i));
  const std::vector<FoldedLine> lines = FoldNames(names);
  EXPECT_THAT(Labels(lines), ElementsAre("add_*"));
  ExpectPartition(lines, names.size());
}

TEST(FoldTest, PutsWhatDoesNotFitOnTheLastLine) {
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back(absl::StrCat("n", i, "x"));
  const std::vector<FoldedLine> lines = FoldNames(names, {.max_lines = 10});
  EXPECT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines.back().label, "...");
  ExpectPartition(lines, names.size());
}

TEST(FoldTest, ShowsAnExpandedScopeInFull) {
  const std::vector<std::string> names = LargeModel();
  for (const char* scope : {"layer_7/block", "layer_7/block/", "layer_7"}) {
    FoldOptions options;
    options.expand = {scope};
    const std::vector<FoldedLine> lines = FoldNames(names, options);
    ExpectPartition(lines, names.size());
    EXPECT_THAT(Labels(lines), Contains("layer_7/block/op_69")) << scope;
    EXPECT_THAT(Labels(lines), Contains("layer_*/")) << scope;
    EXPECT_THAT(Labels(lines), Not(Contains("layer_8/block/op_1"))) << scope;
  }
  FoldOptions all;
  all.expand = {"/"};
  EXPECT_EQ(FoldNames(names, all).size(), names.size());
}

TEST(FoldTest, KeepsTheSeriesOfWhichTheFirstMiddleOrLastMemberIsExpanded) {
  const std::vector<std::string> names = LargeModel();
  for (const int expanded : {0, 50, 99}) {
    FoldOptions options;
    options.expand = {absl::StrCat("layer_", expanded)};
    const std::vector<FoldedLine> lines = FoldNames(names, options);
    ExpectPartition(lines, names.size());
    int in_series = 0;
    for (const FoldedLine& line : lines) {
      if (line.label != "layer_*/") continue;
      ++in_series;
      EXPECT_TRUE(line.is_folded);
      EXPECT_EQ(line.members.size(), 99u * 70u) << expanded;
    }
    EXPECT_EQ(in_series, 1) << expanded;
    EXPECT_THAT(Labels(lines),
                Contains(absl::StrCat("layer_", expanded, "/block/op_69")));
  }
}

TEST(FoldTest, KeepsEveryNameWhicheverScopesAreExpanded) {
  const std::vector<std::string> names = LargeModel();
  const std::vector<std::vector<std::string>> choices = {
      {"layer_0", "layer_1", "layer_99"},
      {"layer_0/block", "layer_0"},
      {"layer_3", "nosuch"},
      {"layer"},
      {"x"}};
  for (const int max_lines : {1, 2, 5, 60, 500}) {
    for (const std::vector<std::string>& expand : choices) {
      ExpectPartition(
          FoldNames(names, {.max_lines = max_lines, .expand = expand}),
          names.size());
    }
  }
}

TEST(FoldTest, KnowsWhichScopesThereAre) {
  const std::vector<std::string> names = {"a/b/c", "d"};
  for (const char* scope : {"/", "", "a", "a/", "a/b", "a/b/"}) {
    EXPECT_TRUE(HasScope(names, scope)) << scope;
  }
  for (const char* scope : {"d", "b", "a/b/c", "a/bb", "nosuch"}) {
    EXPECT_FALSE(HasScope(names, scope)) << scope;
  }
}

TEST(FoldTest, SurvivesDeepNames) {
  std::string deep = "a";
  for (int i = 0; i < 5000; ++i) deep += "/a";
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(absl::StrCat(deep, "/", i));
  ExpectPartition(FoldNames(names), names.size());
}

}  // namespace
}  // namespace leat::fold_test
