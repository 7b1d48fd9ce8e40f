// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/polling_threads.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "leat/core/threads/spin.h"
#include "leat/core/threads/thread.h"

namespace leat {
namespace {

constexpr unsigned kProcessorsPerThread = 8;
constexpr unsigned kMaxThreads = 8;

// Is a deadline that has passed. With this deadline, AsyncNext does not wait.
constexpr std::chrono::system_clock::time_point kPast;

// Is the time after which a resting thread polls again if nobody else has.
constexpr std::chrono::milliseconds kLongestRest{1};

}  // namespace

PollingThreads::PollingThreads()
    : PollingThreads(
          std::clamp(std::thread::hardware_concurrency() / kProcessorsPerThread,
                     1u, kMaxThreads)) {}

PollingThreads::PollingThreads(unsigned num_threads)
    : builder_(std::make_unique<grpc::ServerBuilder>()),
      may_rest_(num_threads == 1),
      queue_(builder_->AddCompletionQueue()) {
  try {
    for (unsigned i = 0; i < num_threads; ++i) {
      threads_.emplace_back([this, is_alone = num_threads == 1] {
        pthread_setname_np(pthread_self(), "leat-grpc");
        Poll(/*spins=*/is_alone);
      });
    }
  } catch (const std::system_error& error) {
    ShutDown();  // The destructor of this object will not run.
    throw RefusedThread(error.code());
  }
}

PollingThreads::~PollingThreads() { ShutDown(); }

void PollingThreads::ShutDown() {
  queue_->Shutdown();
  EndRest();
  // gRPC requires that the queue is polled until the queue reports its
  // shutdown.
  if (threads_.empty()) Poll(/*spins=*/false);
  for (std::thread& thread : threads_) thread.join();
}

std::unique_ptr<grpc::ServerBuilder> PollingThreads::TakeServerBuilder() {
  may_rest_ = false;
  EndRest();
  MutexLock lock(mutex_);
  return std::move(builder_);
}

void PollingThreads::PollUntil(absl::FunctionRef<bool()> is_done) {
  if (!may_rest_ || has_guest_.exchange(true)) return;
  ++num_visits_;
  shall_rest_ = true;
  thread_local IdleSpin spin;
  spin.Until([&] {
    void* tag = nullptr;
    bool ok = false;
    if (queue_->AsyncNext(&tag, &ok, kPast) ==
        grpc::CompletionQueue::GOT_EVENT) {
      static_cast<Completion*>(tag)->End(ok);
    }
    return is_done();
  });
  has_guest_ = false;
}

void PollingThreads::EndRest() {
  if (!shall_rest_) return;
  MutexLock lock(mutex_);
  shall_rest_ = false;
  rest_has_ended_.NotifyAll();
}

void PollingThreads::Rest() {
  MutexLock lock(mutex_);
  while (shall_rest_) {
    const int64_t num_visits = num_visits_;
    rest_has_ended_.WaitUntil(mutex_,
                              std::chrono::steady_clock::now() + kLongestRest);
    if (!has_guest_ && num_visits == num_visits_) shall_rest_ = false;
  }
}

void PollingThreads::Poll(bool spins) {
  IdleSpin spin;
  void* tag = nullptr;
  bool ok = false;
  bool has_rested = false;
  for (;;) {
    auto next = grpc::CompletionQueue::TIMEOUT;
    const auto look = [&] {
      if (shall_rest_) return true;
      next = queue_->AsyncNext(&tag, &ok, kPast);
      return next != grpc::CompletionQueue::TIMEOUT;
    };
    if (spins && !std::exchange(has_rested, false) && spin.Until(look)) {
      if (next == grpc::CompletionQueue::SHUTDOWN) return;
      if (next == grpc::CompletionQueue::TIMEOUT) {
        Rest();
        has_rested = true;
        continue;
      }
    } else if (!queue_->Next(&tag, &ok)) {
      return;
    }
    static_cast<Completion*>(tag)->End(ok);
  }
}

}  // namespace leat
