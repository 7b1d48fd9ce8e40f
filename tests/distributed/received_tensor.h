// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReceivedTensor records the arguments of a Rendezvous::Done and the number of
// its calls.
//
//   ReceivedTensor received;
//   rendezvous.RecvAsync(key, received.Done());
//   ASSERT_TRUE(received.Wait());
#ifndef LEAT_TESTS_DISTRIBUTED_RECEIVED_TENSOR_H_
#define LEAT_TESTS_DISTRIBUTED_RECEIVED_TENSOR_H_

#include <memory>
#include <utility>

#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/mutex.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat::testing {

// A ReceivedTensor is thread-safe. Copies share their state, and callbacks of
// Done keep the state alive. The results may be read only after such a callback
// was called.
class ReceivedTensor {
 public:
  // Returns a callback that records its arguments.
  Rendezvous::Done Done() {
    return [state = state_](const absl::Status& status, Tensor tensor,
                            bool is_dead) {
      MutexLock lock(state->mutex);
      ++state->calls;
      state->status = status;
      state->tensor = std::move(tensor);
      state->is_dead = is_dead;
      state->changed.NotifyAll();
    };
  }

  // Returns how often callbacks of Done were called.
  int calls() const {
    MutexLock lock(state_->mutex);
    return state_->calls;
  }
  // Waits for the first call of a callback of Done. Returns false if no
  // callback of Done has been called by the WaitLimit.
  bool Wait() const {
    const Clock::time_point limit = WaitLimit();
    MutexLock lock(state_->mutex);
    while (state_->calls == 0) {
      if (!state_->changed.WaitUntil(state_->mutex, limit)) return false;
    }
    return true;
  }
  // status(), tensor() and is_dead() return the arguments of the last call of a
  // callback.
  absl::Status status() const {
    MutexLock lock(state_->mutex);
    return state_->status;
  }
  Tensor tensor() const {
    MutexLock lock(state_->mutex);
    return state_->tensor;
  }
  bool is_dead() const {
    MutexLock lock(state_->mutex);
    return state_->is_dead;
  }

 private:
  struct State {
    Mutex mutex;
    CondVar changed;
    int calls ABSL_GUARDED_BY(mutex) = 0;
    absl::Status status ABSL_GUARDED_BY(mutex);
    Tensor tensor ABSL_GUARDED_BY(mutex);
    bool is_dead ABSL_GUARDED_BY(mutex) = false;
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_RECEIVED_TENSOR_H_
