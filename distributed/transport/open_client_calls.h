// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OpenClientCalls lists the calls of a transport that have not ended.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_OPEN_CLIENT_CALLS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_OPEN_CLIENT_CALLS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// An OpenClientCall is a call that may be ended before its reply comes.
// Implementations are thread-safe.
class OpenClientCall {
 public:
  virtual ~OpenClientCall() = default;

  // Ends the call with CANCELLED.
  virtual void Cancel() = 0;
  // Ends the call with UNAVAILABLE because the peer is silent.
  virtual void Lose() = 0;
};

// Is the set of calls that have been added and not removed. Is thread-safe. It
// does not own the calls. The Entry of each call removes the call from the set.
class OpenClientCalls {
 public:
  // Adds a call. The set keeps only a weak reference to the call.
  void Add(const std::shared_ptr<OpenClientCall>& call);
  // Removes a call. Does nothing if the call is not in the set.
  void Remove(const OpenClientCall* call);
  bool empty() const { return size() == 0; }
  size_t size() const;

  // Calls OpenClientCall::Cancel for each call that is in the set now.
  void CancelAll();
  // Calls OpenClientCall::Lose for each call that is in the set now.
  void LoseAll();
  // Blocks until every call has been removed.
  void WaitUntilEmpty();

  // Removes its call from `open` when the entry is destroyed. The entry must be
  // the first member of the call, so that it is destroyed last.
  class Entry {
   public:
    Entry(OpenClientCalls& open, const OpenClientCall* call)
        : open_(open), call_(call) {}
    ~Entry() { open_.Remove(call_); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    OpenClientCalls& open_;
    const OpenClientCall* const call_;
  };

 private:
  // Returns the calls that still exist.
  std::vector<std::shared_ptr<OpenClientCall>> All() const;

  mutable Mutex mutex_;
  CondVar empty_;
  absl::flat_hash_map<const OpenClientCall*, std::weak_ptr<OpenClientCall>>
      calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_OPEN_CLIENT_CALLS_H_
