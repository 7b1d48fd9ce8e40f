// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/recoverable_session.h"

#include <chrono>
#include <list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/train/recoverable_session_implementation.h"

namespace leat {
namespace {

using recoverable_session::Prefixed;
using recoverable_session::Some;
using recoverable_session::Text;
using std::chrono::nanoseconds;

// Returns true for the errors of a step whose session was closed while the step
// ran.
bool IsOfClosedSession(const absl::Status& status) {
  return absl::IsCancelled(status) || absl::IsFailedPrecondition(status) ||
         absl::IsAborted(status);
}

// Returns INVALID_ARGUMENT if a duration is not positive.
absl::Status CheckOptions(const RecoverableSessionOptions& options) {
  const std::pair<const char*, nanoseconds> durations[] = {
      {"give_up", options.give_up},
      {"first_pause", options.first_pause},
      {"longest_pause", options.longest_pause},
      {"first_poll", options.first_poll},
      {"longest_poll", options.longest_poll},
      {"checkpoints.save_every", options.checkpoints.save_every},
      {"checkpoints.save_timeout", options.checkpoints.save_timeout}};
  for (const auto& [name, duration] : durations) {
    if (duration > nanoseconds(0)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, " must be positive, got ", Text(duration)));
  }
  if (options.checkpoints.saver != nullptr &&
      (options.checkpoints.path.empty() ||
       options.checkpoints.global_step.empty())) {
    return absl::InvalidArgumentError(
        "checkpoints.saver needs checkpoints.path and checkpoints.global_step");
  }
  if (options.is_chief && !options.checkpoints.path.empty() &&
      options.checkpoints.saver == nullptr) {
    return absl::InvalidArgumentError(
        "the chief of a training with checkpoints.path needs a "
        "checkpoints.saver");
  }
  return absl::OkStatus();
}

}  // namespace

bool IsRecoverable(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsAborted(status);
}

absl::Status RecoverableSession::Implementation::Start() {
  LEAT_RETURN_IF_ERROR(CheckOptions(options_));
  LEAT_RETURN_IF_ERROR(Acquire());
  if (!options_.loop.empty())
    loop_ = Thread("leat-loop", [this] { RunLoop(); });
  if (options_.check_every > nanoseconds(0) &&
      !options_.uninitialized.empty()) {
    watch_ = Thread("leat-watch", [this] { RunWatch(); });
  }
  return absl::OkStatus();
}

absl::Status RecoverableSession::Implementation::Close() {
  SessionPtr open[2];
  {
    MutexLock lock(mutex_);
    if (closed_) return absl::OkStatus();
    closed_ = true;
    if (live_ != nullptr) open[0] = live_->session;
    open[1] = candidate_;
  }
  changed_.NotifyAll();
  cancellation_->Cancel(absl::CancelledError("the session was closed"));
  absl::Status status;
  for (const SessionPtr& session : open) {
    if (session != nullptr) status.Update(session->Close());
  }
  loop_.Join();
  watch_.Join();
  checkpoints_.Wait();
  return status;
}

int64_t RecoverableSession::Implementation::num_sessions() const {
  MutexLock lock(mutex_);
  return num_sessions_;
}

void RecoverableSession::Implementation::Log(absl::string_view text) {
  if (options_.log == nullptr) return;
  MutexLock lock(log_mutex_);
  options_.log(text);
}

void RecoverableSession::Implementation::LogNoSession(absl::string_view why) {
  std::chrono::seconds since(0);
  {
    MutexLock lock(mutex_);
    since = std::chrono::floor<std::chrono::seconds>(clock_.Now() -
                                                     no_session_since_);
  }
  Log(absl::StrCat(
      since < std::chrono::seconds(1)
          ? "there is no session"
          : absl::StrCat("there has been no session for ", Text(since)),
      ": ", why));
}

bool RecoverableSession::Implementation::Sleep(nanoseconds duration) {
  const Time end = clock_.After(duration);
  MutexLock lock(mutex_);
  while (!closed_ && clock_.Now() < end) {
    clock_.WaitUntil(changed_, mutex_, end);
  }
  return !closed_;
}

void RecoverableSession::Implementation::Lose(const LivePtr& live,
                                              const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    if (!live->lost.ok() || closed_) return;
    live->lost = why;
    no_session_since_ = clock_.Now();
  }
  Log(absl::StrCat("the session is lost: ", why.message()));
  // Closes the session, because its other steps might wait for ever.
  live->session->Close().IgnoreError();
  {
    MutexLock lock(mutex_);
    live->ended = true;
  }
  changed_.NotifyAll();
}

// ---- Steps ----

absl::Status RecoverableSession::Implementation::RunNode(
    Session& session, const std::string& name, Time deadline) {
  if (name.empty()) return absl::OkStatus();
  return session.Run({.targets = {name}, .options = OptionsUntil(deadline)})
      .status();
}

RunOptions RecoverableSession::Implementation::OptionsUntil(
    Time deadline) const {
  if (deadline == Time::max()) return {};
  return {.timeout = Left(deadline)};
}

absl::StatusOr<std::vector<std::string>>
RecoverableSession::Implementation::Uninitialized(Session& session,
                                                  nanoseconds timeout) {
  RunArgs args{.fetches = {options_.uninitialized}};
  if (timeout != nanoseconds::max()) args.options.timeout = timeout;
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched, session.Run(args));
  if (fetched.size() != 1 || fetched[0].dtype() != DType::kString) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", options_.uninitialized,
                     "' must be a tensor of strings, the names of variables"));
  }
  const auto names = fetched[0].data<std::string>();
  return std::vector<std::string>(names.begin(), names.end());
}

std::list<RecoverableSession::Implementation::Running>::iterator
RecoverableSession::Implementation::BeginStep(const LivePtr& live) {
  std::list<Running> step = {{.live = live, .begin = clock_.Now()}};
  const auto position = step.begin();
  MutexLock lock(mutex_);
  running_.splice(running_.end(), step);
  return position;
}

absl::Status RecoverableSession::Implementation::EndStep(
    std::list<Running>::iterator step, const absl::Status& status) {
  MutexLock lock(mutex_);
  const LivePtr live = step->live;
  running_.erase(step);
  return !live->lost.ok() && IsOfClosedSession(status) ? live->lost : status;
}

absl::StatusOr<std::vector<Tensor>> RecoverableSession::Implementation::RunStep(
    const LivePtr& live, const RunArgs& args) {
  const auto step = BeginStep(live);
  absl::StatusOr<std::vector<Tensor>> result = live->session->Run(args);
  LEAT_RETURN_IF_ERROR(EndStep(step, result.status()));
  return result;
}

void RecoverableSession::Implementation::SaveIfDue(const LivePtr& live) {
  if (!checkpoints_.IsDue()) return;
  const auto step = BeginStep(live);
  checkpoints_.SaveIfDue(*live->session);
  EndStep(step, absl::OkStatus()).IgnoreError();
}

absl::Status RecoverableSession::Implementation::Save() {
  if (!checkpoints_.has_saver()) {
    return absl::FailedPreconditionError("the session has no saver");
  }
  LEAT_ASSIGN_OR_RETURN(const LivePtr live, Acquire());
  const auto step = BeginStep(live);
  const absl::Status status = EndStep(step, checkpoints_.Save(*live->session));
  if (IsRecoverable(status)) Lose(live, status);
  return status;
}

absl::StatusOr<std::vector<Tensor>> RecoverableSession::Implementation::Run(
    const RunArgs& args) {
  LEAT_ASSIGN_OR_RETURN(const LivePtr live, Acquire());
  absl::StatusOr<std::vector<Tensor>> result = RunStep(live, args);
  if (result.ok() && options_.loop.empty()) SaveIfDue(live);
  if (IsRecoverable(result.status())) Lose(live, result.status());
  // The step may have failed because the chief has just cleared the variables
  // in order to initialize or restore them. In that case the session is lost,
  // too.
  if ((options_.reinitialize || checkpoints_.are_kept()) &&
      !options_.uninitialized.empty() &&
      absl::IsFailedPrecondition(result.status())) {
    Check(live, options_.give_up);
    MutexLock lock(mutex_);
    if (!live->lost.ok()) return live->lost;
  }
  return result;
}

// ---- Threads ----

void RecoverableSession::Implementation::RunLoop() {
  const RunArgs args{.targets = {options_.loop}};
  LivePtr last;
  for (;;) {
    LivePtr live;
    {
      MutexLock lock(mutex_);
      // Waits for the next session. A thread that calls Run makes it.
      while (!closed_ && (live_ == nullptr || live_ == last)) {
        changed_.Wait(mutex_);
      }
      if (closed_) return;
      live = last = live_;
    }
    absl::Status status;
    while (status.ok()) {
      status = RunStep(live, args).status();
      if (status.ok()) SaveIfDue(live);
    }
    // The loop has ended, because its queue was closed. It runs again in the
    // next session.
    if (absl::IsOutOfRange(status) || absl::IsCancelled(status)) continue;
    if (!IsRecoverable(status)) {
      MutexLock lock(mutex_);
      if (closed_) return;
      if (live->lost.ok()) failed_ = Prefixed(status, "the loop has failed: ");
    }
    Lose(live, status);
  }
}

void RecoverableSession::Implementation::RunWatch() {
  for (;;) {
    if (!Sleep(options_.check_every)) return;
    LivePtr live;
    {
      MutexLock lock(mutex_);
      const Time old = clock_.Now() - options_.check_every;
      for (const Running& step : running_) {
        if (step.begin <= old && step.live == live_ && live_->lost.ok()) {
          live = live_;
        }
      }
    }
    if (live != nullptr) Check(live, options_.check_every);
  }
}

void RecoverableSession::Implementation::Check(const LivePtr& live,
                                               nanoseconds timeout) {
  const absl::StatusOr<std::vector<std::string>> missing =
      Uninitialized(*live->session, timeout);
  if (!missing.ok()) {
    if (IsRecoverable(missing.status())) Lose(live, missing.status());
  } else if (!missing->empty()) {
    Lose(live, absl::UnavailableError(absl::StrCat(
                   "variables are no longer initialized: ", Some(*missing))));
  }
}

// ---- RecoverableSession ----

RecoverableSession::RecoverableSession(
    std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

RecoverableSession::~RecoverableSession() = default;

absl::StatusOr<std::unique_ptr<RecoverableSession>> RecoverableSession::Create(
    const Graph& graph, RecoverableSessionOptions options) {
  auto implementation =
      std::make_unique<Implementation>(graph, std::move(options));
  LEAT_RETURN_IF_ERROR(StartThreads([&] { return implementation->Start(); }));
  return std::unique_ptr<RecoverableSession>(
      new RecoverableSession(std::move(implementation)));
}

absl::StatusOr<std::vector<Tensor>> RecoverableSession::Run(
    const RunArgs& args) {
  return implementation_->Run(args);
}

int64_t RecoverableSession::num_sessions() const {
  return implementation_->num_sessions();
}

absl::Status RecoverableSession::Save() { return implementation_->Save(); }

absl::Status RecoverableSession::Close() { return implementation_->Close(); }

}  // namespace leat
