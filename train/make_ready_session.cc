// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Makes the sessions of a RecoverableSession, and makes their variables ready.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/notice_times.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/train/recoverable_session_implementation.h"

namespace leat {
namespace {

using recoverable_session::Prefixed;
using recoverable_session::Some;
using recoverable_session::Text;
using std::chrono::nanoseconds;

nanoseconds Doubled(nanoseconds pause, nanoseconds longest) {
  return pause > longest / 2 ? longest : 2 * pause;
}

absl::Status ClosedError() {
  return absl::FailedPreconditionError("the session is closed");
}

}  // namespace

absl::StatusOr<RecoverableSession::Implementation::LivePtr>
RecoverableSession::Implementation::Acquire() {
  std::shared_ptr<Making> making;
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (closed_) return ClosedError();
      if (!failed_.ok()) return failed_;
      if (live_ != nullptr && live_->lost.ok()) return live_;
      if (making_ == nullptr) break;
      const std::shared_ptr<Making> others = making_;
      while (!others->done) changed_.Wait(mutex_);
      if (!others->status.ok()) return others->status;
    }
    making = making_ = std::make_shared<Making>();
    // Waits until the old session has been closed. A chief step that still
    // waits in the old session would otherwise take gradients that the chief
    // step in the new session needs.
    while (live_ != nullptr && !live_->ended) changed_.Wait(mutex_);
    live_ = nullptr;
  }
  absl::StatusOr<SessionPtr> made = Make();
  LivePtr live;
  SessionPtr superfluous;
  {
    MutexLock lock(mutex_);
    candidate_ = nullptr;
    making_ = nullptr;
    making->done = true;
    making->status = closed_ ? ClosedError() : made.status();
    if (made.ok() && closed_) {
      superfluous = *std::move(made);
    } else if (made.ok()) {
      was_ready_ = true;
      ++num_sessions_;
      live = live_ = std::make_shared<Live>();
      live->session = *std::move(made);
    }
  }
  changed_.NotifyAll();
  if (superfluous != nullptr) superfluous->Close().IgnoreError();
  if (live == nullptr) return making->status;
  return live;
}

absl::StatusOr<RecoverableSession::Implementation::SessionPtr>
RecoverableSession::Implementation::Make() {
  const Time begin = clock_.Now();
  const Time deadline = clock_.After(options_.give_up);
  nanoseconds pause = options_.first_pause;
  for (int attempts = 1;; ++attempts) {
    absl::StatusOr<SessionPtr> made = Attempt(deadline);
    if (made.ok() || !IsRecoverable(made.status())) return made;
    if (Left(deadline) <= pause) {
      return Prefixed(
          made.status(),
          absl::StrCat("the session gave up after ", attempts, " attempts in ",
                       Text(clock_.Now() - begin), "; the last one failed: "));
    }
    LogNoSession(absl::StrCat(made.status().message(),
                              "; the next attempt is in ", Text(pause)));
    if (!Sleep(pause)) return ClosedError();
    pause = Doubled(pause, options_.longest_pause);
  }
}

SessionOptions RecoverableSession::Implementation::WantedUntil(Time deadline) {
  SessionOptions wanted = options_.session;
  wanted.connect_timeout =
      std::min(wanted.connect_timeout, TimeLeftAtLeast1ms(deadline));
  wanted.cancellation = cancellation_;
  if (options_.log != nullptr) {
    wanted.on_waiting = [this](absl::string_view why) { LogNoSession(why); };
  }
  return wanted;
}

absl::StatusOr<RecoverableSession::Implementation::SessionPtr>
RecoverableSession::Implementation::NewSessionUntil(Time deadline) {
  const SessionOptions wanted = WantedUntil(deadline);
  LEAT_ASSIGN_OR_RETURN(SessionPtr session,
                        options_.new_session != nullptr
                            ? options_.new_session(graph_, wanted)
                            : NewSession(graph_, wanted));
  bool closed = false;
  {
    MutexLock lock(mutex_);
    closed = closed_;
    candidate_ = session;
  }
  if (!closed) return session;
  session->Close().IgnoreError();
  return ClosedError();
}

absl::StatusOr<RecoverableSession::Implementation::SessionPtr>
RecoverableSession::Implementation::Attempt(Time deadline) {
  LEAT_ASSIGN_OR_RETURN(SessionPtr session, NewSessionUntil(deadline));
  absl::Status status = Prepare(session, deadline);
  if (status.ok()) {
    status = RunNode(*session, options_.local_init, deadline);
  }
  if (status.ok()) return session;
  session->Close().IgnoreError();
  return status;
}

absl::Status RecoverableSession::Implementation::Reset(Time deadline) {
  SessionOptions wanted = WantedUntil(deadline);
  // Allows all the time that is left, because sessions with running steps end
  // slowly. A reset that is abandoned too early could also take effect later
  // and clear what has been made in the meantime.
  wanted.connect_timeout = TimeLeftAtLeast1ms(deadline);
  if (options_.reset != nullptr) return options_.reset(wanted);
  // The variables of a local session have gone together with the session.
  if (wanted.target.text.empty()) return absl::OkStatus();
  return ResetTasks(wanted.target.text,
                    {.device_filters = wanted.device_filters,
                     .connect_timeout = wanted.connect_timeout,
                     .cancellation = wanted.cancellation,
                     .on_waiting = wanted.on_waiting});
}

absl::Status RecoverableSession::Implementation::WhatIsLost(
    const std::vector<std::string>& missing) const {
  MutexLock lock(mutex_);
  // In a new cluster all variables are missing at first, and some are still
  // missing while the chief initializes them. This is no loss. A task that is
  // not the chief does not know what the chief is doing, so before its first
  // session it never reports a loss.
  if (!was_ready_ && (!options_.is_chief || initializes_ ||
                      missing.size() >= num_variables_)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      was_ready_ ? "variables that were initialized are initialized no longer: "
                 : "some variables are initialized, but these are not: ",
      Some(missing),
      "; their task was restarted, or their initialization was cut short"));
}

absl::Status RecoverableSession::Implementation::Prepare(SessionPtr& session,
                                                         Time deadline) {
  std::vector<std::string> missing;
  if (!options_.uninitialized.empty()) {
    LEAT_ASSIGN_OR_RETURN(missing, Uninitialized(*session, Left(deadline)));
    if (missing.empty()) return absl::OkStatus();
  } else {
    // Without `uninitialized`, this task cannot tell what is lost.
    MutexLock lock(mutex_);
    if (!options_.is_chief || was_ready_) return absl::OkStatus();
  }
  const absl::Status lost = WhatIsLost(missing);
  if (!lost.ok()) {
    LEAT_ASSIGN_OR_RETURN(const bool replaces, ReplacesLostVariables());
    if (!replaces) return lost;
  }
  if (!options_.is_chief) {
    return WaitForChief(*session, std::move(missing), deadline);
  }
  if (!lost.ok()) {
    // The remaining accumulators and queues would not match newly initialized
    // variables, so all tasks are cleared.
    Log(absl::StrCat(lost.message(), "; all tasks are cleared"));
    session->Close().IgnoreError();
    LEAT_RETURN_IF_ERROR(Reset(deadline));
    LEAT_ASSIGN_OR_RETURN(session, NewSessionUntil(deadline));
  }
  return Initialize(*session, deadline);
}

absl::StatusOr<bool> RecoverableSession::Implementation::ReplacesLostVariables()
    const {
  if (options_.reinitialize || !checkpoints_.are_kept()) {
    return options_.reinitialize;
  }
  if (!options_.is_chief) return true;
  LEAT_ASSIGN_OR_RETURN(const auto prefixes, checkpoints_.Find());
  return !prefixes.empty();
}

absl::Status RecoverableSession::Implementation::Initialize(Session& session,
                                                            Time deadline) {
  {
    MutexLock lock(mutex_);
    initializes_ = true;
  }
  if (checkpoints_.has_saver()) {
    LEAT_ASSIGN_OR_RETURN(
        const bool is_restored,
        checkpoints_.Restore(session, OptionsUntil(deadline)));
    if (is_restored) {
      return CheckInitialized(session, "the checkpoint", deadline);
    }
  }
  Log("the chief initializes the variables");
  LEAT_RETURN_IF_ERROR(RunNode(session, options_.init, deadline));
  LEAT_RETURN_IF_ERROR(CheckInitialized(
      session, absl::StrCat("'", options_.init, "'"), deadline));
  return checkpoints_.has_saver()
             ? checkpoints_.Save(session, OptionsUntil(deadline))
             : absl::OkStatus();
}

absl::Status RecoverableSession::Implementation::CheckInitialized(
    Session& session, absl::string_view what, Time deadline) {
  if (options_.uninitialized.empty()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const std::vector<std::string> missing,
                        Uninitialized(session, Left(deadline)));
  if (missing.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(what, " has not initialized ", Some(missing)));
}

absl::Status RecoverableSession::Implementation::WaitForChief(
    Session& session, std::vector<std::string> missing, Time deadline) {
  Log(absl::StrCat("this task waits for the chief to initialize ",
                   Some(missing)));
  NoticeTimes notices(clock_.Now());
  nanoseconds pause = options_.first_poll;
  while (!missing.empty()) {
    if (Left(deadline) <= pause) {
      return absl::DeadlineExceededError(
          absl::StrCat("the chief has not initialized ", Some(missing),
                       " within ", Text(options_.give_up)));
    }
    if (clock_.Now() >= notices.next()) {
      notices.Pass();
      Log(absl::StrCat(
          "this task is still waiting for the chief to initialize ",
          Some(missing),
          deadline == Time::max()
              ? ""
              : absl::StrCat("; it gives up in ",
                             Text(std::chrono::ceil<std::chrono::seconds>(
                                 Left(deadline))))));
    }
    if (!Sleep(pause)) return ClosedError();
    pause = Doubled(pause, options_.longest_poll);
    auto seen = Uninitialized(session, Left(deadline));
    // The fetch failed because `deadline` is over. The loop checks the deadline
    // next.
    if (absl::IsDeadlineExceeded(seen.status())) continue;
    LEAT_ASSIGN_OR_RETURN(missing, std::move(seen));
  }
  return absl::OkStatus();
}

}  // namespace leat
