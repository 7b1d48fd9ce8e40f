// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what members believe of the answers of a leader.
#include "leat/runtime/collectives/caching_resolver.h"
#include "leat/tests/testing/simulated_clock.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace leat::caching_resolver_test {
namespace {

using Group = std::shared_ptr<const CollectiveGroup>;
using Code = absl::StatusCode;
using Listener = absl::AnyInvocable<void(const absl::Status&) &&>;

std::string DeviceName(int number) {
  return absl::StrCat("/job:worker/replica:0/task:", number, "/device:CPU:0");
}

Group GroupOf(int size) {
  CollectiveGroup group{.key = 1, .id = absl::StrCat("group of ", size)};
  for (int i = 0; i < size; ++i) {
    group.members.push_back({.device = {.name = DeviceName(i), .type = "CPU"}});
  }
  return std::make_shared<const CollectiveGroup>(std::move(group));
}

// Has a leader that answers what the test wants.
class Resolver final : public CachingResolver {
 public:
  std::shared_ptr<const CollectiveGroup> group = GroupOf(2);
  absl::StatusOr<int> source = 1;
  bool answers_claims = true;
  int num_joins = 0;
  std::string lost_id;  // of the last join
  Listener on_lost;

  std::shared_ptr<void> Watch(std::shared_ptr<const CollectiveGroup>,
                              Listener listener) override {
    on_lost = std::move(listener);
    return nullptr;
  }
  TimerQueue& timers() override { return timers_; }
  using CachingResolver::ForgetLost;

 private:
  void JoinGroup(GroupJoin join, std::shared_ptr<Cancellation>,
                 GroupTable::Joined done) override {
    ++num_joins;
    lost_id = join.lost_id;
    std::move(done)(group);
  }
  void ClaimInstance(const CollectiveRequest&, const CollectiveGroup&,
                     std::shared_ptr<Cancellation> cancellation,
                     InstanceTable::Done done) override {
    if (answers_claims) return std::move(done)(source);
    Cancellation::Token token = 0;
    cancellation->Register(
        [done = std::move(done)](const absl::Status&) mutable {
          std::move(done)(absl::CancelledError("the call was cancelled"));
        },
        &token);
  }

  testing::SimulatedClock clock_;
  TimerQueue timers_{"leat-timers", clock_};
};

class CachingResolverTest : public ::testing::Test {
 protected:
  // Starts a broadcast at device 0. Sets `answer_` when it is resolved.
  void Start(bool is_source = false) {
    answer_ = std::nullopt;
    resolver_->Resolve({.type = CollectiveType::kBroadcast,
                        .group_key = 1,
                        .group_size = 2,
                        .instance_key = 5,
                        .is_source = is_source,
                        .device = {.name = DeviceName(0), .type = "CPU"}},
                       cancellation_,
                       [this](absl::StatusOr<ResolvedCollective> answer) {
                         answer_ = std::move(answer);
                       });
  }
  absl::Status Resolve(bool is_source = false) {
    Start(is_source);
    return answer_.has_value() ? answer_->status()
                               : absl::UnknownError("no answer");
  }

  const std::shared_ptr<Resolver> resolver_ = std::make_shared<Resolver>();
  const std::shared_ptr<Cancellation> cancellation_ =
      std::make_shared<Cancellation>();
  std::optional<absl::StatusOr<ResolvedCollective>> answer_;
};

TEST_F(CachingResolverTest, AGroupOfAnotherSizeIsRefused) {
  resolver_->group = GroupOf(3);
  EXPECT_EQ(Resolve().code(), Code::kInternal);
}

TEST_F(CachingResolverTest, ASourceThatCannotBeIsRefused) {
  for (const int source : {-1, 0, 2}) {
    resolver_->source = source;
    EXPECT_EQ(Resolve().code(), Code::kInternal) << source;
  }
  resolver_->source = 1;
  EXPECT_EQ(Resolve(/*is_source=*/true).code(), Code::kInternal);
  EXPECT_EQ(Resolve(), absl::OkStatus());
  EXPECT_EQ((*answer_)->source_rank, 1);
}

TEST_F(CachingResolverTest, AGroupThatTheLeaderHasLostIsJoinedAnew) {
  EXPECT_EQ(Resolve(), absl::OkStatus());
  resolver_->source = absl::FailedPreconditionError("group 1 not found");
  EXPECT_EQ(Resolve(/*is_source=*/true), resolver_->source.status());
  EXPECT_EQ(resolver_->num_joins, 1);
  resolver_->source = 0;
  EXPECT_EQ(Resolve(/*is_source=*/true), absl::OkStatus());
  EXPECT_EQ(resolver_->num_joins, 2);
}

TEST_F(CachingResolverTest, OneStepFailsAfterALoss) {
  const absl::Status gone = absl::UnavailableError("task 1 is gone");
  for (const bool has_step : {false, true}) {
    EXPECT_EQ(Resolve(), absl::OkStatus());
    if (has_step) resolver_->StepHasFailed();
    resolver_->ForgetLost(*resolver_->group, gone);
    if (!has_step) {
      EXPECT_EQ(Resolve(), gone);
    }
    EXPECT_EQ(Resolve(), absl::OkStatus());
    EXPECT_EQ(resolver_->lost_id, "group of 2");
  }
}

TEST_F(CachingResolverTest, WhoWaitsForASourceHearsThatAMemberIsLost) {
  resolver_->answers_claims = false;
  Start();
  ASSERT_FALSE(answer_.has_value());
  std::move(resolver_->on_lost)(absl::UnavailableError("task 1 is gone"));
  ASSERT_TRUE(answer_.has_value());
  EXPECT_EQ(answer_->status(), absl::UnavailableError("task 1 is gone"));
}

TEST_F(CachingResolverTest, WhoWaitsForASourceCanGiveUp) {
  resolver_->answers_claims = false;
  Start();
  cancellation_->Cancel(absl::AbortedError("given up"));
  ASSERT_TRUE(answer_.has_value());
  EXPECT_EQ(answer_->status(), absl::AbortedError("given up"));
}

}  // namespace
}  // namespace leat::caching_resolver_test
