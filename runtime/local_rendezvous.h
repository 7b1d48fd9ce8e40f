// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LocalRendezvous: the table in which the devices of one process meet.
#ifndef LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
#define LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "leat/core/mutex.h"
#include "leat/core/rendezvous.h"

namespace leat {

class LocalRendezvous final : public Rendezvous {
 public:
  LocalRendezvous() = default;
  // Aborts what still waits.
  ~LocalRendezvous() override;

  absl::Status Send(absl::string_view key, Tensor tensor,
                    bool is_dead) override;
  void RecvAsync(absl::string_view key, Done done) override;
  void StartAbort(const absl::Status& reason) override;

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

  Mutex mutex_;
  absl::Status aborted_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_LOCAL_RENDEZVOUS_H_
