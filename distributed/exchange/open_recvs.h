// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpenRecvs: a list of the tensors that a task waits for from its peers, and
// its peers from it. It is for people who want to know why a step does not
// proceed.
//
//   OpenRecvs::Entry waiting(recvs, step_id, key);  // in the list until Close
#ifndef LEAT_DISTRIBUTED_EXCHANGE_OPEN_RECVS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_OPEN_RECVS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// A list of waiting Recvs, in the order in which they began to wait.
// Thread-safe. It does not own its entries; adding and closing one takes a
// short lock each.
class OpenRecvs {
 public:
  // One waiting Recv, as Oldest reports it.
  struct Recv {
    int64_t step_id = 0;
    std::string key = {};  // cut to kMaxKeyBytes
    std::chrono::nanoseconds age = {};
  };
  // The most bytes of a key that Oldest copies.
  static constexpr size_t kMaxKeyBytes = 1000;

  // Stands for one tensor that is waited for, from its construction until
  // Close. One entry is not thread-safe, but entries of one list may be on
  // several threads.
  class Entry {
   public:
    // `key`, the rendezvous key, and `recvs` are borrowed and must outlive
    // this.
    Entry(OpenRecvs& recvs, int64_t step_id, absl::string_view key);
    ~Entry() { Close(); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    // Removes the entry from the list. Idempotent.
    void Close();

   private:
    friend class OpenRecvs;

    OpenRecvs* recvs_;  // null once it is closed
    const int64_t step_id_;
    const absl::string_view key_;
    const Clock::time_point since_;
    // The neighbours in the list. Guarded by the mutex of `recvs_`.
    Entry* previous_ = nullptr;
    Entry* next_ = nullptr;
  };

  OpenRecvs() = default;
  // REQUIRES: every entry is closed.
  ~OpenRecvs() = default;
  OpenRecvs(const OpenRecvs&) = delete;
  OpenRecvs& operator=(const OpenRecvs&) = delete;

  // Returns the Recvs that have waited for `min_age` or longer, the oldest
  // first, at most `max_recvs` of them.
  std::vector<Recv> Oldest(std::chrono::nanoseconds min_age,
                           size_t max_recvs) const;
  // Returns the number of all open entries, however young.
  size_t size() const;

 private:
  mutable Mutex mutex_;
  // The ends of the list, which is linked through the entries, so that adding
  // and removing one allocates nothing.
  Entry* first_ ABSL_GUARDED_BY(mutex_) = nullptr;  // the oldest
  Entry* last_ ABSL_GUARDED_BY(mutex_) = nullptr;
  size_t size_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_OPEN_RECVS_H_
