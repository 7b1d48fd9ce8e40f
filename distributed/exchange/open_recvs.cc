// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/open_recvs.h"

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "leat/distributed/cluster/device_attributes.h"

namespace leat {
namespace {

std::string Cut(absl::string_view text) {
  return std::string(text.substr(0, OpenRecvs::kMaxKeyBytes));
}

}  // namespace

OpenRecvs::Entry::Entry(OpenRecvs& recvs, int64_t step_id,
                        absl::Span<const ParsedKey> keys)
    : recvs_(&recvs),
      step_id_(step_id),
      keys_(keys),
      since_(recvs.clock_.Now()) {
  MutexLock lock(recvs.mutex_);
  previous_ = recvs.last_;
  (previous_ == nullptr ? recvs.first_ : previous_->next_) = this;
  recvs.last_ = this;
  recvs.size_ += keys.size();
}

void OpenRecvs::Entry::Close() {
  OpenRecvs* const recvs = std::exchange(recvs_, nullptr);
  if (recvs == nullptr) return;
  MutexLock lock(recvs->mutex_);
  (previous_ == nullptr ? recvs->first_ : previous_->next_) = next_;
  (next_ == nullptr ? recvs->last_ : next_->previous_) = previous_;
  recvs->size_ -= keys_.size();
}

std::vector<OpenRecvs::Recv> OpenRecvs::Oldest(std::chrono::nanoseconds min_age,
                                               size_t max_recvs) const {
  std::vector<Recv> recvs;
  const Clock::time_point now = clock_.Now();
  MutexLock lock(mutex_);
  for (const Entry* entry = first_;
       entry != nullptr && recvs.size() < max_recvs; entry = entry->next_) {
    const std::chrono::nanoseconds age = now - entry->since_;
    if (age < min_age) break;
    for (const ParsedKey& key : entry->keys_) {
      if (recvs.size() == max_recvs) break;
      recvs.push_back({.step_id = entry->step_id_,
                       .key = Cut(key.text()),
                       .sender = Cut(TaskOfDevice(key.send_device())),
                       .receiver = Cut(TaskOfDevice(key.recv_device())),
                       .age = age});
    }
  }
  return recvs;
}

size_t OpenRecvs::size() const {
  MutexLock lock(mutex_);
  return size_;
}

}  // namespace leat
