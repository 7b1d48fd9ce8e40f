// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/transfers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/random_id.h"
#include "leat/distributed/exchange/traffic.h"

namespace leat {
namespace {

// In memory, chunks begin at multiples of kAlignment, because copies of aligned
// bytes are fastest.
constexpr int64_t kAlignment = kBufferAlignment;

int64_t ChunkBytes(const ChunkWish& wish) {
  return std::clamp(wish.chunk_bytes, kMinChunkBytes, kMaxChunkBytes) /
         kAlignment * kAlignment;
}

Tensor ChunkOf(Tensor tensor, int64_t offset, int64_t length) {
  char* const data = tensor.mutable_raw_data() + offset;
  return Tensor::FromBuffer(DType::kUint8, Shape({length}), tensor.buffer(),
                            data);
}

}  // namespace

absl::StatusOr<std::optional<Transfer>> Transfers::Begin(
    const Tensor& tensor, const ChunkWish& wish, PeerTraffic& receiver) {
  if (wish.chunk_bytes <= 0 || !IsTransferable(tensor.dtype())) {
    return std::nullopt;
  }
  const int64_t chunk_bytes = ChunkBytes(wish);
  const int64_t bytes = tensor.num_bytes();
  if (bytes <= std::max(wish.inline_bytes, chunk_bytes)) return std::nullopt;
  Entry entry;
  entry.transfer = {.id = RandomId(),
                    .total_bytes = bytes,
                    .chunk_bytes = chunk_bytes,
                    .dtype = tensor.dtype(),
                    .shape = tensor.shape()};
  entry.tensor = tensor;
  entry.receiver = &receiver;
  entry.missing = entry.transfer.num_chunks();
  entry.taken.resize(static_cast<size_t>(entry.missing));
  MutexLock lock(mutex_);
  if (!ended_.ok()) return ended_;
  std::optional<Transfer> transfer = entry.transfer;
  entries_[transfer->id] = std::move(entry);
  return transfer;
}

absl::StatusOr<Tensor> Transfers::Take(uint64_t id, int64_t offset,
                                       int64_t length) {
  Tensor tensor;
  {
    MutexLock lock(mutex_);
    if (!ended_.ok()) return ended_;
    const auto found = entries_.find(id);
    if (found == entries_.end()) {
      return absl::NotFoundError(
          absl::StrCat("there is no transfer ", id,
                       ": all of it was fetched, or it never "
                       "began"));
    }
    Entry& entry = found->second;
    const Transfer& transfer = entry.transfer;
    const int64_t chunk = offset < 0 || offset >= transfer.total_bytes
                              ? -1
                              : offset / transfer.chunk_bytes;
    if (chunk < 0 || offset != transfer.OffsetOf(chunk) ||
        length != transfer.LengthOf(chunk)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a transfer of ", transfer.total_bytes,
                       " bytes in chunks of ", transfer.chunk_bytes,
                       " has no chunk of ", length, " bytes at byte ", offset));
    }
    tensor = entry.tensor;
    // The first chunk is counted with the response to RecvTensor.
    if (chunk > 0) entry.receiver->CountServed(0, length);
    auto taken = entry.taken[static_cast<size_t>(chunk)];
    if (!taken) --entry.missing;
    taken = true;
    if (entry.missing == 0) entries_.erase(found);
  }
  return ChunkOf(std::move(tensor), offset, length);
}

void Transfers::Forget(uint64_t id) {
  Tensor tensor;  // freed outside the lock
  MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  tensor = std::move(found->second.tensor);
  entries_.erase(found);
}

void Transfers::End(const absl::Status& why) {
  absl::flat_hash_map<uint64_t, Entry> entries;  // freed outside the lock
  MutexLock lock(mutex_);
  if (ended_.ok()) ended_ = why;
  entries.swap(entries_);
}

size_t Transfers::size() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace leat
