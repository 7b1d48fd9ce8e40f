// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecoverableSession runs steps in a session on a cluster, and makes a new
// session after a task was lost. A session is ready when the variables are
// initialized. The chief initializes them, and the other workers wait for the
// chief. (tf.compat.v1.train.MonitoredTrainingSession.) If variables were lost
// and there is a checkpoint, the training continues from the latest one.
//
//   LEAT_ASSIGN_OR_RETURN(
//       std::unique_ptr<RecoverableSession> session,
//       RecoverableSession::Create(graph,
//                                  {.session = task->session_options(),
//                                   .init = graph.init_op(),
//                                   .uninitialized = uninitialized.name(),
//                                   .is_chief = task->is_chief(),
//                                   .checkpoints = {
//                                       .path = "/models/mnist/model.ckpt",
//                                       .saver = std::make_shared<Saver>(b),
//                                       .global_step = "global_step"}}));
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
#include "leat/train/session_checkpoints.h"

namespace leat {

// The strings are names of nodes or tensors of the graph, or "" for none.
struct RecoverableSessionOptions {
  // Holds the options for each session that is made.
  SessionOptions session = {};
  // Is the operation that initializes the variables, usually graph.init_op().
  std::string init = {};
  // Is the tensor UninitializedVariables(builder).name() (readiness.h). If it
  // is empty, the chief runs `init` for its first session only, and the other
  // tasks do not wait for the chief.
  std::string uninitialized = {};
  // Is the operation to run in each new session as soon as the variables are
  // ready. For example, SyncStep::local_init(is_chief).name().
  std::string local_init = {};
  // Is the operation that a thread of this object runs again and again while
  // the session lives. For example, on the chief, SyncStep::chief_step.name().
  std::string loop = {};

  // Is true for the task that runs `init` when no variable is initialized. The
  // other tasks wait until the variables are initialized.
  bool is_chief = false;
  // Says where the variables are saved. If a checkpoint exists when variables
  // must be initialized, the chief restores it and does not run `init`. If a
  // variable is lost, the chief clears the tasks and restores the latest
  // checkpoint. Variables that are initialized stay as they are, because they
  // are newer than any checkpoint. After the chief has run `init`, it saves the
  // first checkpoint.
  //
  // A checkpoint is saved when a step of `loop` has ended or, without `loop`, a
  // step of Run. Reading the variables delays the end of that step; the files
  // are written while the training goes on. If a save fails, the training
  // goes on, too, and the error is logged. (If the first checkpoint after
  // `init` cannot be saved, no session is made.) Close ends a checkpoint that
  // is being written.
  CheckpointOptions checkpoints = {};
  // Decides what happens if variables are lost, for example because a parameter
  // server was restarted, and there is no checkpoint. After this object has had
  // a session, every variable that is not initialized counts as lost. A chief
  // that has just started counts such a variable as lost if other variables are
  // initialized. If `reinitialize` is true, the chief clears the tasks and runs
  // `init`, and the other tasks wait for the chief. If it is false, no session
  // is made, and the error is FAILED_PRECONDITION, naming the variables.
  bool reinitialize = false;

  // Limits the time for making a session, including the wait for the chief.
  std::chrono::nanoseconds give_up = std::chrono::minutes(10);
  // `first_pause` is the pause between the first two attempts to make a
  // session. The pause doubles each time, up to `longest_pause`.
  std::chrono::nanoseconds first_pause = std::chrono::milliseconds(100);
  std::chrono::nanoseconds longest_pause = std::chrono::seconds(5);
  // While this task waits for the chief, it checks again and again whether the
  // variables are initialized. `first_poll` is the pause between the first two
  // checks. The pause doubles each time, up to `longest_poll`.
  std::chrono::nanoseconds first_poll = std::chrono::milliseconds(100);
  std::chrono::nanoseconds longest_poll = std::chrono::seconds(2);

  // If a task is lost, a step on other tasks may wait for ever. A thread
  // therefore looks at the running steps at intervals of this length. If a step
  // has run for longer than such an interval, the thread fetches
  // `uninitialized`. The session counts as lost if such a fetch fails with a
  // recoverable error or finds variables that are not initialized. 0 turns the
  // fetches off.
  std::chrono::nanoseconds check_every = std::chrono::seconds(2);

  // Is the clock of all these times. Is borrowed; null stands for the real
  // clock.
  Clock* clock = nullptr;

  // Is called with a sentence about each event. Events are: a session was lost,
  // an attempt has failed or has waited for a long time, the chief clears the
  // tasks or initializes the variables, or this task waits for the chief.
  // Sentences about attempts say for how long there has been no session. They
  // replace the calls of `session.on_waiting`. Runs on the thread on which the
  // event happens. Calls do not overlap.
  std::function<void(absl::string_view)> log = {};

  // `new_session` replaces NewSession and `reset` replaces ResetTasks, for
  // programs that have their own transports. Their argument `session` describes
  // the wanted session. `session.connect_timeout` is at most the time that is
  // left of `give_up`. RecoverableSession::Close cancels
  // `session.cancellation`.
  std::function<absl::StatusOr<std::shared_ptr<Session>>(
      const Graph& graph, const SessionOptions& session)>
      new_session = {};
  std::function<absl::Status(const SessionOptions& session)> reset = {};
};

// Returns true for UNAVAILABLE and ABORTED. After these errors, another session
// may succeed.
bool IsRecoverable(const absl::Status& status);

// Is thread-safe. Keeps a copy of the graph and owns its session and threads.
class RecoverableSession {
 public:
  // Returns when the session is ready. Errors that are not recoverable, such as
  // a wrong graph, are returned at once. When `give_up` is over, Create returns
  // one of these errors. If no session could be made, it returns the last
  // error, such as UNAVAILABLE, with the time that was spent. If the chief has
  // not initialized the variables, it returns DEADLINE_EXCEEDED, naming the
  // variables. Returns INVALID_ARGUMENT if a duration from `give_up` to
  // `longest_poll` is not positive.
  static absl::StatusOr<std::unique_ptr<RecoverableSession>> Create(
      const Graph& graph, RecoverableSessionOptions options);
  // Calls Close.
  ~RecoverableSession();

  // Runs one step and returns its error, if any. Run never repeats a step. A
  // step that fails may already have had effects, so only the caller knows
  // whether it may run again.
  //
  // After a recoverable error of Run or of `loop`, the next call of Run first
  // makes a new session. If this fails, Run returns the error that Create would
  // return. If that error is recoverable, Run may be called again. If `loop`
  // fails with OUT_OF_RANGE or CANCELLED, `loop` pauses until the next session.
  // If `loop` fails with any other error that is not recoverable, all later
  // calls of Run return that error.
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args);

  // Saves a checkpoint now, for example at the end of a training. Returns
  // FAILED_PRECONDITION if there is no saver. If a new session is needed and
  // cannot be made, returns the same error as Run. Also returns the errors of
  // Saver::Save.
  absl::Status Save();

  // Returns the number of sessions made so far. If the number has
  // changed, a worker's task may have been lost together with values that the
  // program had fed to it. The program may then have to feed these values
  // again.
  int64_t num_sessions() const;

  // Cancels the running steps, so that they fail. Also cancels the running
  // attempt to make a session. Calls that wait for the attempt, and all later
  // calls of Run, return FAILED_PRECONDITION.
  absl::Status Close();

 private:
  class Implementation;
  explicit RecoverableSession(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_RECOVERABLE_SESSION_H_
