// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Gather collects the results of several asynchronous calls and then passes all
// of them to one function. FanOut calls a method of several tasks at the same
// time and gathers the replies. FanOut and FirstError are stateless and
// thread-safe.
//
//   int sum = 0;
//   std::vector<Gather<int>::Result> results = Gather<int>::Make(
//       2, [&sum](const std::vector<absl::StatusOr<int>>& all) {
//         for (const absl::StatusOr<int>& one : all) sum += one.value_or(0);
//       });
//   std::move(results[1])(20);
//   std::move(results[0])(10);  // sum is now 30
#ifndef LEAT_DISTRIBUTED_TASKS_FAN_OUT_H_
#define LEAT_DISTRIBUTED_TASKS_FAN_OUT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/tasks/task_caller.h"

namespace leat {

// Collects results that arrive one by one, on any threads. Is thread-safe. The
// functions that Make returns share the ownership of the Gather.
template <class T>
class Gather {
 public:
  // Gets the results in the order of the functions that Make returned. Is
  // called exactly once, on the thread of the last result, without any lock
  // held.
  using Done = absl::AnyInvocable<void(std::vector<absl::StatusOr<T>>) &&>;
  // Reports one result.
  using Result = absl::AnyInvocable<void(absl::StatusOr<T>) &&>;

  // Returns `count` functions. Each may be called at most once, with one
  // result. A function that is destroyed without having been called counts as
  // CANCELLED, so `done` is called in any case. With `count` 0, Make itself
  // calls `done`.
  static std::vector<Result> Make(size_t count, Done done) {
    auto gather = std::make_shared<Gather>(count, std::move(done));
    if (count == 0) gather->Finish();
    std::vector<Result> results;
    results.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      results.push_back(
          [place = Place(gather, i)](absl::StatusOr<T> result) mutable {
            place.Set(std::move(result));
          });
    }
    return results;
  }

  // Only Make calls this constructor.
  Gather(size_t count, Done done) : missing_(count), done_(std::move(done)) {
    results_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      results_.emplace_back(absl::UnknownError("no result yet"));
    }
  }

 private:
  // A Place stores one result in the Gather. If nobody has set the result, the
  // destructor sets it to CANCELLED.
  class Place {
   public:
    Place(std::shared_ptr<Gather> gather, size_t index)
        : gather_(std::move(gather)), index_(index) {}
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place() { Set(absl::CancelledError("the call was given up")); }

    // Does nothing if the result is set already.
    void Set(absl::StatusOr<T> result) {
      if (gather_ == nullptr) return;
      const std::shared_ptr<Gather> gather = std::move(gather_);
      if (gather->Set(index_, std::move(result))) gather->Finish();
    }

   private:
    std::shared_ptr<Gather> gather_;  // null after Set
    const size_t index_;
  };

  // Stores a result. Returns true if it was the last one missing.
  bool Set(size_t index, absl::StatusOr<T> result) {
    MutexLock lock(mutex_);
    results_[index] = std::move(result);
    return --missing_ == 0;
  }

  // Calls `done` with all results.
  void Finish() {
    std::vector<absl::StatusOr<T>> results;
    {
      MutexLock lock(mutex_);
      results = std::move(results_);
    }
    std::move(done_)(std::move(results));
  }

  Mutex mutex_;
  size_t missing_ ABSL_GUARDED_BY(mutex_);
  std::vector<absl::StatusOr<T>> results_ ABSL_GUARDED_BY(mutex_);
  Done done_;
};

// Describes a call to one task.
struct TaskCall {
  std::string task = {};  // "/job:worker/replica:0/task:0"
  Payload request = {};
};

// Calls `method` of every task in `calls`, with the same options. `done` is
// called exactly once, with the replies in the order of `calls`: on the thread
// of the last reply, or on the caller's thread if there are no calls. If a
// task's reply is an error, the name of the task is put in front of the message
// (WithTask). `tasks` is borrowed until FanOut returns.
void FanOut(TaskCaller& tasks, const Method& method,
            std::vector<TaskCall> calls, const CallOptions& options,
            Gather<Payload>::Done done);

// Returns the first error among `replies`, or OK if all succeeded.
absl::Status FirstError(const std::vector<absl::StatusOr<Payload>>& replies);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_FAN_OUT_H_
