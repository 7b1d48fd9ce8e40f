// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterSessions keeps the sessions of a master's clients, and finds them by
// handle.
//
// It counts the calls and other work under way in the sessions, and closes
// sessions that are idle for too long. If the limit of sessions is reached when
// a client creates a session, the session that has been idle for the longest
// time is closed.
#ifndef LEAT_DISTRIBUTED_MASTER_MASTER_SESSIONS_H_
#define LEAT_DISTRIBUTED_MASTER_MASTER_SESSIONS_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/intervals.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/master/master_session.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

// Is thread-safe. Is owned by a shared_ptr. Tokens share the ownership, but
// timers hold only weak references.
class MasterSessions : public std::enable_shared_from_this<MasterSessions> {
 public:
  using SessionPtr = std::shared_ptr<MasterSession>;
  using Done = absl::AnyInvocable<void() &&>;
  // A session, or other work, counts as under way until its token is destroyed.
  class Token;
  using UnderWay = std::shared_ptr<Token>;

  // `task` is the name of the master's task, for messages. The interval between
  // two searches for idle sessions is a quarter of `limits.session_idle`,
  // clamped to `sweeps`. `timers` is borrowed and must outlive this.
  MasterSessions(std::string task, const ServerLimits& limits,
                 IntervalRange sweeps, TimerQueue& timers);

  // Reserves room for a session that is to be created. The room is reserved
  // until the returned token is passed to Add or destroyed. If the limit of
  // sessions is reached, first closes the session that has been idle for the
  // longest time. Returns RESOURCE_EXHAUSTED if that session has not been idle
  // for long enough. After BeginStop, returns the reason of BeginStop.
  absl::StatusOr<UnderWay> Begin();

  // Adds a session. `under_way` is the token that Begin returned for the
  // session. After BeginStop, closes the session instead and returns the reason
  // of BeginStop. If the client has cancelled its call, closes the session and
  // returns CANCELLED, because nobody would know about the session. If the
  // client cancels its call later, but before it has the reply, the session is
  // closed then.
  absl::Status Add(SessionPtr session, CallContext& client, UnderWay under_way);

  // Returns null if there is no such session.
  SessionPtr Find(const std::string& handle) const;

  // Removes a session and closes it with `why`. Calls `done` when the session
  // is closed. Returns false, and does not call `done`, if there is no such
  // session.
  bool Close(const std::string& handle, absl::Status why, Done&& done);
  // This function gets a token. If it starts work that continues after its
  // return, it keeps the token. The work then counts as under way until the
  // token is destroyed.
  using AllClosed = absl::AnyInvocable<void(UnderWay) &&>;
  // Removes all sessions and closes them with `why`. `done` is called when all
  // are closed.
  void CloseAll(const absl::Status& why, AllClosed done);

  // Returns a token for work that belongs to no session. After BeginStop,
  // returns the reason of BeginStop.
  absl::StatusOr<UnderWay> BeginOther();

  // Sets a timer that closes idle sessions and sets itself again, until
  // BeginStop.
  void StartSweeping();

  // Accepts no more sessions, and closes the open ones with `why` (not OK),
  // without waiting. Is idempotent.
  void BeginStop(const absl::Status& why);
  // Waits until nothing is under way. Returns false if something is still under
  // way at `deadline`.
  bool WaitUntil(Clock::time_point deadline);

  // Returns the number of sessions that are open.
  size_t size() const;
  // Returns at most `max` sessions, in no particular order.
  std::vector<SessionPtr> List(size_t max) const;

 private:
  // Describes a session and how long it has been idle.
  struct Idle {
    SessionPtr session = {};  // null if there is no session
    std::chrono::nanoseconds time = {};
  };

  // Returns RESOURCE_EXHAUSTED. The message says how long `longest` has been
  // idle.
  absl::Status Full(const Idle& longest) const;
  // Returns a new token.
  UnderWay Count() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the session that has been idle for the longest time.
  Idle LongestIdle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Closes the sessions that have been idle for `idle_time_`, and sets the
  // timer again.
  void Sweep();

  const std::string task_;
  const size_t max_sessions_;
  const std::chrono::nanoseconds idle_time_;
  const std::chrono::nanoseconds idle_time_when_full_;
  const std::chrono::nanoseconds sweep_interval_;
  TimerQueue& timers_;

  mutable Mutex mutex_;
  CondVar ended_;
  absl::Status stopped_ ABSL_GUARDED_BY(mutex_);  // OK until BeginStop
  size_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t creating_ ABSL_GUARDED_BY(mutex_) = 0;
  TimerQueue::Id sweep_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, SessionPtr> sessions_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_MASTER_SESSIONS_H_
