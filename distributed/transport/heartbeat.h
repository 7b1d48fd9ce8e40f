// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Heartbeat notices when a peer that allows no pings falls silent.
// (TensorFlow's servers close the connections of clients that ping.) While
// calls to the peer are under way, the heartbeat calls the peer's health check
// again and again. Any answer shows that the peer is alive. TensorFlow's tasks
// do not have this method, but they answer with an error immediately, even when
// they are busy.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_HEARTBEAT_H_
#define LEAT_DISTRIBUTED_TRANSPORT_HEARTBEAT_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/transport/open_client_calls.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Watches the calls of one connection, and calls the health check over the same
// connection. Is thread-safe. Is owned by a shared_ptr. Timers keep only weak
// references.
class Heartbeat : public std::enable_shared_from_this<Heartbeat> {
 public:
  // Calls a method of the peer. This call must not be added to the heartbeat.
  using Ask = absl::AnyInvocable<void(const Method&, CallOptions, Reply)>;
  // Is called when the peer is silent, just before the heartbeat calls
  // OpenClientCall::Lose for the watched calls.
  using Silent = absl::AnyInvocable<void()>;

  // `times` says how long after an answer the health check is called again
  // (ping_interval), and how long the peer may take to answer (ping_timeout).
  // `timers` is borrowed and not used after Stop.
  Heartbeat(Ask ask, Silent silent, const ConnectionTimes& times,
            TimerQueue& timers);

  // Watches `call` until Remove. If the peer falls silent, ends `call` with
  // OpenClientCall::Lose.
  void Add(const std::shared_ptr<OpenClientCall>& call);
  void Remove(const OpenClientCall* call) { calls_.Remove(call); }

  // Begins to call the health check. Idempotent; has no effect after Stop.
  void Start();
  // Sets no more timers. A timer that runs at the same time may still call the
  // health check once.
  void Stop();

 private:
  enum class State { kNew, kStarted, kStopped };

  // Sets the timer for the next health check if one is needed. Does nothing if
  // a health check is scheduled or under way already.
  void Beat();
  void SetTimer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls the health check, if that is still needed.
  void AskNow();
  // Handles the peer's answer. A timeout means that the peer is silent.
  void Hear(const absl::Status& answer);
  // Returns true if the health check must be called again, because the
  // heartbeat is started, not stopped, and watches calls. Sets `is_beating_` to
  // the result.
  bool GoesOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Ask ask_;  // has one call under way at a time
  Silent silent_;
  const ConnectionTimes times_;
  TimerQueue& timers_;
  OpenClientCalls calls_;

  Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kNew;
  // Is true while a timer is set or an answer is awaited.
  bool is_beating_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_HEARTBEAT_H_
