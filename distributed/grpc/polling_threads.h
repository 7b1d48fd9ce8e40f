// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// PollingThreads: the threads on which gRPC works for a transport and says what
// it has done. Completion: whom it says it to. Thread-safe.
//
// One queue and, up to 15 processors, one thread: gRPC's pollers share one set
// of sockets, so that with two of them nearly each event wakes the other up,
// which its callback API, with two at the least, pays for with half of the time
// of a small call.
//
// A thread that is the only one spins for half a millisecond before it sleeps,
// where cores are idle: what follows from what it did comes soon, and to wake
// it would take longer than the rest of a small call. With more, the one that
// spins is seldom the one whom gRPC lets look at the sockets.
#ifndef LEAT_DISTRIBUTED_GRPC_POLLING_THREADS_H_
#define LEAT_DISTRIBUTED_GRPC_POLLING_THREADS_H_

#include <memory>
#include <thread>
#include <vector>

#include "grpcpp/completion_queue.h"
#include "grpcpp/server_builder.h"
#include "leat/core/mutex.h"

namespace leat {

// Of what gRPC has been asked for; its address is the tag.
class Completion {
 public:
  // Called once for each time it was asked with, on a polling thread, which
  // must not be blocked.
  virtual void End(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// Calls a member function of a `Call`, which it borrows.
template <class Call, void (Call::*kEnd)(bool)>
class CompletionOf final : public Completion {
 public:
  explicit CompletionOf(Call& call) : call_(call) {}
  void End(bool ok) override { (call_.*kEnd)(ok); }

 private:
  Call& call_;
};

class PollingThreads {
 public:
  // As many as the processors want.
  PollingThreads();
  explicit PollingThreads(unsigned num_threads);
  // Waits for the threads. REQUIRES: all that was asked for has been completed,
  // servers that use the queue have been shut down; another thread.
  ~PollingThreads();
  PollingThreads(const PollingThreads&) = delete;
  PollingThreads& operator=(const PollingThreads&) = delete;

  grpc::ServerCompletionQueue* queue() { return queue_.get(); }

  // Of a server that takes its calls from the queue: gRPC wants to be told when
  // a queue is made, so there is one. Null when it has been taken.
  std::unique_ptr<grpc::ServerBuilder> TakeServerBuilder();

 private:
  // `spins`: looks again and again for a moment before it sleeps.
  void Poll(bool spins);

  Mutex mutex_;
  std::unique_ptr<grpc::ServerBuilder> builder_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::vector<std::thread> threads_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRPC_POLLING_THREADS_H_
