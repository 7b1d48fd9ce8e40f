// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Async calls a function on a thread of its own and keeps its result, as
// std::async does, also in simulated time.
//
//   Async step([&] { return session->Run(args).status(); });
//   ...
//   EXPECT_TRUE(step.Get().ok());
#ifndef LEAT_TESTS_TESTING_ASYNC_H_
#define LEAT_TESTS_TESTING_ASYNC_H_

#include <optional>
#include <type_traits>
#include <utility>

#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"

namespace leat::testing {

// To be used by one thread. Waits for the function when it is destroyed.
template <class Result>
class Async {
 public:
  template <class Function>
  explicit Async(Function function)
      : thread_([this, function = std::move(function)]() mutable {
          Result result = function();
          MutexLock lock(mutex_);
          result_ = std::move(result);
        }) {}
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;

  // Returns whether the function has returned.
  bool HasEnded() {
    MutexLock lock(mutex_);
    return result_.has_value();
  }
  // Waits for the function and returns its result. To be called once.
  Result Get() {
    thread_.Join();
    MutexLock lock(mutex_);
    return *std::move(result_);
  }

 private:
  Mutex mutex_;
  std::optional<Result> result_ ABSL_GUARDED_BY(mutex_);
  Thread thread_;  // must be the last member: it uses the others
};

template <class Function>
explicit Async(Function) -> Async<std::invoke_result_t<Function&>>;

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_ASYNC_H_
