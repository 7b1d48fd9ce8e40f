// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/local_rendezvous.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace leat {

LocalRendezvous::~LocalRendezvous() {
  bool is_waited_for = false;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, entry] : entries_) {
      is_waited_for = is_waited_for || entry.waiter != nullptr;
    }
  }
  // Makes the error only if a receiver waits. In an ordinary step no receiver
  // waits, so the step saves the time for making the error.
  if (is_waited_for) StartAbort(absl::CancelledError("the step has ended"));
}

absl::Status LocalRendezvous::Send(const ParsedKey& key, Tensor tensor,
                                   bool is_dead) {
  Done waiter;
  {
    MutexLock lock(mutex_);
    if (!aborted_.ok()) return aborted_;
    Entry* const known = FindOrAdd(key);
    if (known == nullptr) return Full(key);
    Entry& entry = *known;
    if (entry.sent) {
      return absl::AlreadyExistsError(
          absl::StrCat("tensor was sent twice in one step: ", key.text()));
    }
    entry.sent = true;
    if (entry.waiter == nullptr) {
      entry.tensor = std::move(tensor);
      entry.is_dead = is_dead;
      return absl::OkStatus();
    }
    waiter = std::exchange(entry.waiter, nullptr);
    if (key.is_in_loop()) entries_.erase(key.text());
  }
  std::move(waiter)(absl::OkStatus(), std::move(tensor), is_dead);
  return absl::OkStatus();
}

void LocalRendezvous::RecvAsync(const ParsedKey& key, Done done) {
  Tensor tensor;
  bool is_dead = false;
  absl::Status status;
  {
    MutexLock lock(mutex_);
    Entry* const entry = aborted_.ok() ? FindOrAdd(key) : nullptr;
    if (!aborted_.ok()) {
      status = aborted_;
    } else if (entry == nullptr) {
      status = Full(key);
    } else if (entry->received) {
      status = absl::AlreadyExistsError(
          absl::StrCat("tensor was asked for twice in one step: ", key.text()));
    } else {
      entry->received = true;
      if (!entry->sent) {
        entry->waiter = std::move(done);
        return;
      }
      tensor = std::move(entry->tensor);
      is_dead = entry->is_dead;
      if (key.is_in_loop()) entries_.erase(key.text());
    }
  }
  std::move(done)(status, std::move(tensor), is_dead);
}

size_t LocalRendezvous::size() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

size_t LocalRendezvous::num_untaken() const {
  MutexLock lock(mutex_);
  size_t untaken = 0;
  for (const auto& [key, entry] : entries_) {
    if (entry.sent && !entry.received) ++untaken;
  }
  return untaken;
}

LocalRendezvous::Entry* LocalRendezvous::FindOrAdd(const ParsedKey& key) {
  if (entries_.size() >= max_entries_ && !entries_.contains(key.text())) {
    return nullptr;
  }
  return &entries_[key.text()];
}

absl::Status LocalRendezvous::Full(const ParsedKey& key) const {
  return absl::ResourceExhaustedError(absl::StrCat(
      "the rendezvous of the step is full with ", max_entries_,
      " entries (max_rendezvous_entries); there is no room for ", key.text()));
}

void LocalRendezvous::StartAbort(const absl::Status& reason) {
  std::vector<Done> waiters;
  {
    MutexLock lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = reason;
    for (auto& [key, entry] : entries_) {
      if (entry.waiter != nullptr) waiters.push_back(std::move(entry.waiter));
    }
    entries_.clear();
  }
  for (Done& waiter : waiters) std::move(waiter)(reason, Tensor(), false);
}

}  // namespace leat
