// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpenRecvs lists the tensors that a task awaits from its peers, and the
// tensors that its peers await from it. The list shows people why a step does
// not proceed.
//
//   OpenRecvs::Entry waiting(recvs, step_id, keys);  // in the list until Close
#ifndef LEAT_DISTRIBUTED_EXCHANGE_OPEN_RECVS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_OPEN_RECVS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Is a list of waiting Recvs, in the order in which they began to wait. Is
// thread-safe. It does not own its entries. Adding or closing an entry takes a
// short lock.
class OpenRecvs {
 public:
  // Describes one waiting Recv, as Oldest reports it.
  struct Recv {
    int64_t step_id = 0;
    std::string key = {};
    // Holds the tasks in the key, such as "/job:ps/replica:0/task:0".
    std::string sender = {};
    std::string receiver = {};
    std::chrono::nanoseconds age = {};
  };
  // Oldest cuts each key, and each name of a task in the key, to this many
  // bytes. A key from a peer may contain anything.
  static constexpr size_t kMaxKeyBytes = 1000;

  // Represents the tensors of one receive. The entry is in the list from its
  // construction until Close. An entry is not thread-safe, but different
  // threads may use different entries of a list.
  class Entry {
   public:
    // `keys` and `recvs` are borrowed and must outlive this.
    Entry(OpenRecvs& recvs, int64_t step_id, absl::Span<const ParsedKey> keys);
    ~Entry() { Close(); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    // Removes the entry from the list. Is idempotent.
    void Close();

   private:
    friend class OpenRecvs;

    OpenRecvs* recvs_;  // null after Close
    const int64_t step_id_;
    const absl::Span<const ParsedKey> keys_;
    const Clock::time_point since_;
    // `previous_` and `next_` point to the neighbours in the list. The mutex of
    // `recvs_` guards both.
    Entry* previous_ = nullptr;
    Entry* next_ = nullptr;
  };

  // `clock` must outlive this.
  explicit OpenRecvs(Clock& clock) : clock_(clock) {}
  // REQUIRES: every entry is closed.
  ~OpenRecvs() = default;
  OpenRecvs(const OpenRecvs&) = delete;
  OpenRecvs& operator=(const OpenRecvs&) = delete;

  // Returns the Recvs that have waited for `min_age` or longer, the oldest
  // first, at most `max_recvs` of them.
  std::vector<Recv> Oldest(std::chrono::nanoseconds min_age,
                           size_t max_recvs) const;
  // Returns the number of all waiting Recvs, regardless of their age.
  size_t size() const;

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  // `first_` and `last_` point to the ends of the list. The entries are linked
  // with each other, so adding or removing an entry allocates nothing.
  Entry* first_ ABSL_GUARDED_BY(mutex_) = nullptr;  // the oldest
  Entry* last_ ABSL_GUARDED_BY(mutex_) = nullptr;
  size_t size_ ABSL_GUARDED_BY(mutex_) = 0;  // the number of tensors
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_OPEN_RECVS_H_
