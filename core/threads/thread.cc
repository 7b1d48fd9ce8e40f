// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/thread.h"

#include <pthread.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/simulation.h"

namespace leat {

class Thread::Running {
 public:
  Running(absl::string_view name, Body body)
      : simulation_(Simulation::Active()) {
    if (simulation_ != nullptr) simulation_->AddThread();
    try {
      thread_ = std::thread([this, name = std::string(name.substr(0, 15)),
                             body = std::move(body)]() mutable {
        pthread_setname_np(pthread_self(), name.c_str());
        Run(std::exchange(body, nullptr));
      });
    } catch (const std::system_error& error) {
      if (simulation_ != nullptr) simulation_->RemoveThread();
      throw RefusedThread(error.code());
    }
  }

  ~Running() {
    if (simulation_ != nullptr) WaitInSimulation();
    thread_.join();
  }

 private:
  void Run(Body body) {
    if (simulation_ != nullptr) simulation_->BeginThread();
    std::exchange(body, nullptr)();
    if (simulation_ == nullptr) return;
    {
      MutexLock lock(mutex_);
      ended_ = true;
      changed_.NotifyAll();
    }
    simulation_->EndThread();
  }

  // Waits with a CondVar, because the simulation counts a thread that is in
  // std::thread::join as running.
  void WaitInSimulation() {
    MutexLock lock(mutex_);
    while (!ended_) changed_.Wait(mutex_);
  }

  Simulation* const simulation_;  // active when the thread started, or null
  Mutex mutex_;
  CondVar changed_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

Thread::Thread() = default;

Thread::Thread(absl::string_view name, Body body)
    : running_(std::make_unique<Running>(name, std::move(body))) {}

Thread::Thread(Thread&&) noexcept = default;

Thread& Thread::operator=(Thread&&) noexcept = default;

Thread::~Thread() = default;

void Thread::Join() { running_ = nullptr; }

absl::Status StartThreads(absl::FunctionRef<absl::Status()> start) {
  try {
    return start();
  } catch (const RefusedThread& error) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the system refuses a thread that this process needs: ",
        error.code().message(),
        "; raise the limit of threads (ulimit -u, pids.max of the control "
        "group) or of memory"));
  }
}

}  // namespace leat
