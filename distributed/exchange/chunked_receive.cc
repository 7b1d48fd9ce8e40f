// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/chunked_receive.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"

namespace leat {
namespace {

// Limits the number of bytes that a payload may take in addition to the bytes
// of its tensor.
constexpr int64_t kSlack = 4096;

// A Part is a buffer that refers to a part of another buffer and keeps the
// other buffer alive.
class Part final : public Buffer {
 public:
  Part(BufferRef whole, char* data, size_t size)
      : Buffer(data, size), whole_(std::move(whole)) {}

 private:
  void Dispose() override { delete this; }

  const BufferRef whole_;
};

// A PartAllocator lets a chunk be decoded directly into its place in the
// tensor. The first allocation that has exactly the size of the part returns a
// Part. Other allocations come from the host allocator.
class PartAllocator final : public Allocator {
 public:
  PartAllocator(BufferRef whole, char* data, size_t size)
      : whole_(std::move(whole)), data_(data), size_(size) {}

  BufferRef Allocate(size_t bytes) override {
    if (whole_ == nullptr || bytes != size_) {
      return HostAllocator().Allocate(bytes);
    }
    return BufferRef(new Part(std::move(whole_), data_, size_));
  }
  absl::string_view name() const override { return "part"; }

 private:
  BufferRef whole_;
  char* const data_;
  const size_t size_;
};

}  // namespace

void ChunkedReceive::Start(Options options, Payload first, Done done) {
  const auto receive =
      std::make_shared<ChunkedReceive>(std::move(options), std::move(done));
  // An allocation may take a long time, because the allocator may first have to
  // give back memory that it has kept.
  receive->options_.compute->Add([receive] { receive->Allocate(); });
  // `first` is one of the chunks in flight.
  for (int i = 1; i < receive->options_.in_flight; ++i) receive->FetchNext();
  receive->Receive(0, std::move(first));
  receive->Leave();
}

ChunkedReceive::ChunkedReceive(Options options, Done done)
    : options_(std::move(options)),
      missing_(options_.transfer.num_chunks()),
      done_(std::move(done)) {}

bool ChunkedReceive::Enter() {
  MutexLock lock(mutex_);
  if (!failure_.ok() || done_ == nullptr) return false;
  ++users_;
  return true;
}

void ChunkedReceive::Leave(const absl::Status& status) {
  std::vector<Arrived> early;
  Tensor tensor;
  absl::Status ended;
  Done done;
  {
    MutexLock lock(mutex_);
    if (failure_.ok()) failure_ = status;
    if (!failure_.ok()) early.swap(early_);
    if (--users_ > 0 || (failure_.ok() && missing_ > 0)) return;
    tensor = std::move(tensor_);
    ended = failure_;
    std::swap(done, done_);
  }
  early.clear();
  if (ended.ok()) return std::move(done)(std::move(tensor));
  tensor = Tensor();  // The allocator may be destroyed after `done`.
  std::move(done)(ended);
}

bool ChunkedReceive::HasFailed() {
  MutexLock lock(mutex_);
  return !failure_.ok();
}

void ChunkedReceive::Allocate() {
  if (HasFailed()) return Leave();
  absl::StatusOr<Tensor> tensor = Tensor::Allocate(
      *options_.allocator, options_.transfer.dtype, options_.transfer.shape);
  if (!tensor.ok()) return Leave(options_.explain(tensor.status()));
  std::vector<Arrived> early;
  {
    MutexLock lock(mutex_);
    tensor_ = *std::move(tensor);
    is_allocated_ = true;
    early.swap(early_);
  }
  for (Arrived& arrived : early) Arrive(std::move(arrived));
  Leave();
}

void ChunkedReceive::FetchNext() {
  const Transfer& transfer = options_.transfer;
  int64_t chunk = 0;
  {
    MutexLock lock(mutex_);
    if (!failure_.ok() || next_ == transfer.num_chunks()) return;
    chunk = next_++;
  }
  options_.fetch(
      EncodeFetchChunkRequest({.step_id = options_.step_id,
                               .id = transfer.id,
                               .offset = transfer.OffsetOf(chunk),
                               .length = transfer.LengthOf(chunk)}),
      [self = shared_from_this(), chunk](absl::StatusOr<Payload> reply) {
        self->Receive(chunk, std::move(reply));
      });
}

void ChunkedReceive::Receive(int64_t chunk, absl::StatusOr<Payload> reply) {
  if (!Enter()) return;
  if (!reply.ok()) return Leave(reply.status());
  const absl::Status status = CheckBytes(chunk, *reply);
  if (!status.ok()) return Leave(options_.explain(status));
  Arrive({.chunk = chunk, .payload = *std::move(reply)});
  Leave();
}

absl::Status ChunkedReceive::CheckBytes(int64_t chunk,
                                        const Payload& payload) const {
  const int64_t bytes = MessageBytes(payload);
  const int64_t length = options_.transfer.LengthOf(chunk);
  if (bytes <= length + kSlack) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("it sent a message of ", bytes,
                                                 " bytes for a chunk of ",
                                                 length, " bytes"));
}

void ChunkedReceive::Arrive(Arrived arrived) {
  {
    MutexLock lock(mutex_);
    if (!failure_.ok()) return;
    if (!is_allocated_) return early_.push_back(std::move(arrived));
  }
  if (options_.transfer.LengthOf(arrived.chunk) <= kMaxInlineBytes) {
    return Copy(std::move(arrived));
  }
  options_.compute->Add(
      [self = shared_from_this(), arrived = std::move(arrived)]() mutable {
        self->Copy(std::move(arrived));
      });
}

void ChunkedReceive::Copy(Arrived arrived) {
  if (!Enter()) return;
  const absl::Status status = CopyToItsPlace(std::move(arrived));
  if (!status.ok()) return Leave(options_.explain(status));
  {
    MutexLock lock(mutex_);
    --missing_;
  }
  FetchNext();
  Leave();
}

absl::Status ChunkedReceive::CopyToItsPlace(Arrived arrived) {
  const Transfer& transfer = options_.transfer;
  const int64_t length = transfer.LengthOf(arrived.chunk);
  char* const place =
      tensor_.mutable_raw_data() + transfer.OffsetOf(arrived.chunk);
  PartAllocator allocator(tensor_.buffer(), place, static_cast<size_t>(length));
  Payload& payload = arrived.payload;
  const absl::Status status =
      payload.Materialize(allocator, nullptr, SaturatingAdd(length, kSlack));
  if (!status.ok()) return status;
  if (payload.tensors.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it sent ", payload.tensors.size(), " tensors instead of a chunk"));
  }
  const Tensor& chunk = payload.tensors[0].tensor;
  if (chunk.dtype() != DType::kUint8 || chunk.num_bytes() != length) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it sent ", Name(chunk.dtype()), chunk.shape().DebugString(),
        " instead of a chunk of ", length, " bytes"));
  }
  // If the sender is in this process, the chunk shares the sender's buffer and
  // must be copied.
  if (chunk.raw_data() != place) {
    std::memcpy(place, chunk.raw_data(), static_cast<size_t>(length));
  }
  return absl::OkStatus();
}

}  // namespace leat
