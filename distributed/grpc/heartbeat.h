// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Heartbeat: notices that a peer that allows no pings is silent (TensorFlow's
// servers close the connections of those who ping). While calls of it are under
// way it is asked for its health, again and again. Any answer will do, that it
// has no such method too: so TensorFlow's say at once, however busy they are.
// One for each connection, over which it asks. Thread-safe.
#ifndef LEAT_DISTRIBUTED_GRPC_HEARTBEAT_H_
#define LEAT_DISTRIBUTED_GRPC_HEARTBEAT_H_

#include <memory>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "grpcpp/alarm.h"
#include "grpcpp/completion_queue.h"
#include "leat/core/mutex.h"
#include "leat/distributed/grpc/client_call.h"
#include "leat/distributed/grpc/polling_threads.h"
#include "leat/distributed/transport.h"

namespace leat {

class Heartbeat : public std::enable_shared_from_this<Heartbeat> {
 public:
  // Calls a method of the peer; the call is not itself added here.
  using Ask = absl::AnyInvocable<void(const Method&, CallOptions, Reply)>;
  // The peer is silent, and its calls are about to be lost.
  using Silent = absl::AnyInvocable<void()>;

  // The queue, and what the functions borrow, are used until Stop returns.
  Heartbeat(Ask ask, Silent silent, grpc::CompletionQueue& queue);

  // Is lost (ClientCall::Lose) when the peer is silent. Until Remove.
  void Add(const std::shared_ptr<ClientCall>& call);
  void Remove(const ClientCall* call) { calls_.Remove(call); }

  // Asks from now on. Idempotent.
  void Start();
  // Asks no more. On another thread than the queue's, which is polled.
  void Stop();

 private:
  enum class State { kNew, kStarted, kStopped };

  // Asks in a while, unless it will or need not.
  void Beat();
  void SetAlarm() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndAlarm(bool ok);
  void Hear(const absl::Status& answer);
  // Whether it is to be asked again.
  bool GoesOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Ask ask_;  // one question at a time
  Silent silent_;
  grpc::CompletionQueue& queue_;
  OpenClientCalls calls_;
  CompletionOf<Heartbeat, &Heartbeat::EndAlarm> alarm_end_{*this};

  Mutex mutex_;
  CondVar alarm_ended_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kNew;
  // An alarm or an answer is to come.
  bool is_beating_ ABSL_GUARDED_BY(mutex_) = false;
  int num_alarms_ ABSL_GUARDED_BY(mutex_) = 0;  // that have not ended
  // While there are.
  std::shared_ptr<Heartbeat> self_ ABSL_GUARDED_BY(mutex_);
  std::optional<grpc::Alarm> alarm_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_HEARTBEAT_H_
