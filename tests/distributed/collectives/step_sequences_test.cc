// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that masters give the same step the same id.
#include "leat/distributed/collectives/step_sequences.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "leat/distributed/wire/messages.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/fake_task_caller.h"

namespace leat::step_sequences_test {
namespace {

constexpr char kLeader[] = "/job:worker/replica:0/task:0";
constexpr char kMember[] = "/job:worker/replica:0/task:1";
const SequenceKey kKey{.leader = kLeader, .graph_key = 5};

class StepSequencesTest : public ::testing::Test {
 protected:
  int64_t Next(StepSequences& sequences) {
    int64_t next = 0;
    sequences.Next(kKey, [&](absl::StatusOr<int64_t> id) {
      EXPECT_TRUE(id.ok()) << id.status();
      next = id.value_or(0);
    });
    return next;
  }

  FakeTaskCaller nobody_;
  StepSequences leader_{kLeader, nobody_};
  int num_asked_ = 0;
  // Passes the calls of the member to the leader.
  FakeTaskCaller tasks_{[this](const FakeTaskCaller::Received& call,
                               std::optional<absl::StatusOr<Payload>>& answer) {
    EXPECT_EQ(call.task, kLeader);
    ++num_asked_;
    pb::GetStepSequenceRequest request;
    EXPECT_TRUE(ParseSmall(call.request.header, request).ok());
    leader_.HasFailed(request.leat().failed_step_id());
    pb::GetStepSequenceResponse response;
    pb::StepSequence& sequence = *response.add_step_sequence();
    sequence.set_graph_key(5);
    sequence.set_next_step_id(leader_.NextAtLeader(5));
    answer = ToPayload(response);
  }};
  StepSequences member_{kMember, tasks_};
};

TEST_F(StepSequencesTest, MastersCountTogether) {
  const int64_t first = Next(leader_);
  EXPECT_EQ(Next(member_), first);
  EXPECT_EQ(Next(member_), first);
  for (StepSequences* const each : {&leader_, &member_}) {
    each->End(kKey, first, /*succeeded=*/true);
    EXPECT_EQ(Next(*each), first + 1);
  }
  EXPECT_EQ(num_asked_, 1);
}

TEST_F(StepSequencesTest, AFailureMovesAllToOtherIds) {
  const int64_t first = Next(leader_);
  EXPECT_EQ(Next(member_), first);
  // The leader has succeeded before the member fails.
  leader_.End(kKey, first, true);
  member_.End(kKey, first, false);
  const int64_t next = Next(member_);
  EXPECT_NE(next, first);
  EXPECT_NE(next, first + 1);
  EXPECT_EQ(Next(leader_), next);
}

TEST_F(StepSequencesTest, WhoHearsOfAFailureAsksAgain) {
  const int64_t first = Next(leader_);
  EXPECT_EQ(Next(member_), first);
  member_.End(kKey, first, true);
  leader_.End(kKey, first, false);
  EXPECT_EQ(member_.HasFailed(first), first + 1);
  EXPECT_EQ(Next(member_), Next(leader_));
}

TEST_F(StepSequencesTest, OnlyAStepThatMayHaveBegunIsAbandoned) {
  const int64_t first = Next(leader_);
  EXPECT_EQ(leader_.HasFailed(0), 0);
  EXPECT_EQ(leader_.HasFailed(first), 0);
  EXPECT_NE(Next(leader_), first);
  // The sequence has moved on already.
  EXPECT_EQ(leader_.HasFailed(first), 0);
}

TEST_F(StepSequencesTest, TheOldestSequenceIsForgotten) {
  const int64_t oldest = leader_.NextAtLeader(1);
  const int64_t used = leader_.NextAtLeader(2);
  constexpr auto kMax = static_cast<int64_t>(StepSequences::kMaxSequences);
  for (int64_t key = 3; key <= kMax; ++key) leader_.NextAtLeader(key);
  EXPECT_EQ(leader_.NextAtLeader(1), oldest);
  EXPECT_EQ(leader_.NextAtLeader(2), used);
  leader_.NextAtLeader(kMax + 1);  // takes the place of 3
  EXPECT_EQ(leader_.NextAtLeader(1), oldest);
  leader_.NextAtLeader(kMax + 2);  // takes the place of 4
  for (int64_t key = 5; key <= kMax; ++key) leader_.NextAtLeader(key);
  leader_.NextAtLeader(kMax + 3);  // takes the place of 2
  EXPECT_NE(leader_.NextAtLeader(2), used);
}

TEST_F(StepSequencesTest, AnotherLeadersErrorIsReturned) {
  FakeTaskCaller fails([](const FakeTaskCaller::Received&,
                          std::optional<absl::StatusOr<Payload>>& answer) {
    answer = absl::UnavailableError("gone");
  });
  StepSequences lonely(kMember, fails);
  absl::StatusOr<int64_t> next = 0;
  lonely.Next(kKey, [&](absl::StatusOr<int64_t> id) { next = id; });
  EXPECT_EQ(next.status(), absl::UnavailableError("gone"));
}

}  // namespace
}  // namespace leat::step_sequences_test
