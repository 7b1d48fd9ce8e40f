// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/plan_table.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/work_queue.h"

namespace leat::plan_table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// In this test, a plan is a text.
using Table = PlanTable<std::string>;

Table::Plan PlanOf(const std::string& text) {
  return std::make_shared<const std::string>(text);
}

class PlanTableTest : public ::testing::Test {
 protected:
  std::shared_ptr<Table> NewTable(size_t max_plans = 3) {
    return Table::Create(
        [this](Table::Plan plan) {
          EXPECT_EQ(plan.use_count(), 1);
          released_.push_back(*plan);
        },
        max_plans);
  }

  // Returns the plan of `key`. Makes the plan at once if it is missing.
  Table::Plan Get(Table& table, const std::string& key) {
    Table::Plan got;
    table.Get(
        key, 0,
        [this, key](Table::Done done) {
          made_.push_back(key);
          std::move(done)(PlanOf(key));
        },
        [&](absl::StatusOr<Table::Plan> plan) { got = *std::move(plan); });
    return got;
  }

  std::vector<std::string> made_;
  std::vector<std::string> released_;
};

TEST_F(PlanTableTest, MakesAPlanOnce) {
  const auto table = NewTable();
  const Table::Plan first = Get(*table, "a");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(Get(*table, "a"), first);
  EXPECT_NE(Get(*table, "b"), first);
  EXPECT_THAT(made_, ElementsAre("a", "b"));
  EXPECT_EQ(table->num_plans(), 2);
}

TEST_F(PlanTableTest, WhoComesMeanwhileGetsTheSamePlan) {
  const auto table = NewTable();
  Table::Done finish;
  std::vector<Table::Plan> got;
  for (int i = 0; i < 3; ++i) {
    table->Get(
        "a", 0,
        [&](Table::Done done) {
          EXPECT_EQ(finish, nullptr) << "made twice";
          finish = std::move(done);
        },
        [&](absl::StatusOr<Table::Plan> plan) {
          got.push_back(*std::move(plan));
        });
  }
  EXPECT_THAT(got, IsEmpty());
  EXPECT_EQ(table->num_plans(), 0);
  const Table::Plan plan = PlanOf("a");
  std::move(finish)(plan);
  EXPECT_THAT(got, ElementsAre(plan, plan, plan));
}

TEST_F(PlanTableTest, AnErrorGoesToAllWhoWaitAndIsForgotten) {
  const auto table = NewTable();
  Table::Done finish;
  std::vector<absl::Status> got;
  for (int i = 0; i < 2; ++i) {
    table->Get(
        "a", 0, [&](Table::Done done) { finish = std::move(done); },
        [&](const absl::StatusOr<Table::Plan>& plan) {
          got.push_back(plan.status());
        });
  }
  std::move(finish)(absl::NotFoundError("no node 'a'"));
  EXPECT_THAT(got, ElementsAre(absl::NotFoundError("no node 'a'"),
                               absl::NotFoundError("no node 'a'")));
  EXPECT_NE(Get(*table, "a"), nullptr);
}

// The four callers ask for the plan "a" with versions 1, 2, 3 and 1 of the
// graph.
TEST_F(PlanTableTest, AnErrorOfAnEarlierGraphIsNotALaterOnes) {
  const auto table = NewTable();
  struct Caller {
    int64_t version;
    Table::Done finish = {};
    absl::StatusOr<Table::Plan> got = absl::UnknownError("nothing yet");
  };
  std::vector<Caller> callers(4);
  for (size_t i = 0; i < callers.size(); ++i) {
    Caller& caller = callers[i];
    caller.version = std::vector<int64_t>{1, 2, 3, 1}[i];
    table->Get(
        "a", caller.version,
        [&caller](Table::Done done) { caller.finish = std::move(done); },
        [&caller](absl::StatusOr<Table::Plan> plan) {
          caller.got = std::move(plan);
        });
  }
  ASSERT_NE(callers[0].finish, nullptr);
  std::move(callers[0].finish)(absl::NotFoundError("no node 'a'"));
  EXPECT_TRUE(absl::IsNotFound(callers[0].got.status()));
  EXPECT_TRUE(absl::IsNotFound(callers[3].got.status()));
  // Callers 1 and 2 have later versions of the graph, so the error of caller 0
  // does not hold for them. They get no plan and must ask again.
  for (const size_t i : {1, 2}) {
    ASSERT_TRUE(callers[i].got.ok()) << callers[i].got.status();
    EXPECT_EQ(*callers[i].got, nullptr);
    EXPECT_EQ(callers[i].finish, nullptr);
  }
  EXPECT_NE(Get(*table, "a"), nullptr);
}

TEST_F(PlanTableTest, ReleasesThePlanThatWasUnusedForLongest) {
  const auto table = NewTable(3);
  for (const char* key : {"a", "b", "c"}) Get(*table, key);
  Get(*table, "a");
  Get(*table, "d");
  EXPECT_THAT(released_, ElementsAre("b"));
  EXPECT_EQ(table->num_plans(), 3);
  Get(*table, "b");  // made again
  EXPECT_THAT(released_, ElementsAre("b", "c"));
  EXPECT_THAT(made_, ElementsAre("a", "b", "c", "d", "b"));
}

TEST_F(PlanTableTest, KeepsPlansThatAreInUse) {
  const auto table = NewTable(2);
  Table::Plan a = Get(*table, "a");
  Table::Plan b = Get(*table, "b");
  Table::Plan c = Get(*table, "c");
  EXPECT_THAT(released_, IsEmpty());
  EXPECT_EQ(table->num_plans(), 3);
  b = nullptr;
  Get(*table, "d");
  EXPECT_THAT(released_, ElementsAre("b"));
  a = c = nullptr;
  Get(*table, "e");
  EXPECT_EQ(table->num_plans(), 2);
}

TEST_F(PlanTableTest, WithoutReleasePlansInUseGoToo) {
  const auto table = Table::Create(nullptr, 2);
  const Table::Plan a = Get(*table, "a");
  Get(*table, "b");
  Get(*table, "c");
  EXPECT_EQ(*a, "a");
  EXPECT_EQ(table->num_plans(), 2);
  EXPECT_NE(Get(*table, "a"), a);
}

TEST_F(PlanTableTest, AfterCloseEverybodyIsToldWhy) {
  const auto table = NewTable();
  Get(*table, "b");
  Table::Done finish;
  std::vector<absl::Status> got;
  const auto done = [&](const absl::StatusOr<Table::Plan>& plan) {
    got.push_back(plan.status());
  };
  table->Get(
      "a", 0, [&](Table::Done d) { finish = std::move(d); }, done);
  const absl::Status closed = absl::FailedPreconditionError("closed");
  table->Close(closed);
  EXPECT_THAT(got, ElementsAre(closed));
  table->Close(absl::InternalError("again"));
  std::move(finish)(PlanOf("a"));
  table->Get(
      "b", 0, [](Table::Done) { FAIL(); }, done);
  EXPECT_THAT(got, ElementsAre(closed, closed));
  EXPECT_EQ(table->num_plans(), 0);
  EXPECT_THAT(released_, IsEmpty());
}

TEST_F(PlanTableTest, WhoLeavesIsForgottenAndThePlanIsMade) {
  const auto table = NewTable();
  const auto kept = std::make_shared<int>();
  std::vector<Table::Done> finish;
  std::vector<int> told;
  const auto get = [&](int who) {
    return table->Get(
        "a", 0,
        [&finish, kept](Table::Done done) {
          finish.push_back(std::move(done));
        },
        [&told, who, kept](const absl::StatusOr<Table::Plan>&) {
          told.push_back(who);
        });
  };
  const Table::Ticket first = get(0), second = get(1);
  get(2);
  EXPECT_EQ(kept.use_count(), 1 + 3);
  table->Leave("a", first);
  table->Leave("a", first);
  table->Leave("a", second);
  table->Leave("b", second);
  EXPECT_EQ(kept.use_count(), 1 + 1);  // also held by the third caller
  ASSERT_EQ(finish.size(), 1);
  std::move(finish[0])(PlanOf("a"));
  EXPECT_THAT(told, ElementsAre(2));
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_EQ(table->num_plans(), 1);
  table->Leave("a", first);
}

TEST_F(PlanTableTest, WhatNobodyWaitsForAnyMoreIsMadeAllTheSame) {
  const auto table = NewTable();
  Table::Done finish;
  for (const bool fails : {true, false}) {
    const Table::Ticket ticket = table->Get(
        "a", 0, [&](Table::Done done) { finish = std::move(done); },
        [](const absl::StatusOr<Table::Plan>&) { FAIL(); });
    table->Leave("a", ticket);
    if (fails) {
      std::exchange(finish, nullptr)(absl::NotFoundError("no node 'a'"));
    } else {
      std::exchange(finish, nullptr)(PlanOf("a"));
    }
    EXPECT_EQ(table->num_plans(), fails ? 0 : 1);
  }
}

TEST_F(PlanTableTest, MakesNoMorePlansAtOnceThanItMayKeep) {
  const auto table = NewTable(2);
  std::vector<Table::Done> finish;
  std::vector<absl::Status> refused;
  const auto get = [&](const std::string& key) {
    table->Get(
        key, 0, [&](Table::Done done) { finish.push_back(std::move(done)); },
        [&](const absl::StatusOr<Table::Plan>& plan) {
          if (!plan.ok()) refused.push_back(plan.status());
        });
  };
  for (const char* key : {"a", "b", "c", "a"}) get(key);
  ASSERT_EQ(refused.size(), 1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused[0])) << refused[0];
  ASSERT_EQ(finish.size(), 2);
  std::move(finish[0])(PlanOf("a"));
  get("c");
  EXPECT_EQ(refused.size(), 1);
  EXPECT_EQ(finish.size(), 3);
}

TEST_F(PlanTableTest, EightThreadsMakeEachPlanOnce) {
  constexpr int kThreads = 8;
  constexpr int kKeys = 50;
  const auto table = NewTable(kKeys);
  std::unique_ptr<WorkQueue> finisher = NewThreadPool("finisher", 1);
  std::atomic<int> made = 0, answered = 0;
  std::vector<std::vector<Table::Plan>> got(kThreads,
                                            std::vector<Table::Plan>(kKeys));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < kKeys; ++k) {
        const std::string key = std::to_string(k);
        table->Get(
            key, 0,
            [&, key](Table::Done done) {
              ++made;
              // The plan is finished later, on another thread.
              finisher->Add([key, done = std::move(done)]() mutable {
                std::move(done)(PlanOf(key));
              });
            },
            [&, t, k](absl::StatusOr<Table::Plan> plan) {
              got[t][k] = *std::move(plan);
              ++answered;
            });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  finisher.reset();
  EXPECT_EQ(made, kKeys);
  EXPECT_EQ(answered, kThreads * kKeys);
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(got[t], got[0]);
  EXPECT_THAT(released_, IsEmpty());
}

}  // namespace
}  // namespace leat::plan_table_test
