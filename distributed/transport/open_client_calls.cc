// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/open_client_calls.h"

#include <utility>

namespace leat {

void OpenClientCalls::Add(const std::shared_ptr<OpenClientCall>& call) {
  MutexLock lock(mutex_);
  calls_.emplace(call.get(), call);
}

void OpenClientCalls::Remove(const OpenClientCall* call) {
  MutexLock lock(mutex_);
  calls_.erase(call);
  if (calls_.empty()) empty_.NotifyAll();
}

size_t OpenClientCalls::size() const {
  MutexLock lock(mutex_);
  return calls_.size();
}

std::vector<std::shared_ptr<OpenClientCall>> OpenClientCalls::All() const {
  std::vector<std::shared_ptr<OpenClientCall>> calls;
  MutexLock lock(mutex_);
  for (const auto& [key, weak] : calls_) {
    if (auto call = weak.lock()) calls.push_back(std::move(call));
  }
  return calls;
}

void OpenClientCalls::CancelAll() {
  for (const auto& call : All()) call->Cancel();
}

void OpenClientCalls::LoseAll() {
  for (const auto& call : All()) call->Lose();
}

void OpenClientCalls::WaitUntilEmpty() {
  MutexLock lock(mutex_);
  while (!calls_.empty()) empty_.Wait(mutex_);
}

}  // namespace leat
