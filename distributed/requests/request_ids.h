// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RequestIds remembers the ids of the last requests, so that a request that the
// network delivers twice is served only once (TensorFlow's RecentRequestIds).
#ifndef LEAT_DISTRIBUTED_REQUESTS_REQUEST_IDS_H_
#define LEAT_DISTRIBUTED_REQUESTS_REQUEST_IDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Is a set of ids that forgets the oldest one when it is full. Is thread-safe.
// Each kind of request should have a separate set, so that many requests of one
// kind do not push out the ids of other kinds.
class RequestIds {
 public:
  // Remembers the last `kept` ids. REQUIRES: kept >= 1.
  explicit RequestIds(size_t kept);

  // Remembers `id`. Returns ABORTED, in TensorFlow's words, if `id` is among
  // the last `kept` ids. The id 0 is always accepted, because senders without
  // ids use it. `method`, such as "RunGraph (Worker)", is for the message.
  absl::Status Add(int64_t id, absl::string_view method);

 private:
  const size_t kept_;
  Mutex mutex_;
  std::vector<int64_t> ring_ ABSL_GUARDED_BY(mutex_);  // the oldest is at next_
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  // Holds the ids in the ring.
  absl::flat_hash_set<int64_t> ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REQUESTS_REQUEST_IDS_H_
