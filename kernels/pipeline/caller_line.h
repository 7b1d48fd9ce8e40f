// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CallerLine holds the calls that wait for the results of a task, in the order
// in which they came. A waiting call holds no thread.
//
//   const int64_t id = callers_.Add({.done = std::move(done)});
//   ...
//   callers_.ServeFirst(std::move(result), callbacks);
#ifndef LEAT_KERNELS_PIPELINE_CALLER_LINE_H_
#define LEAT_KERNELS_PIPELINE_CALLER_LINE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "leat/core/threads/cancellation.h"

namespace leat::kernels {

// A Call has a member `done`, a function that takes a result or an error. The
// mutex of the owner guards the line. So functions are not called by the line,
// but are added to `callbacks`, which the owner calls without the mutex.
template <class Call>
class CallerLine {
 public:
  using Callbacks = std::vector<absl::AnyInvocable<void() &&>>;

  bool empty() const { return calls_.empty(); }
  // Returns the first call. REQUIRES: !empty().
  const Call& first() const { return calls_.begin()->second.call; }
  // Returns true if the call `id` is in the line, and is the first one.
  bool IsFirst(int64_t id) const {
    return !empty() && calls_.begin()->first == id;
  }

  // Adds a call at the end. Returns its id.
  int64_t Add(Call call) {
    calls_[next_id_].call = std::move(call);
    return next_id_++;
  }

  // Registers `cancel` with `cancellation` until the call `id` leaves the line.
  // Returns the reason if `cancellation` has been cancelled already. Does
  // nothing if the call has left: `cancellation` may then have ended.
  absl::Status Register(int64_t id, Cancellation& cancellation,
                        Cancellation::Callback cancel) {
    const auto waiting = calls_.find(id);
    if (waiting == calls_.end()) return absl::OkStatus();
    if (!cancellation.Register(std::move(cancel), &waiting->second.token)) {
      return cancellation.status();
    }
    waiting->second.cancellation = &cancellation;
    return absl::OkStatus();
  }

  // Gives `result` to the first call, which leaves the line. REQUIRES:
  // !empty().
  template <class Result>
  void ServeFirst(Result result, Callbacks& callbacks) {
    callbacks.push_back([waiting = std::move(calls_.begin()->second),
                         result = std::move(result)]() mutable {
      if (waiting.cancellation != nullptr) {
        waiting.cancellation->Deregister(waiting.token);
      }
      std::move(waiting.call.done)(std::move(result));
    });
    calls_.erase(calls_.begin());
  }

  // Gives `reason` to the call `id`, whose step was cancelled, if the call has
  // not left the line.
  void Cancel(int64_t id, const absl::Status& reason, Callbacks& callbacks) {
    const auto waiting = calls_.find(id);
    if (waiting == calls_.end()) return;
    callbacks.push_back([done = std::move(waiting->second.call.done),
                         reason]() mutable { std::move(done)(reason); });
    calls_.erase(waiting);
  }

 private:
  struct Waiting {
    Call call = {};
    // Is null while no callback is registered with it.
    Cancellation* cancellation = nullptr;
    Cancellation::Token token = 0;
  };

  int64_t next_id_ = 0;
  std::map<int64_t, Waiting> calls_;  // by id
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_CALLER_LINE_H_
