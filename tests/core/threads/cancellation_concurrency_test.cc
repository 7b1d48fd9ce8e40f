// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/cancellation.h"

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace leat::cancellation_concurrency_test {
namespace {

TEST(CancellationTest, StartsNotCancelled) {
  Cancellation cancellation;
  EXPECT_FALSE(cancellation.IsCancelled());
  EXPECT_TRUE(cancellation.status().ok());
}

TEST(CancellationTest, CancelRunsEveryCallbackOnceWithTheReason) {
  Cancellation cancellation;
  int calls = 0;
  for (int i = 0; i < 3; ++i) {
    Cancellation::Token token;
    ASSERT_TRUE(cancellation.Register(
        [&](const absl::Status& reason) {
          EXPECT_EQ(reason.message(), "first");
          ++calls;
        },
        &token));
  }
  cancellation.Cancel(absl::AbortedError("first"));
  cancellation.Cancel(absl::AbortedError("second"));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(cancellation.status(), absl::AbortedError("first"));
}

TEST(CancellationTest, RegisterAfterCancelIsRefused) {
  Cancellation cancellation;
  cancellation.Cancel(absl::CancelledError("x"));
  Cancellation::Token token;
  EXPECT_FALSE(cancellation.Register([](const absl::Status&) { ADD_FAILURE(); },
                                     &token));
}

TEST(CancellationTest, DeregisteredCallbacksDoNotRun) {
  Cancellation cancellation;
  Cancellation::Token token;
  ASSERT_TRUE(cancellation.Register([](const absl::Status&) { ADD_FAILURE(); },
                                    &token));
  EXPECT_TRUE(cancellation.Deregister(token));
  EXPECT_FALSE(cancellation.Deregister(token));
  EXPECT_FALSE(cancellation.Deregister(token + 1));
  cancellation.Cancel(absl::CancelledError("x"));
}

TEST(CancellationTest, TokensAreNotReused) {
  Cancellation cancellation;
  std::set<Cancellation::Token> tokens;
  for (int i = 0; i < 10; ++i) {
    Cancellation::Token token;
    ASSERT_TRUE(cancellation.Register([](const absl::Status&) {}, &token));
    EXPECT_TRUE(tokens.insert(token).second);
    cancellation.Deregister(token);
  }
}

TEST(CancellationTest, CallbacksMayUseTheCancellation) {
  Cancellation cancellation;
  Cancellation::Token token;
  bool ran = false;
  ASSERT_TRUE(cancellation.Register(
      [&](const absl::Status&) {
        EXPECT_TRUE(cancellation.IsCancelled());
        EXPECT_FALSE(cancellation.status().ok());
        EXPECT_FALSE(cancellation.Deregister(token));
        Cancellation::Token other;
        EXPECT_FALSE(cancellation.Register([](const absl::Status&) {}, &other));
        cancellation.Cancel(absl::CancelledError("again"));
        ran = true;
      },
      &token));
  cancellation.Cancel(absl::CancelledError("x"));
  EXPECT_TRUE(ran);
}

TEST(CancellationTest, DeregisterFreesOutsideTheLock) {
  Cancellation cancellation;
  Cancellation::Token token;
  // The callback owns this value. The deleter of the value calls functions of
  // `cancellation`, and these functions lock its mutex. So the test deadlocks
  // if Deregister destroys the callback while it holds the mutex.
  std::shared_ptr<int> owned(new int, [&](int* value) {
    delete value;
    EXPECT_TRUE(cancellation.status().ok());
    Cancellation::Token other;
    EXPECT_TRUE(cancellation.Register([](const absl::Status&) {}, &other));
  });
  ASSERT_TRUE(cancellation.Register(
      [owned = std::move(owned)](const absl::Status&) {}, &token));
  EXPECT_TRUE(cancellation.Deregister(token));
}

TEST(CancellationTest, EachCallbackRunsXorIsDeregisteredXorRefused) {
  for (int round = 0; round < 50; ++round) {
    Cancellation cancellation;
    std::atomic<int> ran = 0, deregistered = 0, refused = 0, cancels = 0;
    constexpr int kThreads = 4, kEach = 50;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) {
          Cancellation::Token token;
          if (!cancellation.Register([&](const absl::Status&) { ++ran; },
                                     &token)) {
            ++refused;
          } else if (i % 2 == 0 && cancellation.Deregister(token)) {
            ++deregistered;
          }
          EXPECT_EQ(cancellation.status().ok() ||
                        cancellation.status().message() == "reason",
                    true);
        }
      });
    }
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&] {
        cancellation.Cancel(absl::CancelledError("reason"));
        ++cancels;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(ran + deregistered + refused, kThreads * kEach);
    EXPECT_EQ(cancels, 2);
  }
}

}  // namespace
}  // namespace leat::cancellation_concurrency_test
