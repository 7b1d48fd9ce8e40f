// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LocalRendezvous: the table through which the devices of one process exchange
// the tensors of one step, by the texts of their keys.
#ifndef LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
#define LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Thread-safe. Calls waiters outside of its lock, on the thread that sent the
// tensor or aborted the step.
class LocalRendezvous final : public Rendezvous {
 public:
  // An entry is a tensor that nobody has received yet, a receiver that still
  // waits or, outside of loops, a key that has been used. A call that would
  // need more than `max_entries` entries gets RESOURCE_EXHAUSTED, naming its
  // key.
  explicit LocalRendezvous(size_t max_entries = size_t{1} << 20)
      : max_entries_(max_entries) {}
  // Aborts what still waits, with CANCELLED.
  ~LocalRendezvous() override;

  // Implement Rendezvous. A key that is sent twice, or received twice, in one
  // step is ALREADY_EXISTS. Inside of loops a key is forgotten after use, so
  // this is not noticed there.
  absl::Status Send(const ParsedKey& key, Tensor tensor, bool is_dead) override;
  void RecvAsync(const ParsedKey& key, Done done) override;
  void StartAbort(const absl::Status& reason) override;

  // The number of entries now.
  size_t size() const;
  // The number of tensors that were sent and not received.
  size_t num_untaken() const;

 private:
  // A tensor that has been sent, or a receiver that waits for it. Once both
  // have come, the entry only marks the key as used; inside of loops it is
  // removed.
  struct Entry {
    // Empty until it is sent, and again when it was received.
    Tensor tensor = {};
    bool sent = false;
    bool is_dead = false;
    bool received = false;
    // Not null while a receiver waits.
    Done waiter = nullptr;
  };

  // Returns the entry of a key, which is made if there is room, or null if
  // there is none.
  Entry* FindOrAdd(const ParsedKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The error for a key that there is no room for.
  absl::Status Full(const ParsedKey& key) const;

  const size_t max_entries_;
  mutable Mutex mutex_;
  // The reason of the abort, OK before.
  absl::Status aborted_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
