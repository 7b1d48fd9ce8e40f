// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LocalRendezvous is the table through which the devices of one process
// exchange the tensors of one step. An entry is found by the text of its key.
#ifndef LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
#define LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Is thread-safe. Calls waiters outside of its lock, on the thread that sent
// the tensor or aborted the step.
class LocalRendezvous final : public Rendezvous {
 public:
  // An entry is a sent tensor that has not been received, a receiver that still
  // waits or, outside of loops, a key that has been used. A call that would
  // need more than `max_entries` entries gets RESOURCE_EXHAUSTED, and the
  // message names its key.
  explicit LocalRendezvous(size_t max_entries = size_t{1} << 20)
      : max_entries_(max_entries) {}
  // Receivers that still wait get CANCELLED.
  ~LocalRendezvous() override;

  size_t max_entries() const { return max_entries_; }

  // These functions implement Rendezvous. If a key is sent twice, or received
  // twice, in one step, the second call gets ALREADY_EXISTS. There is one
  // exception: a key inside of a loop is forgotten after its use, so the second
  // call does not get this error.
  absl::Status Send(const ParsedKey& key, Tensor tensor, bool is_dead) override;
  void RecvAsync(const ParsedKey& key, Done done) override;
  void StartAbort(const absl::Status& reason) override;

  // Returns the current number of entries.
  size_t size() const;
  // Returns the number of tensors that were sent and not received.
  size_t num_untaken() const;

 private:
  // Describes a tensor that has been sent, or a receiver that waits for a
  // tensor. After the tensor was received, the entry of a key outside of loops
  // stays and marks the key as used. The entry of a key inside of a loop is
  // removed.
  struct Entry {
    // Is empty before the tensor is sent and after it was received.
    Tensor tensor = {};
    bool sent = false;
    bool is_dead = false;
    bool received = false;
    // Is not null while a receiver waits.
    Done waiter = nullptr;
  };

  // Returns the entry of a key, and adds the entry if it is missing. Returns
  // null if the entry is missing and there are `max_entries_` entries already.
  Entry* FindOrAdd(const ParsedKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the error for a key that FindOrAdd could not add.
  absl::Status Full(const ParsedKey& key) const;

  const size_t max_entries_;
  mutable Mutex mutex_;
  // Is the reason of the abort, or OK if there was none.
  absl::Status aborted_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
