// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Cancellation: one per step. Whoever waits registers a callback; the first
// error, the deadline or the client cancels, once. Thread-safe.
#ifndef LEAT_CORE_CANCELLATION_H_
#define LEAT_CORE_CANCELLATION_H_

#include <atomic>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "leat/core/mutex.h"

namespace leat {

class Cancellation {
 public:
  using Callback = absl::AnyInvocable<void(const absl::Status&) &&>;
  using Token = int64_t;

  // Cancels with `reason` (not OK): runs every registered callback, outside the
  // lock, on this thread. Later calls do nothing.
  void Cancel(absl::Status reason);

  bool IsCancelled() const {
    return cancelled_.load(std::memory_order_acquire);
  }
  // OK, or the reason.
  absl::Status status() const;

  // Registers `callback` under a token that is never reused; false, without
  // keeping it, when already cancelled: the caller then stops by itself.
  bool Register(Callback callback, Token* token);

  // Forgets a callback. False when it has run, is running or was never there;
  // the caller must then expect its effects.
  bool Deregister(Token token);

 private:
  std::atomic<bool> cancelled_{false};
  mutable Mutex mutex_;
  absl::Status reason_ ABSL_GUARDED_BY(mutex_);
  Token next_token_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<Token, Callback> callbacks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_CORE_CANCELLATION_H_
