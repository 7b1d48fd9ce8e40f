// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/executor/merge_count.h"

#include "gtest/gtest.h"

namespace leat::merge_count_test {
namespace {

// Holds the state of one Merge.
struct Merge {
  explicit Merge(int num_inputs, int num_controls = 0)
      : num_inputs(num_inputs), count(merge_count::Initial(num_controls)) {}

  bool Live(int input) { return merge_count::LiveInput(count, taken, input); }
  bool Dead() { return merge_count::DeadInput(count, num_inputs); }
  bool DeadEnter() { return merge_count::DeadEnter(count, taken, num_inputs); }
  bool Control() { return merge_count::Control(count, num_inputs); }

  int num_inputs;
  int32_t count;
  int32_t taken = merge_count::kNone;
};

TEST(MergeCountTest, TheFirstLiveInputMakesItReadyOnce) {
  Merge merge(3);
  EXPECT_FALSE(merge.Dead());
  EXPECT_TRUE(merge.Live(1));
  EXPECT_EQ(merge.taken, 1);
  EXPECT_FALSE(merge.Live(2));
  EXPECT_EQ(merge.taken, 1);
}

TEST(MergeCountTest, DeadInputsMakeItReadyOnceAllHaveCome) {
  Merge merge(2);
  EXPECT_FALSE(merge.Dead());
  EXPECT_TRUE(merge.Dead());
  EXPECT_EQ(merge.taken, merge_count::kNone);
}

TEST(MergeCountTest, WaitsForItsControlEdges) {
  Merge live(2, 2);
  EXPECT_FALSE(live.Control());
  EXPECT_FALSE(live.Live(0));
  EXPECT_TRUE(live.Control());
  Merge dead(2, 1);
  EXPECT_FALSE(dead.Dead());
  EXPECT_FALSE(dead.Dead());
  EXPECT_TRUE(dead.Control());
}

TEST(MergeCountTest, ADeadEnterDoesNotWaitForTheBackEdge) {
  Merge merge(2);
  EXPECT_TRUE(merge.DeadEnter());
  EXPECT_EQ(merge.taken, merge_count::kDead);
  EXPECT_FALSE(merge.Live(1));
}

TEST(MergeCountTest, ADeadEnterAfterALiveInputChangesNothing) {
  Merge merge(2);
  EXPECT_TRUE(merge.Live(1));
  EXPECT_FALSE(merge.DeadEnter());
}

TEST(MergeCountTest, IsReadyOnlyOnceWhenInputsDieAfterADeadEnter) {
  Merge merge(2);
  EXPECT_TRUE(merge.DeadEnter());
  EXPECT_FALSE(merge.Dead());
  EXPECT_FALSE(merge.Dead());
}

TEST(MergeCountTest, HoldsTheMostEdges) {
  const int most = merge_count::kMaxEdges;
  Merge merge(most, most);
  for (int i = 0; i < most; ++i) EXPECT_FALSE(merge.Control());
  for (int i = 0; i + 1 < most; ++i) ASSERT_FALSE(merge.Dead());
  EXPECT_TRUE(merge.Dead());
}

}  // namespace
}  // namespace leat::merge_count_test
