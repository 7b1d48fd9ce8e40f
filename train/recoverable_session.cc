// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/recoverable_session.h"

#include <algorithm>
#include <list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/notice_times.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/train/readiness.h"

namespace leat {
namespace {

using std::chrono::nanoseconds;
using Time = Clock::time_point;

constexpr size_t kMaxNames = 10;  // maximum number of names in a message

std::string Text(nanoseconds duration) {
  return absl::FormatDuration(absl::FromChrono(duration));
}

absl::Status Prefixed(const absl::Status& status, absl::string_view prefix) {
  return absl::Status(status.code(), absl::StrCat(prefix, status.message()));
}

// Lists the first names, quoted, and says how many more there are.
std::string Some(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMaxNames);
  std::string text = absl::StrCat(
      "'", absl::StrJoin(names.begin(), names.begin() + shown, "', '"), "'");
  if (shown < names.size()) {
    absl::StrAppend(&text, " and ", names.size() - shown, " more");
  }
  return text;
}

nanoseconds Doubled(nanoseconds pause, nanoseconds longest) {
  return pause > longest / 2 ? longest : 2 * pause;
}

absl::Status ClosedError() {
  return absl::FailedPreconditionError("the session is closed");
}

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

class RecoverableSession::Implementation {
 public:
  Implementation(const Graph& graph, RecoverableSessionOptions options)
      : graph_(graph),
        options_(std::move(options)),
        clock_(options_.clock != nullptr ? *options_.clock : RealClock()),
        num_variables_(NumVariablesOf(graph, options_.uninitialized)),
        checkpoints_(options_.checkpoints, clock_,
                     [this](absl::string_view text) { Log(text); }) {}
  ~Implementation() { Close().IgnoreError(); }

  // Makes the first session and starts the threads that the options ask for.
  // REQUIRES: Start is called once, before all other methods.
  absl::Status Start();
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args);
  absl::Status Save();
  int64_t num_sessions() const;
  absl::Status Close();

 private:
  using SessionPtr = std::shared_ptr<Session>;

  // A session. It is used until something shows that it is lost.
  struct Live {
    SessionPtr session = {};
    // The members below are guarded by mutex_.
    absl::Status lost = {};
    bool ended = false;  // closed, after it was lost
  };
  using LivePtr = std::shared_ptr<Live>;
  // An attempt to make a session. All threads that need a session wait for it.
  struct Making {
    bool done = false;
    absl::Status status = {};
  };
  // A step that is running.
  struct Running {
    LivePtr live = {};
    Time begin = {};
  };

  // Returns the current session. If there is none, makes one or waits for
  // another thread that is making one.
  absl::StatusOr<LivePtr> Acquire();
  // Tries again and again to make a session. Stops when an attempt succeeds or
  // fails with an error that is not recoverable, or when the time `give_up` is
  // over.
  absl::StatusOr<SessionPtr> Make();
  // Tries once to make a session whose variables are ready.
  absl::StatusOr<SessionPtr> Attempt(Time deadline);
  // Returns the time until the deadline.
  nanoseconds Left(Time deadline) const {
    if (deadline == Time::max()) return nanoseconds::max();
    return deadline - clock_.Now();
  }
  // Returns the time until the deadline, but at least 1 ms, because the
  // deadline may just have passed.
  nanoseconds TimeLeftAtLeast1ms(Time deadline) const {
    return std::max<nanoseconds>(Left(deadline), std::chrono::milliseconds(1));
  }
  // Returns the options of a step that must end by the deadline.
  RunOptions OptionsUntil(Time deadline) const;
  // Returns the options of a session that must be ready by the deadline.
  SessionOptions WantedUntil(Time deadline);
  // Makes a session whose variables may not be ready yet.
  absl::StatusOr<SessionPtr> NewSessionUntil(Time deadline);
  // Deletes the variables and the other state that the tasks hold.
  absl::Status Reset(Time deadline);
  // Makes the variables ready, or waits until the chief has done so. May
  // replace `session` by another one.
  absl::Status Prepare(SessionPtr& session, Time deadline);
  // Returns an error if the `missing` variables count as lost
  // (RecoverableSessionOptions::reinitialize). Otherwise returns OK.
  absl::Status WhatIsLost(const std::vector<std::string>& missing) const;
  // Returns true if variables that were lost come back: the chief restores or
  // initializes them.
  absl::StatusOr<bool> ReplacesLostVariables() const;
  // Restores a checkpoint, if there is one. Otherwise runs `init` and saves the
  // first checkpoint. Checks that all variables are initialized.
  absl::Status Initialize(Session& session, Time deadline);
  // Returns an error if `what` has left variables uninitialized.
  absl::Status CheckInitialized(Session& session, absl::string_view what,
                                Time deadline);
  // Waits until no variable is missing.
  absl::Status WaitForChief(Session& session, std::vector<std::string> missing,
                            Time deadline);

  // Keep the list of the running steps. EndStep returns the status of the step,
  // or why the session was lost if that has ended the step.
  std::list<Running>::iterator BeginStep(const LivePtr& live);
  absl::Status EndStep(std::list<Running>::iterator step,
                       const absl::Status& status);
  // Saves a checkpoint, if the time has come.
  void SaveIfDue(const LivePtr& live);
  // Runs a step of the program or of the loop.
  absl::StatusOr<std::vector<Tensor>> RunStep(const LivePtr& live,
                                              const RunArgs& args);
  // Runs the node `name`. Does nothing if `name` is empty.
  absl::Status RunNode(Session& session, const std::string& name,
                       Time deadline);
  // Returns the names of the variables that are not initialized.
  absl::StatusOr<std::vector<std::string>> Uninitialized(Session& session,
                                                         nanoseconds timeout);

  // Marks the session as lost and closes it.
  void Lose(const LivePtr& live, const absl::Status& why);
  // Sleeps for `duration`. Returns false if this object was closed in the
  // meantime.
  bool Sleep(nanoseconds duration);
  void Log(absl::string_view text);
  // Says for how long there has been no session, and why.
  void LogNoSession(absl::string_view why);

  // The bodies of the threads `loop_` and `watch_`.
  void RunLoop();
  void RunWatch();
  // Fetches `uninitialized`. Marks the session as lost if variables are not
  // initialized, or if the fetch fails with a recoverable error.
  void Check(const LivePtr& live, nanoseconds timeout);

  const Graph graph_;
  const RecoverableSessionOptions options_;
  Clock& clock_;
  const size_t num_variables_;  // 0: not known
  SessionCheckpoints checkpoints_;
  // Cancels attempts to make a session when this object is closed.
  const std::shared_ptr<Cancellation> cancellation_ =
      std::make_shared<Cancellation>();
  Mutex log_mutex_;

  mutable Mutex mutex_;
  CondVar changed_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  // True if a session was ready at least once.
  bool was_ready_ ABSL_GUARDED_BY(mutex_) = false;
  // True if this task is the chief and has begun to initialize the variables.
  bool initializes_ ABSL_GUARDED_BY(mutex_) = false;
  // The error of the loop that is not recoverable, or OK.
  absl::Status failed_ ABSL_GUARDED_BY(mutex_);
  LivePtr live_ ABSL_GUARDED_BY(mutex_);
  // The session that is being made. Close closes it, too.
  SessionPtr candidate_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Making> making_ ABSL_GUARDED_BY(mutex_);
  // The time at which the last session was lost, or at which this object was
  // made.
  Time no_session_since_ ABSL_GUARDED_BY(mutex_) = clock_.Now();
  int64_t num_sessions_ ABSL_GUARDED_BY(mutex_) = 0;
  // The steps that are running, in the order in which they began.
  std::list<Running> running_ ABSL_GUARDED_BY(mutex_);

  Thread loop_;
  Thread watch_;
};

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

// ---- Making a session ----

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
