// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/master_sessions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/tasks/fan_out.h"

namespace leat {
namespace {

std::string Text(std::chrono::nanoseconds time) {
  return absl::FormatDuration(
      absl::FromChrono(std::chrono::duration_cast<std::chrono::milliseconds>(
          std::max(time, std::chrono::nanoseconds(0)))));
}

absl::Status ClientHasGone(const absl::Status& why) {
  return absl::CancelledError(
      absl::StrCat("the client has gone: ", why.message()));
}

}  // namespace

// Counts something as under way until the token is destroyed.
class MasterSessions::Token {
 public:
  explicit Token(std::shared_ptr<MasterSessions> sessions)
      : sessions_(std::move(sessions)) {}
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;
  ~Token() {
    MutexLock lock(sessions_->mutex_);
    if (has_room) --sessions_->creating_;
    --sessions_->under_way_;
    sessions_->ended_.NotifyAll();
  }

  // Is true while `creating_` counts the session of this token. Is guarded by
  // `sessions_->mutex_`.
  bool has_room = false;

 private:
  const std::shared_ptr<MasterSessions> sessions_;
};

MasterSessions::MasterSessions(std::string task, const ServerLimits& limits,
                               IntervalRange sweeps, TimerQueue& timers)
    : task_(std::move(task)),
      max_sessions_(limits.max_sessions),
      idle_time_(limits.session_idle),
      idle_time_when_full_(limits.session_idle_when_full),
      sweep_interval_(sweeps.Clamp(limits.session_idle / 4)),
      timers_(timers) {}

absl::Status MasterSessions::Full(const Idle& longest) const {
  std::string message =
      absl::StrCat("the master of ", task_, " has ", max_sessions_,
                   " sessions, as many as it may (--max-sessions)");
  if (longest.session != nullptr) {
    absl::StrAppend(&message, "; the one idle for longest, ",
                    Text(longest.time), ", makes room for another after ",
                    Text(idle_time_when_full_), " (--session-idle-when-full)");
  }
  return absl::ResourceExhaustedError(message);
}

MasterSessions::Idle MasterSessions::LongestIdle() const {
  const Clock::time_point now = timers_.clock().Now();
  Idle longest;
  for (const auto& [handle, session] : sessions_) {
    const std::chrono::nanoseconds time = now - session->idle_since();
    if (longest.session == nullptr || time > longest.time) {
      longest = {.session = session, .time = time};
    }
  }
  return longest;
}

MasterSessions::UnderWay MasterSessions::Count() {
  auto token = std::make_shared<Token>(shared_from_this());
  ++under_way_;
  return token;
}

absl::StatusOr<MasterSessions::UnderWay> MasterSessions::Begin() {
  UnderWay token, closing;
  Idle longest;
  {
    MutexLock lock(mutex_);
    LEAT_RETURN_IF_ERROR(stopped_);
    if (sessions_.size() + creating_ >= max_sessions_) {
      longest = LongestIdle();
      if (longest.session == nullptr || longest.time < idle_time_when_full_) {
        return Full(longest);
      }
      sessions_.erase(longest.session->handle());
      closing = Count();
    }
    token = Count();
    token->has_room = true;
    ++creating_;
  }
  if (longest.session != nullptr) {
    longest.session->Close(
        absl::AbortedError(absl::StrCat(
            "the session was idle for ", Text(longest.time),
            " when another needed its room (--session-idle-when-full)")),
        [closing = std::move(closing)] {});
  }
  return token;
}

absl::Status MasterSessions::Add(SessionPtr session, CallContext& client,
                                 UnderWay under_way) {
  absl::Status why;
  {
    MutexLock lock(mutex_);
    under_way->has_room = false;
    --creating_;
    why = stopped_;
    if (why.ok()) sessions_.emplace(session->handle(), session);
  }
  if (!why.ok()) {
    session->Close(why, [token = std::move(under_way)] {});
    return why;
  }
  // `close` stays registered until the client's call is destroyed, which
  // happens after the reply was sent.
  auto close = [weak = weak_from_this(),
                handle = session->handle()](const absl::Status& gone) {
    const auto self = weak.lock();
    if (self != nullptr) self->Close(handle, ClientHasGone(gone), [] {});
  };
  Cancellation::Token token = 0;
  if (client.cancellation.Register(close, &token)) return absl::OkStatus();
  close(client.cancellation.status());
  return ClientHasGone(client.cancellation.status());
}

MasterSessions::SessionPtr MasterSessions::Find(
    const std::string& handle) const {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(handle);
  return found == sessions_.end() ? nullptr : found->second;
}

bool MasterSessions::Close(const std::string& handle, absl::Status why,
                           Done&& done) {
  SessionPtr session;
  UnderWay under_way;
  {
    MutexLock lock(mutex_);
    const auto found = sessions_.find(handle);
    if (found == sessions_.end()) return false;
    session = std::move(found->second);
    sessions_.erase(found);
    under_way = Count();
  }
  session->Close(std::move(why),
                 [token = std::move(under_way),
                  done = std::move(done)]() mutable { std::move(done)(); });
  return true;
}

void MasterSessions::CloseAll(const absl::Status& why, AllClosed done) {
  std::vector<SessionPtr> sessions;
  UnderWay under_way;
  {
    MutexLock lock(mutex_);
    for (auto& [handle, session] : sessions_) {
      sessions.push_back(std::move(session));
    }
    sessions_.clear();
    under_way = Count();
  }
  std::vector<Gather<bool>::Result> closed = Gather<bool>::Make(
      sessions.size(), [token = std::move(under_way), done = std::move(done)](
                           const std::vector<absl::StatusOr<bool>>&) mutable {
        std::move(done)(std::move(token));
      });
  for (size_t i = 0; i < sessions.size(); ++i) {
    sessions[i]->Close(why, [result = std::move(closed[i])]() mutable {
      std::move(result)(true);
    });
  }
}

absl::StatusOr<MasterSessions::UnderWay> MasterSessions::BeginOther() {
  MutexLock lock(mutex_);
  LEAT_RETURN_IF_ERROR(stopped_);
  return Count();
}

void MasterSessions::StartSweeping() {
  MutexLock lock(mutex_);
  if (!stopped_.ok()) return;
  sweep_ = timers_.After(sweep_interval_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Sweep();
  });
}

void MasterSessions::Sweep() {
  const Clock::time_point now = timers_.clock().Now();
  std::vector<std::string> idle;
  {
    MutexLock lock(mutex_);
    for (const auto& [handle, session] : sessions_) {
      if (now - session->idle_since() >= idle_time_) idle.push_back(handle);
    }
  }
  for (const std::string& handle : idle) {
    Close(handle,
          absl::AbortedError(
              "the session was idle for too long (--session-idle)"),
          [] {});
  }
  StartSweeping();
}

void MasterSessions::BeginStop(const absl::Status& why) {
  TimerQueue::Id sweep = 0;
  {
    MutexLock lock(mutex_);
    stopped_.Update(why);
    sweep = sweep_;
  }
  timers_.Cancel(sweep);
  CloseAll(why, [](const UnderWay&) {});
}

bool MasterSessions::WaitUntil(Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (under_way_ > 0) {
    if (!timers_.clock().WaitUntil(ended_, mutex_, deadline)) break;
  }
  return under_way_ == 0;
}

size_t MasterSessions::size() const {
  MutexLock lock(mutex_);
  return sessions_.size();
}

std::vector<MasterSessions::SessionPtr> MasterSessions::List(size_t max) const {
  std::vector<SessionPtr> listed;
  MutexLock lock(mutex_);
  for (const auto& [handle, session] : sessions_) {
    if (listed.size() >= max) break;
    listed.push_back(session);
  }
  return listed;
}

}  // namespace leat
