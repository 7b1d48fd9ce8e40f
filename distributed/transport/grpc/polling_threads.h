// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PollingThreads has the threads on which gRPC does the work of a transport and
// reports completed operations. A Completion receives the report of one
// operation.
//
// There is one completion queue. On machines with up to 15 processors, one
// thread polls it. gRPC's pollers share one set of sockets, so with two
// pollers, nearly every event also wakes the other thread. gRPC's callback API
// has at least two pollers, and the second one takes half of the time of a
// small call.
//
// A single thread spins for half a millisecond before it sleeps, if cores are
// idle. The next event often comes soon, and waking the thread would take
// longer than the rest of a small call. Several threads do not spin. gRPC lets
// only one thread at a time look at the sockets, and a spinning thread would
// seldom be that thread.
//
// A thread that waits for the answer to a call may poll in place of a single
// polling thread (PollUntil), which rests meanwhile. Then no thread has to wake
// another one when the answer comes.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_GRPC_POLLING_THREADS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_GRPC_POLLING_THREADS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/server_builder.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Receives the report that an operation of gRPC has ended. The address of the
// Completion is the tag of the operation, so the Completion must live until End
// is called.
class Completion {
 public:
  // Is called once for each operation, on a thread that polls, which it must
  // not block. `ok` is gRPC's result of the operation.
  virtual void End(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// Is a Completion that calls the member function `kEnd` of `call`. It borrows
// `call`, and is meant to be a member of `call`.
template <class Call, void (Call::*kEnd)(bool)>
class CompletionOf final : public Completion {
 public:
  explicit CompletionOf(Call& call) : call_(call) {}
  void End(bool ok) override { (call_.*kEnd)(ok); }

 private:
  Call& call_;
};

// Holds a completion queue and the threads that poll it. Is thread-safe.
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

  // Returns the builder for a server that takes its calls from the queue.
  // Returns null if the builder has been taken already. There is only one
  // builder, because the server must be built by the builder that made the
  // queue.
  std::unique_ptr<grpc::ServerBuilder> TakeServerBuilder();

  // Polls on the calling thread until `is_done` returns true, or for as long as
  // a polling thread would spin. The polling thread rests from then on, until
  // EndRest is called or nobody has polled for a moment. Does nothing if there
  // are several polling threads, if a server takes calls from the queue, or
  // while another thread is in PollUntil. The caller must hold no lock, because
  // completions run on this thread.
  void PollUntil(absl::FunctionRef<bool()> is_done);
  // Lets the polling thread poll again if it rests.
  void EndRest();

 private:
  // Runs the loop of a thread. If `spins` is true, the thread looks at the
  // queue again and again for a moment before it sleeps.
  void Poll(bool spins);
  // Waits until the polling thread is needed.
  void Rest();
  // Ends all threads. Runs the completions that are left.
  void ShutDown();

  Mutex mutex_;
  CondVar rest_has_ended_;
  std::unique_ptr<grpc::ServerBuilder> builder_ ABSL_GUARDED_BY(mutex_);
  // Changes to false only under `mutex_`.
  std::atomic<bool> shall_rest_ = false;
  std::atomic<bool> has_guest_ = false;  // A thread is in PollUntil.
  std::atomic<int64_t> num_visits_ = 0;  // calls of PollUntil that polled
  // Is true if there is one polling thread and no server uses the queue.
  std::atomic<bool> may_rest_;
  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::vector<std::thread> threads_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_GRPC_POLLING_THREADS_H_
