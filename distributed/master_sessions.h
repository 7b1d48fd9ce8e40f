// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// MasterSessions: the sessions that a master keeps for clients, by handle, and
// how many of them are being made or ended. Closes those that nobody uses,
// sooner when there is no room for others. Thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSIONS_H_
#define LEAT_DISTRIBUTED_MASTER_SESSIONS_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/mutex.h"
#include "leat/core/timer_queue.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/master_session.h"
#include "leat/distributed/methods.h"

namespace leat {

class MasterSessions : public std::enable_shared_from_this<MasterSessions> {
 public:
  using SessionPtr = std::shared_ptr<MasterSession>;
  using Done = absl::AnyInvocable<void() &&>;
  // Something of a session is under way as long as somebody holds one.
  class Token;
  using UnderWay = std::shared_ptr<Token>;

  // `task`: the master's, for messages. `timers` is borrowed and outlives this.
  MasterSessions(std::string task, const ServerLimits& limits,
                 TimerQueue& timers);

  // Room for a session that is being created, until the result goes: where
  // there is none, that of the session idle for longest, which is closed.
  // UNAVAILABLE when stopping, RESOURCE_EXHAUSTED when it is not idle for long
  // enough.
  absl::StatusOr<UnderWay> Begin();

  // Adds a session, for which there is room. Closes it instead, and says why,
  // when stopping, and when its client has gone: nobody would know of it. When
  // the client goes before it has the reply, it is closed then.
  absl::Status Add(SessionPtr session, CallContext& client, UnderWay under_way);

  // Null when there is none.
  SessionPtr Find(const std::string& handle) const;

  // Takes a session out and closes it with `why`; `done` when it is closed.
  // False, leaving `done` alone, when there is none.
  bool Close(const std::string& handle, absl::Status why, Done&& done);
  // What goes on with the token is under way too.
  using AllClosed = absl::AnyInvocable<void(UnderWay) &&>;
  void CloseAll(const absl::Status& why, AllClosed done);

  // Looks for idle sessions, again and again until BeginStop.
  void StartSweeping();

  // Takes no sessions any more, and closes those that there are. Idempotent.
  void BeginStop();
  // False when something is under way at `deadline`.
  bool WaitUntil(std::chrono::steady_clock::time_point deadline);

  size_t size() const;
  // `max` of them at most.
  std::vector<SessionPtr> List(size_t max) const;

 private:
  struct Idle {
    SessionPtr session = {};  // null when there is none
    std::chrono::nanoseconds time = {};
  };

  absl::Status Stopping() const;
  absl::Status Full(const Idle& longest) const;
  UnderWay Count() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Idle LongestIdle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Sweep();

  const std::string task_;
  const size_t max_sessions_;
  const std::chrono::nanoseconds idle_time_;
  const std::chrono::nanoseconds idle_time_when_full_;
  TimerQueue& timers_;

  mutable Mutex mutex_;
  CondVar ended_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  size_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t creating_ ABSL_GUARDED_BY(mutex_) = 0;
  TimerQueue::Id sweep_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, SessionPtr> sessions_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSIONS_H_
