// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LocalRendezvous: the table in which the devices of one process meet.
#ifndef LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
#define LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "leat/core/mutex.h"
#include "leat/core/rendezvous.h"

namespace leat {

class LocalRendezvous final : public Rendezvous {
 public:
  // Entries: tensors that nobody has taken, receivers that still wait and,
  // outside of loops, keys that have been used. A call that needs one more than
  // `max_entries` gets RESOURCE_EXHAUSTED naming its key.
  explicit LocalRendezvous(size_t max_entries = size_t{1} << 20)
      : max_entries_(max_entries) {}
  // Aborts what still waits.
  ~LocalRendezvous() override;

  absl::Status Send(absl::string_view key, Tensor tensor,
                    bool is_dead) override;
  void RecvAsync(absl::string_view key, Done done) override;
  void StartAbort(const absl::Status& reason) override;

  size_t size() const;         // entries
  size_t num_untaken() const;  // tensors that have been sent and not received

 private:
  // A tensor that has been sent, or somebody who waits for it; once both have
  // come, only the mark that the key is used, or, inside of loops, nothing.
  struct Entry {
    Tensor tensor = {};
    bool sent = false;
    bool is_dead = false;
    bool received = false;
    Done waiter = nullptr;
  };

  // The entry of a key; a new one if there is room, or else null.
  Entry* FindOrAdd(absl::string_view key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Full(absl::string_view key) const;

  const size_t max_entries_;
  mutable Mutex mutex_;
  absl::Status aborted_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
