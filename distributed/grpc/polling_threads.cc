// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/grpc/polling_threads.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace leat {
namespace {

constexpr unsigned kProcessorsPerThread = 8;
constexpr unsigned kMaxThreads = 8;

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
  while (queue_->Next(&tag, &ok)) static_cast<Completion*>(tag)->End(ok);
}

}  // namespace leat
