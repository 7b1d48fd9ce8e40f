// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/cancellation.h"

#include <utility>

#include "leat/core/check.h"

namespace leat {

void Cancellation::Cancel(absl::Status reason) {
  LEAT_CHECK(!reason.ok());
  absl::flat_hash_map<Token, Callback> callbacks;
  {
    MutexLock lock(mutex_);
    if (cancelled_.load(std::memory_order_relaxed)) return;
    reason_ = reason;
    callbacks.swap(callbacks_);
    cancelled_.store(true, std::memory_order_release);
  }
  for (auto& [token, callback] : callbacks) std::move(callback)(reason);
}

absl::Status Cancellation::status() const {
  if (!IsCancelled()) return absl::OkStatus();
  MutexLock lock(mutex_);
  return reason_;
}

bool Cancellation::Register(Callback callback, Token* token) {
  MutexLock lock(mutex_);
  if (cancelled_.load(std::memory_order_relaxed)) return false;
  *token = next_token_++;
  callbacks_.emplace(*token, std::move(callback));
  return true;
}

bool Cancellation::Deregister(Token token) {
  // `forgotten` is declared before the lock, so it is destroyed after the
  // unlock. This is necessary because the destructors of the objects that a
  // callback owns may run any code.
  Callback forgotten;
  MutexLock lock(mutex_);
  const auto it = callbacks_.find(token);
  if (it == callbacks_.end()) return false;
  forgotten = std::move(it->second);
  callbacks_.erase(it);
  return true;
}

}  // namespace leat
