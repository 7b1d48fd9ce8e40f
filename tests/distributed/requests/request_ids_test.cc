// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/requests/request_ids.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"

namespace leat::request_ids_test {
namespace {

TEST(RequestIdsTest, RefusesTheSameRequestInTensorFlowsWords) {
  RequestIds ids(10);
  EXPECT_TRUE(ids.Add(7, "RunGraph (Worker)").ok());
  EXPECT_TRUE(ids.Add(-7, "RunGraph (Worker)").ok());
  EXPECT_EQ(ids.Add(7, "RunGraph (Worker)"),
            absl::AbortedError("The same RunGraph (Worker) request was "
                               "received twice. request_id: 7"));
  EXPECT_FALSE(ids.Add(-7, "RunGraph (Worker)").ok());
}

TEST(RequestIdsTest, TakesRequestsWithoutIdAlways) {
  RequestIds ids(10);
  EXPECT_TRUE(ids.Add(0, "RunGraph (Worker)").ok());
  EXPECT_TRUE(ids.Add(0, "RunGraph (Worker)").ok());
}

TEST(RequestIdsTest, RemembersTheLastOnes) {
  RequestIds ids(3);
  for (int64_t id = 1; id <= 10; ++id) {
    EXPECT_TRUE(ids.Add(id, "m").ok());
    for (int64_t last = std::max<int64_t>(1, id - 2); last <= id; ++last) {
      EXPECT_FALSE(ids.Add(last, "m").ok()) << last << " after " << id;
    }
  }
  // The oldest request was forgotten, so its id counts as new.
  EXPECT_TRUE(ids.Add(7, "m").ok());
  EXPECT_TRUE(ids.Add(8, "m").ok());
  EXPECT_FALSE(ids.Add(10, "m").ok());
}

TEST(RequestIdsTest, LetsOneOfManyThroughUnderContention) {
  RequestIds ids(100'000);
  constexpr int kThreads = 8;
  constexpr int kIds = 2000;
  std::atomic<int> taken{0};
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int64_t id = 1; id <= kIds; ++id) taken += ids.Add(id, "m").ok();
    });
  }
  threads.clear();
  EXPECT_EQ(taken, kIds);
}

}  // namespace
}  // namespace leat::request_ids_test
