// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// CallGate: lets calls of some methods in until it is closed, and tells when
// those that are inside have left. Thread-safe.
#ifndef LEAT_DISTRIBUTED_CALL_GATE_H_
#define LEAT_DISTRIBUTED_CALL_GATE_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "leat/core/mutex.h"
#include "leat/distributed/methods.h"

namespace leat {

class CallGate {
 public:
  // `task`: for messages.
  explicit CallGate(std::string task) : task_(std::move(task)) {}

  // What calls that come too late are answered: UNAVAILABLE, naming the task.
  absl::Status reason() const;

  // A call is inside until its reply has been given, or dropped. Borrows this
  // until the last call that came by it has left.
  Handler Around(Handler handler);

  void Close();

  // False when something is inside at `deadline`.
  bool WaitUntil(std::chrono::steady_clock::time_point deadline);

  size_t num_inside() const;

 private:
  class Visit;  // one call that is inside

  bool Enter();
  void Leave();

  const std::string task_;
  mutable Mutex mutex_;
  CondVar left_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  size_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CALL_GATE_H_
