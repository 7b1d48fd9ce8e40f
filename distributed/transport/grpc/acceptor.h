// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Acceptor accepts the connections of a listener on a separate thread, and
// closes connections beyond the limits.
//
// gRPC's own listener is not used, for two reasons. If one accept fails because
// the process has no free descriptor, that listener never accepts again.
// Besides, it accepts connections until the process has no descriptors left for
// anything else.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_ACCEPTOR_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_ACCEPTOR_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/transport/grpc/connection_table.h"
#include "leat/distributed/transport/grpc/listening_sockets.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Is thread-safe. Owns the sockets that listen, but no connections.
//
// If a limit of the ConnectionTable is reached, the acceptor accepts a
// connection and closes it immediately, so that the peer notices the refusal.
// If the process has no free descriptor for the connection, the acceptor closes
// its spare descriptor for a moment to get one. If there is no spare descriptor
// either, the acceptor tries again ten times a second.
class Acceptor {
 public:
  // Takes over a connection and its descriptor. Is called on the acceptor's
  // thread. `listening` is the socket that has accepted the connection.
  using Take = std::function<void(int listening, FileDescriptor connection)>;
  // Logs a message for people. Is called on the acceptor's thread. May be null.
  using Log = std::function<void(absl::string_view message)>;

  // Begins to accept connections. Borrows `clock`, by which it limits the rate
  // of log messages. Returns RESOURCE_EXHAUSTED if this process cannot open two
  // descriptors.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Start(
      ListeningSockets listening, ConnectionTable connections, Take take,
      Log log, Clock& clock);
  // Calls Stop.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Waits for the thread and closes the sockets that listen. `take` is not
  // called any more after Stop has returned. Open connections stay open. Is
  // idempotent.
  void Stop();

  // Returns the current result of Listener::connections.
  ConnectionCounts counts();

 private:
  Acceptor(FileDescriptor stop_event, FileDescriptor spare,
           ListeningSockets listening, ConnectionTable connections, Take take,
           Log log, Clock& clock);

  void Run();
  // Waits until a peer wants to connect, the next LookAgain is due, or Stop is
  // called. Returns false after Stop.
  bool WaitForPeers();
  // Accepts the connections that wait at a socket, at most kMaxAtOnce of them.
  void AcceptAll(int listening);
  // Accepts and closes the next connection at a socket. Uses the spare
  // descriptor, because `error` says that no other descriptor is free. Returns
  // false if there was no connection.
  bool CloseWithSpare(int listening, int error);
  // Gives a connection to `take_`, or closes the connection if a limit of the
  // table is reached.
  void Admit(int listening, FileDescriptor connection, const std::string& peer);
  // Counts and logs a connection that was refused. `accepts_none` is true if
  // connections from all other peers would be refused, too.
  void NoteRefusal(absl::string_view peer, const std::string& why,
                   bool accepts_none);
  // Checks whether the acceptor can accept again, and clears `problem_` if so.
  void LookAgain();
  void RemoveClosed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasProblem();

  const Take take_;
  const Log log_;
  Clock& clock_;
  // Stop sets `is_stopping_` and makes the eventfd `stop_event_` readable,
  // which wakes the thread.
  std::atomic<bool> is_stopping_{false};
  const FileDescriptor stop_event_;
  // Is a descriptor that is kept only to be closed when no other one is free
  // (CloseWithSpare). Until Stop has joined the thread, only the thread uses
  // `spare_`, `is_paused_` and `listening_`.
  FileDescriptor spare_;
  // Is true if accepting would fail immediately. WaitForPeers then does not
  // poll the sockets.
  bool is_paused_ = false;
  ListeningSockets listening_;

  Mutex mutex_;
  ConnectionTable connections_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point last_removal_ ABSL_GUARDED_BY(mutex_);
  size_t num_refused_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t refused_before_removal_ ABSL_GUARDED_BY(mutex_) = 0;
  // Says why no connection can be accepted now. Is "" if connections can be
  // accepted.
  std::string problem_ ABSL_GUARDED_BY(mutex_);
  // Is true if the problem was logged.
  bool is_problem_logged_ ABSL_GUARDED_BY(mutex_) = false;
  // `num_unlogged_` counts the connections that were refused after the last
  // refusal that was logged. `last_logged_` is the time of that log message.
  size_t num_unlogged_ ABSL_GUARDED_BY(mutex_) = 0;
  Clock::time_point last_logged_ ABSL_GUARDED_BY(mutex_);

  Mutex stop_mutex_;  // held during Stop
  Thread thread_ ABSL_GUARDED_BY(stop_mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_ACCEPTOR_H_
