// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CallPatiently calls a method of a task that has perhaps not started yet, and
// waits for the answer. Meanwhile it finds out why the task does not answer.
#ifndef LEAT_DISTRIBUTED_CLIENT_PATIENT_CALL_H_
#define LEAT_DISTRIBUTED_CLIENT_PATIENT_CALL_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"

namespace leat {

// Says how long CallPatiently waits, and when it asks for the task's health. Is
// a value.
struct ConnectWait {
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  // CallPatiently asks the task for its health after `first_look`, or after
  // half of `timeout` if that is sooner. Then it asks again every
  // `look_interval`. The task has `look_timeout` to answer each time.
  std::chrono::nanoseconds first_look = std::chrono::milliseconds(500);
  std::chrono::nanoseconds look_interval = std::chrono::seconds(1);
  std::chrono::nanoseconds look_timeout = std::chrono::seconds(5);
  // If `cancellation` is cancelled, the wait ends with CANCELLED. May be null.
  std::shared_ptr<Cancellation> cancellation = {};
  // Is called at the NoticeTimes (core/threads/notice_times.h) of the wait, on
  // the thread that waits. `message` is a sentence that says what the thread is
  // waiting for. May be null.
  std::function<void(absl::string_view message)> on_waiting = {};
};

// Calls `method` of the task at `address` and waits for the answer, even while
// the task cannot be reached. Meanwhile asks the task for its health, to find
// out why there is no answer.
//
// Returns the answer or the error of the task. After the timeout, returns
// UNAVAILABLE with the address and the reason that was found last. Must not be
// called on a thread of the transport.
absl::StatusOr<Payload> CallPatiently(Transport& transport,
                                      const std::string& address,
                                      const Method& method, Payload request,
                                      const ConnectWait& wait);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLIENT_PATIENT_CALL_H_
