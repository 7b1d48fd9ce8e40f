// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PollingThreads: the threads on which gRPC does the work of a transport and
// reports what it has completed. Completion: the receiver of such a report.
//
// There is one completion queue and, for up to 15 processors, one thread.
// gRPC's pollers share one set of sockets, so with two of them nearly each
// event wakes the other thread up, too. gRPC's callback API, which has two
// pollers at the least, pays for that with half of the time of a small call.
//
// A thread that is alone spins for half a millisecond before it sleeps, if
// cores are idle. The next event often comes soon, and waking the thread would
// take longer than the rest of a small call. Several threads do not spin,
// because the thread that spins would seldom be the one that gRPC lets look at
// the sockets.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_POLLING_THREADS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_POLLING_THREADS_H_

#include <memory>
#include <thread>
#include <vector>

#include "grpcpp/completion_queue.h"
#include "grpcpp/server_builder.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Receives the end of an operation that gRPC was asked for. Its address is the
// operation's tag, so it must live until End is called.
class Completion {
 public:
  // Called once for each operation, on a polling thread, which it must not
  // block. `ok` is gRPC's result of the operation.
  virtual void End(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// A Completion that calls the member function `kEnd` of `call`, which it
// borrows. It is meant to be a member of that object.
template <class Call, void (Call::*kEnd)(bool)>
class CompletionOf final : public Completion {
 public:
  explicit CompletionOf(Call& call) : call_(call) {}
  void End(bool ok) override { (call_.*kEnd)(ok); }

 private:
  Call& call_;
};

// A completion queue and the threads that poll it. Thread-safe.
class PollingThreads {
 public:
  // Starts one thread for every eight processors, at least one and at most
  // eight.
  PollingThreads();
  // Starts `num_threads` threads.
  explicit PollingThreads(unsigned num_threads);
  // Shuts the queue down and waits for the threads. REQUIRES: every operation
  // has been completed, servers that use the queue have been shut down, and
  // this is not called on one of the threads.
  ~PollingThreads();
  PollingThreads(const PollingThreads&) = delete;
  PollingThreads& operator=(const PollingThreads&) = delete;

  grpc::ServerCompletionQueue* queue() { return queue_.get(); }

  // Returns the builder for a server that takes its calls from the queue, or
  // null if it has been taken already. There is only one, because gRPC must be
  // told, when the queue is made, that a server will use it.
  std::unique_ptr<grpc::ServerBuilder> TakeServerBuilder();

 private:
  // The loop of a thread. With `spins` it looks at the queue again and again
  // for a moment before it sleeps.
  void Poll(bool spins);

  Mutex mutex_;
  std::unique_ptr<grpc::ServerBuilder> builder_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::vector<std::thread> threads_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_POLLING_THREADS_H_
