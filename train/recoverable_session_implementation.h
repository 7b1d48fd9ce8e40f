// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Declares the implementation of RecoverableSession, and the texts of its
// messages. Only recoverable_session.cc, which runs steps, and
// make_ready_session.cc, which makes sessions, include this file.
#ifndef LEAT_TRAIN_RECOVERABLE_SESSION_IMPLEMENTATION_H_
#define LEAT_TRAIN_RECOVERABLE_SESSION_IMPLEMENTATION_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/graph.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session_checkpoints.h"

namespace leat {
namespace recoverable_session {

inline std::string Text(std::chrono::nanoseconds duration) {
  return absl::FormatDuration(absl::FromChrono(duration));
}

// Returns `status` with `prefix` before its message.
inline absl::Status Prefixed(const absl::Status& status,
                             absl::string_view prefix) {
  return WithMessage(status, absl::StrCat(prefix, status.message()));
}

// Lists the first names, quoted, and says how many more there are.
inline std::string Some(const std::vector<std::string>& names) {
  constexpr size_t kMaxNames = 10;
  const size_t shown = std::min(names.size(), kMaxNames);
  std::string text = absl::StrCat(
      "'", absl::StrJoin(names.begin(), names.begin() + shown, "', '"), "'");
  if (shown < names.size()) {
    absl::StrAppend(&text, " and ", names.size() - shown, " more");
  }
  return text;
}

}  // namespace recoverable_session

// Is thread-safe.
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
  using Time = Clock::time_point;

  // Describes a session. It is used until something shows that it is lost.
  struct Live {
    SessionPtr session = {};
    // The members below are guarded by mutex_.
    absl::Status lost = {};
    bool ended = false;  // closed, after it was lost
  };
  using LivePtr = std::shared_ptr<Live>;
  // Describes an attempt to make a session. All threads that need a session
  // wait for it.
  struct Making {
    bool done = false;
    absl::Status status = {};
  };
  // Describes a step that is running.
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
  std::chrono::nanoseconds Left(Time deadline) const {
    if (deadline == Time::max()) return std::chrono::nanoseconds::max();
    return deadline - clock_.Now();
  }
  // Returns the time until the deadline, but at least 1 ms, because the
  // deadline may just have passed.
  std::chrono::nanoseconds TimeLeftAtLeast1ms(Time deadline) const {
    return std::max<std::chrono::nanoseconds>(Left(deadline),
                                              std::chrono::milliseconds(1));
  }
  // Returns the options of a step that must end by the deadline.
  RunOptions OptionsUntil(Time deadline) const;
  // Returns the options of a session that must be ready by the deadline.
  SessionOptions WantedUntil(Time deadline);
  // Makes a session, but does not make its variables ready.
  absl::StatusOr<SessionPtr> NewSessionUntil(Time deadline);
  // Deletes the variables and the other state that the tasks hold.
  absl::Status Reset(Time deadline);
  // Makes the variables ready, or waits until the chief has made them ready.
  // May replace `session` by another one.
  absl::Status Prepare(SessionPtr& session, Time deadline);
  // Returns an error if the `missing` variables count as lost
  // (RecoverableSessionOptions::reinitialize). Otherwise returns OK.
  absl::Status WhatIsLost(const std::vector<std::string>& missing) const;
  // Returns true if the chief restores or initializes variables that were lost.
  absl::StatusOr<bool> ReplacesLostVariables() const;
  // Restores a checkpoint, if there is one. Otherwise runs `init` and saves the
  // first checkpoint. Checks that all variables are initialized.
  absl::Status Initialize(Session& session, Time deadline);
  // Returns an error if variables are not initialized. The error says that
  // `what`, such as "the checkpoint", has not initialized them.
  absl::Status CheckInitialized(Session& session, absl::string_view what,
                                Time deadline);
  // Waits until no variable is missing.
  absl::Status WaitForChief(Session& session, std::vector<std::string> missing,
                            Time deadline);

  // BeginStep adds a step to the list of running steps, and EndStep removes it.
  // EndStep returns `status`, or the reason why the session was lost if that
  // loss has ended the step.
  std::list<Running>::iterator BeginStep(const LivePtr& live);
  absl::Status EndStep(std::list<Running>::iterator step,
                       const absl::Status& status);
  // Saves a checkpoint, if the time has come.
  void SaveIfDue(const LivePtr& live);
  // Runs a step for Run or for RunLoop.
  absl::StatusOr<std::vector<Tensor>> RunStep(const LivePtr& live,
                                              const RunArgs& args);
  // Runs the node `name`. Does nothing if `name` is empty.
  absl::Status RunNode(Session& session, const std::string& name,
                       Time deadline);
  // Returns the names of the variables that are not initialized.
  absl::StatusOr<std::vector<std::string>> Uninitialized(
      Session& session, std::chrono::nanoseconds timeout);

  // Marks the session as lost and closes it.
  void Lose(const LivePtr& live, const absl::Status& why);
  // Sleeps for `duration`. Returns false if this object was closed in the
  // meantime.
  bool Sleep(std::chrono::nanoseconds duration);
  void Log(absl::string_view text);
  // Says for how long there has been no session, and why.
  void LogNoSession(absl::string_view why);

  // RunLoop and RunWatch are the bodies of the threads `loop_` and `watch_`.
  void RunLoop();
  void RunWatch();
  // Fetches `uninitialized`. Marks the session as lost if variables are not
  // initialized, or if the fetch fails with a recoverable error.
  void Check(const LivePtr& live, std::chrono::nanoseconds timeout);

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
  // Is true if a session was ready at least once.
  bool was_ready_ ABSL_GUARDED_BY(mutex_) = false;
  // Is true if this task is the chief and has begun to initialize the
  // variables.
  bool initializes_ ABSL_GUARDED_BY(mutex_) = false;
  // Is the unrecoverable error with which the loop has ended, or OK.
  absl::Status failed_ ABSL_GUARDED_BY(mutex_);
  LivePtr live_ ABSL_GUARDED_BY(mutex_);
  // Is the session that is being made. Close closes it, too.
  SessionPtr candidate_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Making> making_ ABSL_GUARDED_BY(mutex_);
  // Is the time at which the last session was lost, or at which this object was
  // made.
  Time no_session_since_ ABSL_GUARDED_BY(mutex_) = clock_.Now();
  int64_t num_sessions_ ABSL_GUARDED_BY(mutex_) = 0;
  // Holds the steps that are running, in the order in which they began.
  std::list<Running> running_ ABSL_GUARDED_BY(mutex_);

  Thread loop_;
  Thread watch_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_RECOVERABLE_SESSION_IMPLEMENTATION_H_
