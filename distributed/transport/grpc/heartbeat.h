// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Heartbeat: notices when a peer that allows no pings falls silent.
// (TensorFlow's servers close the connections of clients that ping.) While
// calls to the peer are under way, the heartbeat calls the peer's health check
// again and again. Any answer shows that the peer lives, also that it has no
// such method, which TensorFlow's tasks say at once, however busy they are.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_HEARTBEAT_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_HEARTBEAT_H_

#include <memory>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "grpcpp/alarm.h"
#include "grpcpp/completion_queue.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/grpc/open_client_calls.h"
#include "leat/distributed/transport/grpc/polling_threads.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Watches the calls of one connection and asks over that connection.
// Thread-safe. An object owns itself while one of its alarms is set.
class Heartbeat : public std::enable_shared_from_this<Heartbeat> {
 public:
  // Calls a method of the peer. That call must not itself be added here.
  using Ask = absl::AnyInvocable<void(const Method&, CallOptions, Reply)>;
  // Called when the peer is silent, just before its calls are lost.
  using Silent = absl::AnyInvocable<void()>;

  // `queue`, on which alarms run, and whatever the functions borrow are used
  // until Stop returns.
  Heartbeat(Ask ask, Silent silent, grpc::CompletionQueue& queue);

  // Watches `call` until Remove: it is lost (OpenClientCall::Lose) when the
  // peer is silent.
  void Add(const std::shared_ptr<OpenClientCall>& call);
  void Remove(const OpenClientCall* call) { calls_.Remove(call); }

  // Begins to ask. Idempotent; has no effect after Stop.
  void Start();
  // Asks no more, and waits for the alarm that is set. Must not be called on a
  // thread that polls the queue, which has to be polled meanwhile.
  void Stop();

 private:
  enum class State { kNew, kStarted, kStopped };

  // Sets the alarm for the next question, unless one is already to come or none
  // is needed.
  void Beat();
  // Sets the alarm and keeps this alive until it ends.
  void SetAlarm() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The completion of the alarm: asks, if that is still needed.
  void EndAlarm(bool ok);
  // Takes the peer's answer. A timeout means that the peer is silent.
  void Hear(const absl::Status& answer);
  // Returns whether to ask again: it is started and there are calls. Sets
  // `is_beating_` to the result.
  bool GoesOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Ask ask_;  // has one question under way at a time
  Silent silent_;
  grpc::CompletionQueue& queue_;
  OpenClientCalls calls_;
  CompletionOf<Heartbeat, &Heartbeat::EndAlarm> alarm_end_{*this};

  Mutex mutex_;
  CondVar alarm_ended_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kNew;
  // True while an alarm or an answer is to come.
  bool is_beating_ ABSL_GUARDED_BY(mutex_) = false;
  int num_alarms_ ABSL_GUARDED_BY(mutex_) = 0;  // alarms that have not ended
  // Keeps this alive while there are such alarms.
  std::shared_ptr<Heartbeat> self_ ABSL_GUARDED_BY(mutex_);
  std::optional<grpc::Alarm> alarm_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_HEARTBEAT_H_
