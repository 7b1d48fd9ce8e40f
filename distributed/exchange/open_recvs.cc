// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/open_recvs.h"

#include <utility>

namespace leat {

OpenRecvs::Entry::Entry(OpenRecvs& recvs, int64_t step_id,
                        absl::string_view key)
    : recvs_(&recvs), step_id_(step_id), key_(key), since_(Clock::now()) {
  MutexLock lock(recvs.mutex_);
  previous_ = recvs.last_;
  (previous_ == nullptr ? recvs.first_ : previous_->next_) = this;
  recvs.last_ = this;
  ++recvs.size_;
}

void OpenRecvs::Entry::Close() {
  OpenRecvs* const recvs = std::exchange(recvs_, nullptr);
  if (recvs == nullptr) return;
  MutexLock lock(recvs->mutex_);
  (previous_ == nullptr ? recvs->first_ : previous_->next_) = next_;
  (next_ == nullptr ? recvs->last_ : next_->previous_) = previous_;
  --recvs->size_;
}

std::vector<OpenRecvs::Recv> OpenRecvs::Oldest(std::chrono::nanoseconds min_age,
                                               size_t max_recvs) const {
  std::vector<Recv> recvs;
  const Clock::time_point now = Clock::now();
  MutexLock lock(mutex_);
  for (const Entry* entry = first_;
       entry != nullptr && recvs.size() < max_recvs; entry = entry->next_) {
    const std::chrono::nanoseconds age = now - entry->since_;
    if (age < min_age) break;
    recvs.push_back({.step_id = entry->step_id_,
                     .key = std::string(entry->key_.substr(0, kMaxKeyBytes)),
                     .age = age});
  }
  return recvs;
}

size_t OpenRecvs::size() const {
  MutexLock lock(mutex_);
  return size_;
}

}  // namespace leat
