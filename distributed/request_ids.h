// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// RequestIds: the ids of the last requests, so that one that a network delivers
// twice is done once (TensorFlow's RecentRequestIds). Thread-safe.
#ifndef LEAT_DISTRIBUTED_REQUEST_IDS_H_
#define LEAT_DISTRIBUTED_REQUEST_IDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"

namespace leat {

class RequestIds {
 public:
  // REQUIRES: kept >= 1.
  explicit RequestIds(size_t kept);

  // ABORTED, in TensorFlow's words, when `id` is one of the last `kept`; 0,
  // which senders without ids say, is always new. `method`: "RunGraph
  // (Worker)".
  absl::Status Add(int64_t id, absl::string_view method);

 private:
  const size_t kept_;
  Mutex mutex_;
  std::vector<int64_t> ring_ ABSL_GUARDED_BY(mutex_);  // oldest at next_
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_set<int64_t> ids_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REQUEST_IDS_H_
