// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Transfers holds the large tensors of one step that peers fetch in chunks. A
// transfer ends when every chunk has been taken or when the step ends. So a
// peer that vanishes cannot keep a tensor alive after the end of the step.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_TRANSFERS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_TRANSFERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat {

class PeerTraffic;

// Is thread-safe. Shares the tensors' bytes.
class Transfers {
 public:
  // Begins a transfer in chunks of `wish.chunk_bytes`, clamped to the range
  // from kMinChunkBytes to kMaxChunkBytes and rounded down to a multiple of
  // kBufferAlignment. `tensor` must be in host memory. Nobody may write to the
  // tensor from then on. Returns nullopt if the tensor is to be sent in one
  // piece, because the tensor is small, or its dtype cannot be transferred, or
  // `wish.chunk_bytes` is 0. After End, returns the status of End.
  //
  // Take counts all chunks except the first in `receiver`, which is borrowed
  // until the transfer ends.
  absl::StatusOr<std::optional<Transfer>> Begin(const Tensor& tensor,
                                                const ChunkWish& wish,
                                                PeerTraffic& receiver);

  // Returns a chunk as a tensor uint8[length] that shares the bytes of the
  // whole tensor. A chunk can be taken again until all chunks have been taken.
  // Returns INVALID_ARGUMENT if no chunk has these bounds. Returns NOT_FOUND if
  // there is no such transfer or it has ended. After End, returns the status of
  // End.
  absl::StatusOr<Tensor> Take(uint64_t id, int64_t offset, int64_t length);

  // Forgets a transfer whose receiver is gone. Does nothing if there is no such
  // transfer.
  void Forget(uint64_t id);

  // Forgets all transfers. From then on, Begin and Take return `why` (not OK).
  // If End is called several times, they return the first `why`.
  void End(const absl::Status& why);

  size_t size() const;

 private:
  struct Entry {
    Transfer transfer = {};
    Tensor tensor = {};
    std::vector<bool> taken = {};     // by chunk
    int64_t missing = 0;              // chunks that were not taken
    PeerTraffic* receiver = nullptr;  // set by Begin
  };

  mutable Mutex mutex_;
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_TRANSFERS_H_
