// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// OpenRecvs: the tensors that a task waits for from its peers, and its peers
// from it, for people who want to know why a step stands still. Thread-safe; an
// entry costs two short locks.
#ifndef LEAT_DISTRIBUTED_OPEN_RECVS_H_
#define LEAT_DISTRIBUTED_OPEN_RECVS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"

namespace leat {

class OpenRecvs {
 public:
  using Clock = std::chrono::steady_clock;

  struct Recv {
    int64_t step_id = 0;
    std::string key = {};  // its first kMaxKeyBytes
    std::chrono::nanoseconds age = {};
  };
  static constexpr size_t kMaxKeyBytes = 1000;

  // A tensor is waited for, from the construction of this until Close. Not
  // thread-safe.
  class Entry {
   public:
    // `key`, the rendezvous', and `recvs` are borrowed.
    Entry(OpenRecvs& recvs, int64_t step_id, absl::string_view key);
    ~Entry() { Close(); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    // Idempotent.
    void Close();

   private:
    friend class OpenRecvs;

    OpenRecvs* recvs_;  // null once it is closed
    const int64_t step_id_;
    const absl::string_view key_;
    const Clock::time_point since_;
    // Of recvs_, under its lock.
    Entry* previous_ = nullptr;
    Entry* next_ = nullptr;
  };

  OpenRecvs() = default;
  // REQUIRES: every entry is closed.
  ~OpenRecvs() = default;
  OpenRecvs(const OpenRecvs&) = delete;
  OpenRecvs& operator=(const OpenRecvs&) = delete;

  // Those that have waited for `min_age` or longer, oldest first, at most so
  // many.
  std::vector<Recv> Oldest(std::chrono::nanoseconds min_age,
                           size_t max_recvs) const;
  size_t size() const;

 private:
  mutable Mutex mutex_;
  Entry* first_ ABSL_GUARDED_BY(mutex_) = nullptr;  // the oldest
  Entry* last_ ABSL_GUARDED_BY(mutex_) = nullptr;
  size_t size_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_OPEN_RECVS_H_
