// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Acceptor: accepts the connections of a listener on a thread of its own, and
// closes those that are too many.
//
// gRPC has a listener, too. But after one accept that failed for want of a
// descriptor gRPC's listener never accepts again. And it takes connections
// until the process has no descriptors left for anything else.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_ACCEPTOR_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_ACCEPTOR_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/file_descriptor.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/transport/grpc/connection_table.h"
#include "leat/distributed/transport/grpc/listening_sockets.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Thread-safe. Owns the sockets that listen, but no connection.
//
// A connection that the table has no room for is accepted and closed at once,
// so that its peer knows. If the process has no descriptor left to accept it
// with, the acceptor gives up a spare one for that moment. If there is not even
// a spare one, the acceptor tries again ten times a second.
class Acceptor {
 public:
  // Receives a connection, whose descriptor it then owns. Runs on the
  // acceptor's thread. `listening` is the socket that has accepted it.
  using Take = std::function<void(int listening, FileDescriptor connection)>;
  // Says a sentence to people, on the acceptor's thread. May be null.
  using Log = std::function<void(absl::string_view message)>;

  // Begins to accept. Borrows `clock`, by which messages are not too many.
  // Returns RESOURCE_EXHAUSTED if this process may not open two descriptors.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Start(
      ListeningSockets listening, ConnectionTable connections, Take take,
      Log log, Clock& clock);
  // Calls Stop.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Closes the sockets that listen and waits for the thread, after which `take`
  // is not called any more. Open connections stay open. Idempotent.
  void Stop();

  // Returns what the listener reports of its connections now.
  ConnectionCounts counts();

 private:
  Acceptor(FileDescriptor stop_event, FileDescriptor spare,
           ListeningSockets listening, ConnectionTable connections, Take take,
           Log log, Clock& clock);

  void Run();
  // Waits until a peer wants to connect, until it is time to look again whether
  // the acceptor can accept, or until Stop. Returns false after Stop.
  bool WaitForPeers();
  // Accepts what waits at a socket, up to a bound.
  void AcceptAll(int listening);
  // Accepts and closes the connection that waits at a socket, for which there
  // is no descriptor but the spare one.
  void CloseWithSpare(int listening, int error);
  // Hands a connection on, or closes it if the table has no room.
  void Admit(int listening, FileDescriptor connection, const std::string& peer);
  // Counts a connection that was closed at once, and tells the log. If
  // `accepts_none` is true, a connection of another peer would fare no better.
  void NoteRefusal(absl::string_view peer, const std::string& why,
                   bool accepts_none);
  // Finds out whether what kept the acceptor from accepting is over.
  void LookAgain();
  void RemoveClosed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasProblem();

  const Take take_;
  const Log log_;
  Clock& clock_;
  // Stop makes it readable.
  const FileDescriptor stop_event_;
  // A descriptor that is of no use but that it can be given up. Used by the
  // thread only, like the next two members.
  FileDescriptor spare_;
  // True if accepting would fail at once, so that the thread must not look at
  // the sockets for a moment.
  bool is_paused_ = false;
  ListeningSockets listening_;

  Mutex mutex_;
  ConnectionTable connections_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point last_removal_ ABSL_GUARDED_BY(mutex_);
  size_t num_refused_ ABSL_GUARDED_BY(mutex_) = 0;
  // Why no connection can be accepted now, or "".
  std::string problem_ ABSL_GUARDED_BY(mutex_);
  // True if the log was told about the problem.
  bool is_problem_logged_ ABSL_GUARDED_BY(mutex_) = false;
  // Refusals that the log has not been told about, and when it was told last.
  size_t num_unlogged_ ABSL_GUARDED_BY(mutex_) = 0;
  Clock::time_point last_logged_ ABSL_GUARDED_BY(mutex_);

  Mutex stop_mutex_;  // held during Stop
  Thread thread_ ABSL_GUARDED_BY(stop_mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_ACCEPTOR_H_
