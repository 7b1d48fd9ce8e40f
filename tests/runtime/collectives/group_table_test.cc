// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how groups form, and how their members claim collectives.
#include "leat/runtime/collectives/group_table.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::group_table_test {
namespace {

using ::testing::HasSubstr;
using Group = std::shared_ptr<const CollectiveGroup>;

// Returns what device `number` says when it joins.
GroupJoin JoinOf(int number, int size, uint64_t incarnation = 1) {
  return {.key = 1,
          .size = size,
          .device_type = "CPU",
          .device = {.name = absl::StrCat("/job:worker/replica:0/task:", number,
                                          "/device:CPU:0"),
                     .type = "CPU",
                     .incarnation = incarnation},
          .is_leat = true};
}

// Is one call of Join or Claim. The answer is CANCELLED until it comes.
template <class T>
struct Answer {
  std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();
  std::shared_ptr<absl::StatusOr<T>> value =
      std::make_shared<absl::StatusOr<T>>(absl::CancelledError("no answer"));
  const absl::StatusOr<T>& operator*() const { return *value; }
};

class GroupTableTest : public ::testing::Test {
 protected:
  Answer<Group> Join(const GroupJoin& join) {
    Answer<Group> answer;
    table_->Join(join, answer.cancellation,
                 [value = answer.value](absl::StatusOr<Group> group) {
                   *value = std::move(group);
                 });
    return answer;
  }
  Answer<int> Claim(int number, const InstanceClaim& like) {
    InstanceClaim claim = like;
    claim.device = JoinOf(number, 2).device.name;
    Answer<int> answer;
    table_->Claim(
        1, claim, answer.cancellation,
        [value = answer.value](absl::StatusOr<int> rank) { *value = rank; });
    return answer;
  }

  const std::shared_ptr<GroupTable> table_ = std::make_shared<GroupTable>();
};

TEST_F(GroupTableTest, MembersAreSortedByTheNamesOfTheirTasks) {
  std::vector<Answer<Group>> answers;
  for (const int number : {10, 2, 1})
    answers.push_back(Join(JoinOf(number, 3)));
  for (const Answer<Group>& answer : answers) {
    ASSERT_TRUE((*answer).ok());
    const CollectiveGroup& group = ***answer;
    EXPECT_EQ(group.members[0].task, "/job:worker/replica:0/task:1");
    EXPECT_EQ(group.members[1].task, "/job:worker/replica:0/task:10");
    EXPECT_EQ(group.members[2].task, "/job:worker/replica:0/task:2");
    EXPECT_EQ(group.num_tasks(), 3);
    EXPECT_TRUE(group.is_all_leat);
  }
}

TEST_F(GroupTableTest, AnotherSizeFailsAllWhoWait) {
  const Answer<Group> first = Join(JoinOf(0, 2));
  const Answer<Group> second = Join(JoinOf(1, 3));
  constexpr char kError[] =
      "Device /job:worker/replica:0/task:1/device:CPU:0 is joining a group "
      "with "
      "size3, but that group has size 2 (group_key=1)";
  EXPECT_EQ((*first).status(), absl::InternalError(kError));
  EXPECT_EQ((*second).status(), absl::InternalError(kError));
  // The group forms anew.
  const Answer<Group> again = Join(JoinOf(0, 2));
  EXPECT_TRUE((*Join(JoinOf(1, 2))).ok());
  EXPECT_TRUE((*again).ok());
}

TEST_F(GroupTableTest, NobodyJoinsACompleteGroup) {
  Join(JoinOf(0, 1));
  EXPECT_EQ((*Join(JoinOf(1, 1))).status(),
            absl::InternalError(
                "Device /job:worker/replica:0/task:1/device:CPU:0 is joining a "
                "group that is already full (group_key=1)"));
  EXPECT_TRUE((*Join(JoinOf(0, 1))).ok());
}

TEST_F(GroupTableTest, AGroupFormsAnewForANewProcess) {
  Join(JoinOf(0, 2));
  const Answer<Group> old = Join(JoinOf(1, 2));
  const Answer<Group> restarted = Join(JoinOf(1, 2, /*incarnation=*/2));
  EXPECT_FALSE((*restarted).ok());  // waits for the other member
  ASSERT_TRUE((*Join(JoinOf(0, 2))).ok());
  ASSERT_TRUE((*restarted).ok());
  EXPECT_NE((**restarted)->id, (**old)->id);
  EXPECT_EQ((**restarted)->members[1].device.incarnation, 2u);
}

TEST_F(GroupTableTest, AGroupFormsAnewIfAMemberIsLost) {
  Join(JoinOf(0, 2));
  const Answer<Group> old = Join(JoinOf(1, 2));
  GroupJoin join = JoinOf(0, 2);
  join.lost_id = (**old)->id;
  const Answer<Group> waiting = Join(join);
  EXPECT_FALSE((*waiting).ok());
  EXPECT_TRUE((*Join(JoinOf(1, 2, 2))).ok());
  EXPECT_TRUE((*waiting).ok());
}

TEST_F(GroupTableTest, ACompleteGroupKeepsItsSize) {
  Join(JoinOf(0, 2));
  const Answer<Group> group = Join(JoinOf(1, 2));
  for (const int size : {1, 3}) {
    EXPECT_EQ((*Join(JoinOf(0, size))).status(),
              absl::InternalError(absl::StrCat(
                  "Device /job:worker/replica:0/task:0/device:CPU:0 is joining "
                  "a group with size",
                  size, ", but that group has size 2 (group_key=1)")));
  }
  const Answer<Group> again = Join(JoinOf(0, 2));
  ASSERT_TRUE((*again).ok());
  EXPECT_EQ((**again)->id, (**group)->id);
}

TEST_F(GroupTableTest, AGroupWithoutALostMemberMayBeSmaller) {
  Join(JoinOf(0, 3));
  Join(JoinOf(1, 3));
  const Answer<Group> old = Join(JoinOf(2, 3));
  std::vector<Answer<Group>> left;
  for (const int number : {0, 1}) {
    GroupJoin join = JoinOf(number, 2);
    join.lost_id = (**old)->id;
    left.push_back(Join(join));
  }
  for (const Answer<Group>& answer : left) EXPECT_TRUE((*answer).ok());
}

TEST_F(GroupTableTest, WhoIsCancelledIsNoMember) {
  const Answer<Group> gone = Join(JoinOf(0, 2));
  gone.cancellation->Cancel(absl::AbortedError("gone"));
  EXPECT_EQ((*gone).status(), absl::AbortedError("gone"));
  const Answer<Group> waiting = Join(JoinOf(1, 2));
  EXPECT_FALSE((*waiting).ok());
  EXPECT_TRUE((*Join(JoinOf(2, 2))).ok());
  EXPECT_TRUE((*waiting).ok());
}

TEST_F(GroupTableTest, AClaimNeedsACompleteGroup) {
  EXPECT_EQ((*Claim(0, {})).status(),
            absl::FailedPreconditionError(
                "group 1 not found. This normally means the server has "
                "restarted"));
}

TEST_F(GroupTableTest, ClaimsMustAgree) {
  Join(JoinOf(0, 2));
  Join(JoinOf(1, 2));
  const InstanceClaim claim{
      .instance_key = 5, .dtype = DType::kFloat, .shape = Shape{2}};
  EXPECT_EQ(**Claim(0, claim), -1);
  InstanceClaim other = claim;
  other.shape = Shape{3};
  EXPECT_EQ(
      (*Claim(1, other)).status(),
      absl::InvalidArgumentError(
          "Shape mismatch in the collective instance 5. Op at device "
          "/job:worker/replica:0/task:1/device:CPU:0 expected shape [3] but "
          "another member in the group expected shape [2]. This is likely due "
          "to different input shapes at different members of the collective "
          "op."));
  EXPECT_EQ(**Claim(0, claim), -1);
  other = claim;
  other.type = CollectiveType::kGather;
  EXPECT_EQ((*Claim(1, other)).status(),
            absl::InternalError(
                "Collective instance 5 expected type 0 and data_type 1 but got "
                "type 2 and data_type 1"));
}

TEST_F(GroupTableTest, AMemberMayClaimAnotherCollectiveThanBefore) {
  Join(JoinOf(0, 2));
  Join(JoinOf(1, 2));
  InstanceClaim claim{.instance_key = 5, .shape = Shape{2}};
  Claim(0, claim);
  Claim(1, claim);
  claim.shape = Shape{3};
  EXPECT_TRUE((*Claim(1, claim)).ok());
  EXPECT_TRUE((*Claim(0, claim)).ok());
}

TEST_F(GroupTableTest, ABroadcastNeedsOneSource) {
  Join(JoinOf(0, 2));
  Join(JoinOf(1, 2));
  const InstanceClaim receiver{.type = CollectiveType::kBroadcast,
                               .instance_key = 5};
  InstanceClaim source = receiver;
  source.is_source = true;
  const Answer<int> first = Claim(0, receiver);
  EXPECT_FALSE((*first).ok());
  EXPECT_EQ(**Claim(1, source), 1);
  EXPECT_EQ(**first, 1);

  source.instance_key = 6;
  const Answer<int> sender = Claim(0, source);
  EXPECT_EQ((*Claim(1, source)).status(),
            absl::InternalError("Instance 6 already has source 0, received "
                                "second claim from 1"));
  EXPECT_THAT((*sender).status().message(), HasSubstr("second claim"));

  InstanceClaim third = receiver;
  third.instance_key = 7;
  Claim(0, third);
  EXPECT_THAT((*Claim(1, third)).status().message(),
              HasSubstr("Instance 7 found no source for broadcast.  This could "
                        "mean that there were group_size=2 BcastRecvs but no "
                        "BcastSend."));
}

TEST_F(GroupTableTest, WhoWaitsInAGroupThatFormsAnewIsTold) {
  Join(JoinOf(0, 2));
  const Answer<Group> old = Join(JoinOf(1, 2));
  const InstanceClaim claim{.type = CollectiveType::kBroadcast,
                            .instance_key = 5};
  for (const int attempt : {0, 1}) {
    const Answer<int> waiting = Claim(0, claim);
    EXPECT_FALSE((*waiting).ok());
    GroupJoin join = JoinOf(1, 2);
    if (attempt == 0) {
      join.lost_id = (**old)->id;
    } else {
      join.device.incarnation = 2;
    }
    Join(join);
    EXPECT_EQ((*waiting).status(),
              absl::AbortedError("the group of the collective has formed anew"))
        << attempt;
    EXPECT_TRUE((*Join(JoinOf(0, 2))).ok());
  }
}

TEST_F(GroupTableTest, AMemberThatStillWaitsIsCounted) {
  Join(JoinOf(0, 2));
  Join(JoinOf(1, 2));
  InstanceClaim claim{
      .type = CollectiveType::kBroadcast, .instance_key = 5, .is_source = true};
  const Answer<int> gone = Claim(0, claim);
  const Answer<int> waiting = Claim(0, claim);
  gone.cancellation->Cancel(absl::AbortedError("gone"));
  EXPECT_EQ((*gone).status(), absl::AbortedError("gone"));
  claim.is_source = false;
  EXPECT_EQ(**Claim(1, claim), 0);
  EXPECT_EQ(**waiting, 0);
}

TEST_F(GroupTableTest, WhoWasCancelledBeforeItJoinsIsNoMember) {
  Answer<Group> gone;
  gone.cancellation->Cancel(absl::AbortedError("gone"));
  table_->Join(JoinOf(0, 2), gone.cancellation,
               [value = gone.value](absl::StatusOr<Group> group) {
                 *value = std::move(group);
               });
  EXPECT_EQ((*gone).status(), absl::AbortedError("gone"));
  const Answer<Group> waiting = Join(JoinOf(1, 2));
  EXPECT_FALSE((*waiting).ok());
  EXPECT_TRUE((*Join(JoinOf(2, 2))).ok());
  EXPECT_TRUE((*waiting).ok());
}

TEST_F(GroupTableTest, TheOldestCompleteGroupIsForgotten) {
  const auto join = [this](size_t key, int size = 1) {
    GroupJoin join = JoinOf(0, size);
    join.key = static_cast<int32_t>(key);
    return Join(join);
  };
  const Answer<Group> waiting = join(2, /*size=*/2);
  const Answer<Group> oldest = join(1);
  for (size_t key = 3; key <= GroupTable::kMaxGroups; ++key) join(key);
  EXPECT_TRUE((*join(GroupTable::kMaxGroups + 1)).ok());
  EXPECT_EQ((*Claim(0, {})).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const Answer<Group> anew = join(1);
  ASSERT_TRUE((*anew).ok());
  EXPECT_NE((**anew)->id, (**oldest)->id);
  EXPECT_EQ((*waiting).status(), absl::CancelledError("no answer"));
}

}  // namespace
}  // namespace leat::group_table_test
