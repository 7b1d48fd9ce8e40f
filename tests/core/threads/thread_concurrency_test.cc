// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/thread.h"

#include <pthread.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace leat::thread_concurrency_test {
namespace {

std::string NameOfThisThread() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

TEST(ThreadTest, RunsItsBodyUnderItsName) {
  std::string name;
  Thread thread("a-name-of-more-than-15-characters",
                [&] { name = NameOfThisThread(); });
  thread.Join();
  EXPECT_EQ(name, "a-name-of-more-");
}

TEST(ThreadTest, WithoutANameHasThatOfItsParent) {
  std::string name;
  Thread([&] { name = NameOfThisThread(); }).Join();
  EXPECT_EQ(name, NameOfThisThread());
}

TEST(ThreadTest, JoinsWhenItIsDestroyedOrReplaced) {
  int first = 0, second = 0;
  {
    Thread thread([&] { first = 1; });
    thread = Thread([&] { second = 1; });
    EXPECT_EQ(first, 1);
  }
  EXPECT_EQ(second, 1);
}

TEST(ThreadTest, JoinsAfterTheBodyIsDestroyed) {
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owned;
  Thread thread([owned = std::move(owned)] {});
  thread.Join();
  EXPECT_TRUE(watch.expired());
  thread.Join();  // does nothing
}

TEST(ThreadTest, MayBeMovedWhileItRuns) {
  std::vector<int> runs(100);
  std::vector<Thread> threads;
  for (int& run : runs) threads.emplace_back([&run] { ++run; });
  threads.clear();
  EXPECT_EQ(runs, std::vector<int>(100, 1));
  Thread none;
  none.Join();
}

}  // namespace
}  // namespace leat::thread_concurrency_test
