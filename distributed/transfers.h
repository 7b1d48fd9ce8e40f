// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Transfers: the large tensors of one step of which peers fetch chunk after
// chunk. One stays until every chunk was taken, or until its step ends, so that
// no peer that vanishes, or lies, keeps a tensor longer than it could keep one
// that it never asks for. Thread-safe.
#ifndef LEAT_DISTRIBUTED_TRANSFERS_H_
#define LEAT_DISTRIBUTED_TRANSFERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/mutex.h"
#include "leat/core/tensor.h"
#include "leat/distributed/recv_tensor.h"

namespace leat {

class PeerTraffic;

class Transfers {
 public:
  // Begins one, in chunks as wished within kMinChunkBytes and kMaxChunkBytes;
  // nobody writes to `tensor`, in host memory, from then on. Nothing for a
  // tensor that goes in one piece: it is small or not transferable, or nobody
  // wishes it otherwise. The status of End after that.
  // `receiver`, with whom Take counts all chunks but the first, is borrowed.
  absl::StatusOr<std::optional<Transfer>> Begin(
      const Tensor& tensor, const ChunkWish& wish,
      PeerTraffic* receiver = nullptr);

  // A chunk, as uint8[length] that shares the bytes of the tensor; the same one
  // again as long as some other was not taken. INVALID_ARGUMENT when these are
  // not the bounds of a chunk, NOT_FOUND for a transfer that there is not (any
  // more), the status of End after that.
  absl::StatusOr<Tensor> Take(uint64_t id, int64_t offset, int64_t length);

  // Of a receiver that is gone. Does nothing when it is not there.
  void Forget(uint64_t id);

  // Forgets all, and that for ever. `why` is not OK; the first one stays.
  void End(const absl::Status& why);

  size_t size() const;

 private:
  struct Entry {
    Transfer transfer = {};
    Tensor tensor = {};
    std::vector<bool> taken = {};     // by chunk
    int64_t missing = 0;              // chunks that were not
    PeerTraffic* receiver = nullptr;  // may be null
  };

  mutable Mutex mutex_;
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSFERS_H_
