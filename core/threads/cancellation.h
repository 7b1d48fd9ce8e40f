// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Cancellation tells everything that waits inside a step that the step has been
// cancelled. Each step has one. The first error, the deadline or the client
// cancels the step. Code that waits registers a callback, which runs when the
// step is cancelled.
//
//   Cancellation::Token token;
//   if (!cancellation.Register(stop_waiting, &token)) {
//     return cancellation.status();  // cancelled already
//   }
#ifndef LEAT_CORE_THREADS_CANCELLATION_H_
#define LEAT_CORE_THREADS_CANCELLATION_H_

#include <atomic>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Says whether a step has been cancelled. A cancelled step stays cancelled. A
// Cancellation is thread-safe. A Cancellation owns the registered callbacks
// until they run or are deregistered.
class Cancellation {
 public:
  // Receives the reason of the cancellation, which is not OK.
  using Callback = absl::AnyInvocable<void(const absl::Status&) &&>;
  using Token = int64_t;

  // Cancels with `reason`: runs every registered callback on this thread,
  // outside the lock. Later calls do nothing. REQUIRES: !reason.ok().
  void Cancel(absl::Status reason);

  bool IsCancelled() const {
    return cancelled_.load(std::memory_order_acquire);
  }
  // Returns the reason of the cancellation, or OK while there is none.
  absl::Status status() const;

  // Registers `callback` and sets `*token`, which is never reused. If the step
  // has been cancelled already, returns false and drops the callback without
  // running it. The caller must then stop waiting by itself.
  bool Register(Callback callback, Token* token);

  // Drops the callback of `token`. Returns false if the callback has run, is
  // running, or is not registered. In these cases the caller must expect the
  // effects of the callback.
  bool Deregister(Token token);

 private:
  std::atomic<bool> cancelled_{false};
  mutable Mutex mutex_;
  absl::Status reason_ ABSL_GUARDED_BY(mutex_);
  Token next_token_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<Token, Callback> callbacks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_CANCELLATION_H_
