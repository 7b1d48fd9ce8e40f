// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// FanOut: calls of several tasks at once, and one continuation with all their
// replies. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_FAN_OUT_H_
#define LEAT_DISTRIBUTED_FAN_OUT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/mutex.h"
#include "leat/distributed/tasks.h"

namespace leat {

// Several results that come one by one, on any threads.
template <class T>
class Gather {
 public:
  // Exactly once, on the thread of the last result, outside of any lock.
  using Done = absl::AnyInvocable<void(std::vector<absl::StatusOr<T>>) &&>;
  using Result = absl::AnyInvocable<void(absl::StatusOr<T>) &&>;

  // A place for each result. One that is forgotten, not called, counts as
  // CANCELLED, so that `done` comes all the same. With `count` 0 `done` is
  // called here.
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

  // For Make.
  Gather(size_t count, Done done) : missing_(count), done_(std::move(done)) {
    results_.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      results_.emplace_back(absl::UnknownError("no result yet"));
    }
  }

 private:
  // Sets its result once, at the latest when it is destroyed.
  class Place {
   public:
    Place(std::shared_ptr<Gather> gather, size_t index)
        : gather_(std::move(gather)), index_(index) {}
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place() { Set(absl::CancelledError("the call was given up")); }

    void Set(absl::StatusOr<T> result) {
      if (gather_ == nullptr) return;
      const std::shared_ptr<Gather> gather = std::move(gather_);
      if (gather->Set(index_, std::move(result))) gather->Finish();
    }

   private:
    std::shared_ptr<Gather> gather_;  // null once it is set
    const size_t index_;
  };

  // True when it was the last.
  bool Set(size_t index, absl::StatusOr<T> result) {
    MutexLock lock(mutex_);
    results_[index] = std::move(result);
    return --missing_ == 0;
  }

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

struct TaskCall {
  std::string task = {};
  Payload request = {};
};

// Calls the method of every task, with the same options. `done` exactly once,
// with the replies in the order of the calls: on the thread of the last, or on
// the caller's when there are none.
void FanOut(Tasks& tasks, const Method& method, std::vector<TaskCall> calls,
            const CallOptions& options, Gather<Payload>::Done done);

// The first error of replies to those calls, with its task in front of the
// message (WithTask); OK when all succeeded.
absl::Status FirstError(const std::vector<std::string>& tasks,
                        const std::vector<absl::StatusOr<Payload>>& replies);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_FAN_OUT_H_
