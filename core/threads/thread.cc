// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/thread.h"

#include <pthread.h>

#include <string>

#include "leat/core/threads/mutex.h"
#include "leat/core/threads/time_simulation.h"

namespace leat {

// What the thread tells the one that joins it.
struct Thread::State {
  Mutex mutex;
  CondVar ended;
  bool has_ended ABSL_GUARDED_BY(mutex) = false;
};

Thread::Thread(absl::string_view name, Body body)
    : state_(std::make_shared<State>()) {
  TimeSimulation* const simulation = TimeSimulation::Get();
  if (simulation != nullptr) simulation->AddThread();
  // Linux does not allow names of more than 15 characters.
  thread_ = std::thread([simulation, name = std::string(name.substr(0, 15)),
                         state = state_, body = std::move(body)]() mutable {
    if (simulation != nullptr) simulation->BeginThread();
    if (!name.empty()) pthread_setname_np(pthread_self(), name.c_str());
    std::exchange(body, nullptr)();
    {
      MutexLock lock(state->mutex);
      state->has_ended = true;
      state->ended.NotifyAll();
    }
    if (simulation != nullptr) simulation->EndThread();
  });
}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this == &other) return *this;
  Join();
  state_ = std::move(other.state_);
  thread_ = std::move(other.thread_);
  return *this;
}

void Thread::Join() {
  if (!thread_.joinable()) return;
  {
    // A simulation knows that this thread waits here. It would not know of
    // std::thread::join, which then takes only as long as the thread takes to
    // end.
    MutexLock lock(state_->mutex);
    while (!state_->has_ended) state_->ended.Wait(state_->mutex);
  }
  thread_.join();
}

}  // namespace leat
