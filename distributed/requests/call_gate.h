// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CallGate counts the calls of some methods that are under way. These calls are
// *inside* the gate. A closed gate refuses new calls. A stopping task closes
// the gate and waits until no call is inside.
#ifndef LEAT_DISTRIBUTED_REQUESTS_CALL_GATE_H_
#define LEAT_DISTRIBUTED_REQUESTS_CALL_GATE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

// Is thread-safe. Calls that are inside and the handlers that Around makes keep
// a pointer to the gate, which must outlive them.
class CallGate {
 public:
  // `task` names the task in messages.
  explicit CallGate(std::string task) : task_(std::move(task)) {}

  // Returns the error for calls that come after Close. It is UNAVAILABLE and
  // names the task.
  absl::Status reason() const;

  // Returns a handler that calls `handler` if the gate is open, and replies
  // with reason() otherwise. A call is inside until its reply has been called
  // or destroyed. The returned handler, and each call that is inside, borrow
  // the gate.
  Handler Around(Handler handler);

  // Refuses new calls from now on. Calls that are inside go on. Is idempotent.
  void Close();

  // Waits until no call is inside. Returns false if a call is still inside at
  // `deadline`, a time of `clock`.
  bool WaitUntil(Clock& clock, Clock::time_point deadline);

  // Returns how many calls are inside now.
  size_t num_inside() const;

 private:
  class Visit;  // one call that is inside

  // Counts a call. Returns false if the gate is closed.
  bool Enter();
  // Ends a call that has entered.
  void Leave();

  const std::string task_;
  mutable Mutex mutex_;
  CondVar left_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  size_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REQUESTS_CALL_GATE_H_
