// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecoverableSession: a session on a cluster that is made again after a task
// was lost. It begins when the variables are initialized. The chief initializes
// them, and the other workers wait for that.
// (tf.compat.v1.train.MonitoredTrainingSession.)
//
//   LEAT_ASSIGN_OR_RETURN(
//       std::unique_ptr<RecoverableSession> session,
//       RecoverableSession::Create(graph,
//                                  {.session = task->session_options(),
//                                   .init = graph.init_op(),
//                                   .uninitialized = uninitialized.name(),
//                                   .is_chief = task->is_chief()}));
//   auto out = session->Run({.fetches = {loss}});
//   if (IsRecoverable(out.status())) {
//     out = session->Run({.fetches = {loss}});  // makes a new session first
//   }
#ifndef LEAT_TRAIN_RECOVERABLE_SESSION_H_
#define LEAT_TRAIN_RECOVERABLE_SESSION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/train/session.h"

namespace leat {

// The strings are names of nodes or tensors of the graph, or "" for none.
struct RecoverableSessionOptions {
  // Options for each session that is made.
  SessionOptions session = {};
  // The operation that initializes the variables, usually graph.init_op().
  std::string init = {};
  // The tensor UninitializedVariables(builder).name() (readiness.h). Without it
  // the chief runs `init` for its first session only, and the others do not
  // wait.
  std::string uninitialized = {};
  // The operation to run each time a session was made and the variables are
  // ready. For example SyncStep::local_init(is_chief).name().
  std::string local_init = {};
  // The operation that a thread of this object runs again and again while the
  // session lives. For example, on the chief, SyncStep::chief_step.name().
  std::string loop = {};

  // True for the task that runs `init` when no variable is initialized. Other
  // tasks wait for that.
  bool is_chief = false;
  // Says what to do about lost variables, such as those of a parameter server
  // that was restarted. Variables count as lost if they were initialized before
  // or, for a chief that begins, if other variables are initialized. If true,
  // the chief clears the tasks and runs `init`, and the others wait for that.
  // If false, no session is made, and the error is FAILED_PRECONDITION, which
  // names the variables.
  bool reinitialize = false;

  // The time to try to make a session, including the wait for the chief.
  std::chrono::nanoseconds give_up = std::chrono::minutes(10);
  // The pause between attempts to make a session. It doubles each time, up to
  // `longest_pause`.
  std::chrono::nanoseconds first_pause = std::chrono::milliseconds(100);
  std::chrono::nanoseconds longest_pause = std::chrono::seconds(5);
  // The pause between two checks of whether the chief has initialized the
  // variables. It doubles each time, up to `longest_poll`.
  std::chrono::nanoseconds first_poll = std::chrono::milliseconds(100);
  std::chrono::nanoseconds longest_poll = std::chrono::seconds(2);

  // A step may wait for something that another task will never send, because a
  // third task was lost. While a step runs for longer than this time,
  // `uninitialized` is fetched each time this time has passed. If that fails,
  // or finds variables that are gone, the session counts as lost. 0 turns this
  // off.
  std::chrono::nanoseconds check_every = std::chrono::seconds(5);

  // The clock of all these times. Borrowed; null stands for the real one.
  Clock* clock = nullptr;

  // Is told in words what happens: that a session was lost, that an attempt
  // failed, whom this task waits for. Called on the thread on which it happens,
  // one call at a time.
  std::function<void(absl::string_view)> log = {};

  // Replace NewSession and ResetTasks in programs that have their own
  // transports. `session` describes the session that is wanted; its
  // connect_timeout is the time that is left, and its cancellation is cancelled
  // by Close.
  std::function<absl::StatusOr<std::shared_ptr<Session>>(
      const Graph& graph, const SessionOptions& session)>
      new_session = {};
  std::function<absl::Status(const SessionOptions& session)> reset = {};
};

// True for UNAVAILABLE and ABORTED, after which another session may succeed.
bool IsRecoverable(const absl::Status& status);

// Thread-safe. Keeps a copy of the graph and owns its session and threads.
class RecoverableSession {
 public:
  // Returns when the session is ready. Errors that are not recoverable, such as
  // a wrong graph, are returned at once. After `give_up` the last error is
  // returned, with the time that was spent: UNAVAILABLE if no session could be
  // made, DEADLINE_EXCEEDED, naming the variables, if the chief has not
  // initialized them. INVALID_ARGUMENT for a duration that must be positive and
  // is not.
  static absl::StatusOr<std::unique_ptr<RecoverableSession>> Create(
      const Graph& graph, RecoverableSessionOptions options);
  // Calls Close.
  ~RecoverableSession();

  // Runs one step. Its error is returned unchanged, because only the caller
  // knows whether the step may run again although it may have had effects.
  //
  // After a recoverable error, of this call or of `loop`, the next call first
  // makes a new session and fails as Create does. If that fails with a
  // recoverable error, Run may be called again. Any other error of `loop` is
  // returned by all later calls.
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args);

  // The number of sessions made so far. A program that sees it change may have
  // to feed values again that the tasks of the workers had kept.
  int64_t num_sessions() const;

  // Cancels running steps and attempts to make a session. These and all later
  // calls return FAILED_PRECONDITION.
  absl::Status Close();

 private:
  class Implementation;
  explicit RecoverableSession(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_RECOVERABLE_SESSION_H_
