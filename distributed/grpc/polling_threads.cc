// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/grpc/polling_threads.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace leat {
namespace {

constexpr unsigned kProcessorsPerThread = 8;
constexpr unsigned kMaxThreads = 8;

// A deadline that has passed: to look, and not to wait.
constexpr std::chrono::system_clock::time_point kPast;

}  // namespace

PollingThreads::PollingThreads()
    : PollingThreads(
          std::clamp(std::thread::hardware_concurrency() / kProcessorsPerThread,
                     1u, kMaxThreads)) {}

PollingThreads::PollingThreads(unsigned num_threads)
    : builder_(std::make_unique<grpc::ServerBuilder>()),
      queue_(builder_->AddCompletionQueue()) {
  for (unsigned i = 0; i < num_threads; ++i) {
    threads_.emplace_back([this] { Poll(); });
  }
}

PollingThreads::~PollingThreads() {
  queue_->Shutdown();
  for (std::thread& thread : threads_) thread.join();
}

std::unique_ptr<grpc::ServerBuilder> PollingThreads::TakeServerBuilder() {
  MutexLock lock(mutex_);
  return std::move(builder_);
}

void PollingThreads::Poll() {
  pthread_setname_np(pthread_self(), "leat-grpc");
  void* tag = nullptr;
  bool ok = false;
  while (Wait(tag, ok)) static_cast<Completion*>(tag)->End(ok);
}

bool PollingThreads::Wait(void*& tag, bool& ok) {
  MutexLock lock(turn_);
  auto next = grpc::CompletionQueue::TIMEOUT;
  spin_.Until([&] {
    next = queue_->AsyncNext(&tag, &ok, kPast);
    return next != grpc::CompletionQueue::TIMEOUT;
  });
  if (next == grpc::CompletionQueue::TIMEOUT) return queue_->Next(&tag, &ok);
  return next == grpc::CompletionQueue::GOT_EVENT;
}

}  // namespace leat
