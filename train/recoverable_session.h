// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecoverableSession: a session on a cluster that is made again after a task
// was lost, and begins only when the variables are initialized: by the chief,
// for whom the others wait. (tf.compat.v1.train.MonitoredTrainingSession.)
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
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/train/session.h"

namespace leat {

// Names are of the graph's nodes or tensors; "": none.
struct RecoverableSessionOptions {
  SessionOptions session = {};
  // Initializes the variables: graph.init_op().
  std::string init = {};
  // UninitializedVariables(builder).name() (readiness.h). Empty: the chief
  // runs `init` for its first session, the others wait for nothing.
  std::string uninitialized = {};
  // Run whenever a session was made and the variables are ready, such as
  // SyncStep::local_init(is_chief).name().
  std::string local_init = {};
  // Run over and over by a thread of this object's, such as, for the chief,
  // SyncStep::chief_step.name().
  std::string loop = {};

  // Runs `init` when no variable is initialized; others wait for that.
  bool is_chief = false;
  // Variables that are lost, as those of a parameter server that was restarted,
  // because they were there once or, for a chief that begins, because others
  // are: the chief clears the tasks and runs `init`, the others wait for it.
  // Else FAILED_PRECONDITION naming them.
  bool reinitialize = false;

  // How long to try to make a session, and to wait for the chief.
  std::chrono::nanoseconds give_up = std::chrono::minutes(10);
  // Between attempts to make a session, twice as long each time.
  std::chrono::nanoseconds first_pause = std::chrono::milliseconds(100);
  std::chrono::nanoseconds longest_pause = std::chrono::seconds(5);
  // Between looks at variables that the chief initializes, in the same way.
  std::chrono::nanoseconds first_poll = std::chrono::milliseconds(100);
  std::chrono::nanoseconds longest_poll = std::chrono::seconds(2);

  // A step may wait for what another task will never send, because a third was
  // lost. While one runs for longer than this, `uninitialized` is asked again
  // as often; when that fails, or finds variables gone, the session is lost. 0:
  // never.
  std::chrono::nanoseconds check_every = std::chrono::seconds(5);

  // Told in words what happens: a session was lost, an attempt failed, who is
  // waited for. On the thread that it happens on, one call at a time.
  std::function<void(absl::string_view)> log = {};

  // Instead of NewSession and ResetTasks, for programs with transports of
  // their own. `session` is what is wanted, its connect_timeout what is left,
  // its cancellation that of Close.
  std::function<absl::StatusOr<std::shared_ptr<Session>>(
      const Graph& graph, const SessionOptions& session)>
      new_session = {};
  std::function<absl::Status(const SessionOptions& session)> reset = {};
};

// UNAVAILABLE and ABORTED: another session may do better.
bool IsRecoverable(const absl::Status& status);

// Thread-safe.
class RecoverableSession {
 public:
  // Returns once the session is ready. What went wrong last, and how long it
  // was tried, after `give_up`: UNAVAILABLE when no session could be made,
  // DEADLINE_EXCEEDED naming the variables that the chief has not initialized.
  // What is not recoverable, such as a wrong graph, is not tried again.
  static absl::StatusOr<std::unique_ptr<RecoverableSession>> Create(
      const Graph& graph, RecoverableSessionOptions options);
  // Close.
  ~RecoverableSession();

  // A step. Its error is given as it is: whether it had effects, and may run
  // again, is the caller's business. After a recoverable one, of this call or
  // of the loop, the next call makes a new session first and fails as Create
  // does; it may then be tried again. Another error of the loop is given by all
  // calls from then on.
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args);

  // Sessions made so far. A program that sees it change may have to feed again
  // what a worker's task had.
  int64_t num_sessions() const;

  // Cancels what runs, and the attempts to make a session; these and later
  // calls are FAILED_PRECONDITION.
  absl::Status Close();

 private:
  class Implementation;
  explicit RecoverableSession(std::unique_ptr<Implementation> implementation);
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_RECOVERABLE_SESSION_H_
