// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/chunked_receive.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"

namespace leat {
namespace {

// What a payload takes beside the bytes of its tensor.
constexpr int64_t kSlack = 4096;

// A part of another buffer.
class Part final : public Buffer {
 public:
  Part(BufferRef whole, char* data, size_t size)
      : Buffer(data, size), whole_(std::move(whole)) {}

 private:
  void Dispose() override { delete this; }

  const BufferRef whole_;
};

// Gives that part, once, to what is just as large, so that bytes are decoded
// where they belong.
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
  // So that nothing is adopted: it belongs elsewhere.
  BufferRef Reserve(int64_t) override { return nullptr; }
  absl::string_view name() const override { return "part"; }

 private:
  BufferRef whole_;
  char* const data_;
  const size_t size_;
};

}  // namespace

void ChunkedReceive::Start(Options options, Payload first, Done done) {
  const int in_flight = options.in_flight;
  const auto receive =
      std::make_shared<ChunkedReceive>(std::move(options), std::move(done));
  // It may take long: the system clears the memory.
  receive->options_.compute->Add([receive] { receive->Allocate(); });
  for (int i = 0; i < in_flight; ++i) receive->FetchNext();
  receive->Arrive({.chunk = 0, .payload = std::move(first)});
}

ChunkedReceive::ChunkedReceive(Options options, Done done)
    : options_(std::move(options)),
      missing_(options_.transfer.num_chunks()),
      done_(std::move(done)) {}

void ChunkedReceive::Allocate() {
  const absl::Status failed = failure();
  absl::StatusOr<Tensor> tensor =
      failed.ok()
          ? Tensor::Allocate(*options_.allocator, options_.transfer.dtype,
                             options_.transfer.shape)
          : failed;
  if (failed.ok() && !tensor.ok()) Fail(options_.explain(tensor.status()));
  std::vector<Arrived> early;
  Done done;
  absl::Status ended;
  {
    MutexLock lock(mutex_);
    is_allocating_ = false;
    ended = failure_;
    if (ended.ok()) {
      tensor_ = *std::move(tensor);
      early.swap(early_);
    } else {
      std::swap(done, done_);
    }
  }
  if (!ended.ok()) {
    tensor = ended;  // Nothing of the allocator's is left behind `done`.
    return std::move(done)(ended);
  }
  for (Arrived& arrived : early) Arrive(std::move(arrived));
}

absl::Status ChunkedReceive::failure() {
  MutexLock lock(mutex_);
  return failure_;
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
  if (!reply.ok()) return Fail(reply.status());
  FetchNext();
  Arrive({.chunk = chunk, .payload = *std::move(reply)});
}

void ChunkedReceive::Arrive(Arrived arrived) {
  {
    MutexLock lock(mutex_);
    if (!failure_.ok()) return;
    if (is_allocating_) return early_.push_back(std::move(arrived));
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
  const absl::Status status = CopyToItsPlace(std::move(arrived));
  if (!status.ok()) return Fail(options_.explain(status));
  Done done;
  {
    MutexLock lock(mutex_);
    if (--missing_ > 0 || !failure_.ok()) return;
    std::swap(done, done_);
  }
  std::move(done)(std::move(tensor_));
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
    return absl::InvalidArgumentError(
        absl::StrCat(payload.tensors.size(), " tensors instead of a chunk"));
  }
  const Tensor& chunk = payload.tensors[0].tensor;
  if (chunk.dtype() != DType::kUint8 || chunk.num_bytes() != length) {
    return absl::InvalidArgumentError(
        absl::StrCat("a ", Name(chunk.dtype()), chunk.shape().DebugString(),
                     " instead of a chunk of ", length, " bytes"));
  }
  // Within a process it is the sender's.
  if (chunk.raw_data() != place) {
    std::memcpy(place, chunk.raw_data(), static_cast<size_t>(length));
  }
  return absl::OkStatus();
}

void ChunkedReceive::Fail(const absl::Status& status) {
  Done done;
  std::vector<Arrived> early;  // freed outside the lock
  {
    MutexLock lock(mutex_);
    if (!failure_.ok() || done_ == nullptr) return;
    failure_ = status;
    early.swap(early_);
    if (is_allocating_) return;  // It uses what is borrowed until `done`.
    std::swap(done, done_);
  }
  std::move(done)(status);
}

}  // namespace leat
