// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/requests/request_ids.h"

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"

namespace leat {

RequestIds::RequestIds(size_t kept) : kept_(kept) { LEAT_CHECK(kept >= 1); }

absl::Status RequestIds::Add(int64_t id, absl::string_view method) {
  if (id == 0) return absl::OkStatus();
  MutexLock lock(mutex_);
  if (!ids_.insert(id).second) {
    return absl::AbortedError(absl::StrCat(
        "The same ", method, " request was received twice. request_id: ", id));
  }
  if (ring_.size() < kept_) {
    ring_.push_back(id);
    return absl::OkStatus();
  }
  ids_.erase(ring_[next_]);
  ring_[next_] = id;
  next_ = (next_ + 1) % kept_;
  return absl::OkStatus();
}

}  // namespace leat
