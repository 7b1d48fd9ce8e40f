// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/cuda_streams.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "leat/core/check.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/cuda/stream_allocator.h"

namespace leat {
namespace {

// When this many buffers or bytes are kept for small copies, an extra event is
// recorded to release them.
constexpr size_t kMostKept = 256;
constexpr size_t kMostKeptBytes = size_t{16} << 20;

char* AddressOf(const Tensor& tensor) {
  return const_cast<char*>(tensor.raw_data());
}

size_t BytesOf(const Tensor& tensor) {
  return static_cast<size_t>(tensor.num_bytes());
}

bool IsPinned(const Tensor& tensor) {
  return tensor.buffer()->memory().kind == MemoryKind::kPinned;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaStreams>> CudaStreams::New(
    const CudaStreamsOptions& options) {
  auto streams = std::unique_ptr<CudaStreams>(new CudaStreams(options));
  LEAT_RETURN_IF_ERROR(StartThreads([&] { return streams->Start(); }));
  return streams;
}

CudaStreams::CudaStreams(const CudaStreamsOptions& options)
    : options_(options), api_(*options_.api), health_(*options_.health) {}

absl::Status CudaStreams::Start() {
  LEAT_RETURN_IF_ERROR(Enter());
  events_ = std::make_unique<EventPool>(api_);
  for (CudaStream* stream : {&compute_, &to_device_, &to_host_}) {
    LEAT_ASSIGN_OR_RETURN(*stream, api_.NewStream());
  }
  {
    MutexLock lock(pieces_mutex_);
    for (Piece& piece : pieces_) {
      piece.memory = options_.pinned.AllocatePinned(kPiece);
      if (piece.memory == nullptr) {
        return absl::ResourceExhaustedError(
            "the system refuses pinned memory for copies to a GPU");
      }
    }
  }
  completions_ = std::make_unique<Completions>(
      CompletionsOptions{api_, health_, *events_, options_.queue,
                         options_.clock, options_.ordinal});
  return absl::OkStatus();
}

CudaStreams::~CudaStreams() {
  completions_.reset();
  // These calls fail only if the GPU is lost. Then no work runs on it.
  Enter().IgnoreError();
  for (CudaStream stream : {compute_, to_device_, to_host_}) {
    if (stream != nullptr) WaitFor(stream).IgnoreError();
  }
  TakeKept();
  {
    MutexLock lock(pieces_mutex_);
    for (Piece& piece : pieces_) {
      if (piece.last_use != nullptr) events_->Return(piece.last_use);
    }
  }
  events_.reset();
  for (CudaStream stream : {compute_, to_device_, to_host_}) {
    if (stream != nullptr) api_.FreeStream(stream).IgnoreError();
  }
}

// ---- What all functions share ----

absl::Status CudaStreams::Enter() {
  LEAT_RETURN_IF_ERROR(health_.status());
  LEAT_RETURN_IF_ERROR(health_.Note(api_.SetDevice(options_.ordinal)));
  num_queued_.fetch_add(1, std::memory_order_relaxed);
  return absl::OkStatus();
}

absl::Status CudaStreams::Order(CudaStream earlier, CudaStream later) {
  const absl::StatusOr<CudaEvent> event = events_->Record(earlier);
  absl::Status status = health_.Note(event.status());
  if (event.ok()) {
    status = health_.Note(api_.Wait(later, *event));
    events_->Return(*event);
  }
  return status.ok() ? status : WaitFor(earlier);
}

absl::Status CudaStreams::WaitFor(CudaStream stream) {
  LEAT_RETURN_IF_ERROR(health_.status());
  return health_.Note(api_.Synchronize(stream));
}

void CudaStreams::Complete(CudaStream stream, std::vector<BufferRef> kept,
                           Done done) {
  if (stream == compute_) {
    // The work that uses these buffers was queued before the event.
    std::vector<BufferRef> more = TakeKept();
    kept.insert(kept.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  }
  const absl::StatusOr<CudaEvent> event = events_->Record(stream);
  if (event.ok()) {
    completions_->Add(*event, std::move(kept), std::move(done));
    return;
  }
  health_.Note(event.status()).IgnoreError();
  Finish(std::move(done), WaitFor(stream));
}

void CudaStreams::Finish(Done done, const absl::Status& status) {
  if (done == nullptr) {
    health_.Defer(status);
    return;
  }
  options_.queue.Add(
      [done = std::move(done), status]() mutable { std::move(done)(status); });
}

void CudaStreams::Keep(BufferRef buffer) {
  bool is_full;
  {
    MutexLock lock(mutex_);
    kept_bytes_ += buffer->size();
    kept_.push_back(std::move(buffer));
    is_full = kept_.size() >= kMostKept || kept_bytes_ >= kMostKeptBytes;
  }
  if (is_full) Complete(compute_, {}, nullptr);
}

std::vector<BufferRef> CudaStreams::TakeKept() {
  MutexLock lock(mutex_);
  kept_bytes_ = 0;
  return std::exchange(kept_, {});
}

// ---- Kernels ----

CUstream_st* CudaStreams::handle() {
  if (health_.Note(api_.SetDevice(options_.ordinal)).ok()) {
    num_queued_.fetch_add(1, std::memory_order_relaxed);
  }
  return compute_;
}

absl::Status CudaStreams::CheckLaunch() {
  LEAT_RETURN_IF_ERROR(health_.status());
  return health_.Note(api_.LastError());
}

absl::Status CudaStreams::EndKernel() {
  if (!options_.synchronizes) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(Enter());
  for (CudaStream stream : {to_device_, compute_, to_host_}) {
    LEAT_RETURN_IF_ERROR(WaitFor(stream));
  }
  return absl::OkStatus();
}

bool CudaStreams::HasFailedLate() const {
  return health_.is_lost() && !options_.synchronizes;
}

absl::Status CudaStreams::CopyOnDevice(void* to, const void* from,
                                       size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(Enter());
  return health_.Note(api_.CopyOnDevice(compute_, static_cast<char*>(to),
                                        static_cast<const char*>(from), bytes));
}

absl::Status CudaStreams::Fill(void* to, uint8_t value, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(Enter());
  return health_.Note(
      api_.Fill(compute_, static_cast<char*>(to), value, bytes));
}

BufferRef CudaStreams::AllocatePinned(size_t bytes) {
  return options_.pinned.AllocatePinned(bytes);
}

// ---- Copies to the GPU ----

absl::Status CudaStreams::CopyToDevice(const Tensor& from, const Tensor& to) {
  LEAT_CHECK(!from.IsOnGpu() && to.IsOnGpu());
  LEAT_CHECK(from.num_bytes() == to.num_bytes());
  const size_t bytes = BytesOf(from);
  if (bytes == 0) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(Enter());
  if (IsPinned(from)) {
    return CopyPinnedToDevice(from.buffer(), from.raw_data(), AddressOf(to),
                              bytes);
  }
  return CopyOrdinaryToDevice(from.raw_data(), AddressOf(to), bytes);
}

absl::Status CudaStreams::CopyPinnedToDevice(BufferRef from, const char* begin,
                                             char* to, size_t bytes) {
  if (bytes <= kSmall) {
    LEAT_RETURN_IF_ERROR(
        health_.Note(api_.CopyToDevice(compute_, to, begin, bytes)));
    Keep(std::move(from));
    return absl::OkStatus();
  }
  LEAT_RETURN_IF_ERROR(Order(compute_, to_device_));
  LEAT_RETURN_IF_ERROR(
      health_.Note(api_.CopyToDevice(to_device_, to, begin, bytes)));
  LEAT_RETURN_IF_ERROR(Order(to_device_, compute_));
  Complete(to_device_, {std::move(from)}, nullptr);
  return absl::OkStatus();
}

absl::Status CudaStreams::CopyOrdinaryToDevice(const char* from, char* to,
                                               size_t bytes) {
  if (bytes <= kPiece) {
    BufferRef piece = options_.pinned.AllocatePinned(bytes);
    if (piece != nullptr) {
      std::memcpy(piece->data(), from, bytes);
      return CopyPinnedToDevice(piece, piece->data(), to, bytes);
    }
  }
  return CopyInPiecesToDevice(from, to, bytes);
}

absl::Status CudaStreams::CopyInPiecesToDevice(const char* from, char* to,
                                               size_t bytes) {
  MutexLock lock(pieces_mutex_);
  LEAT_RETURN_IF_ERROR(Order(compute_, to_device_));
  for (size_t begin = 0; begin < bytes; begin += kPiece) {
    Piece& piece = pieces_[begin / kPiece % 2];
    const size_t size = std::min(kPiece, bytes - begin);
    LEAT_RETURN_IF_ERROR(WaitForPiece(piece));
    std::memcpy(piece.memory->data(), from + begin, size);
    LEAT_RETURN_IF_ERROR(health_.Note(
        api_.CopyToDevice(to_device_, to + begin, piece.memory->data(), size)));
    LEAT_RETURN_IF_ERROR(UsePiece(piece, to_device_));
  }
  return Order(to_device_, compute_);
}

absl::Status CudaStreams::WaitForPiece(Piece& piece) {
  const CudaEvent event = std::exchange(piece.last_use, nullptr);
  if (event == nullptr) return absl::OkStatus();
  const absl::Status status = health_.Note(api_.Synchronize(event));
  events_->Return(event);
  return status;
}

absl::Status CudaStreams::UsePiece(Piece& piece, CudaStream stream) {
  const absl::StatusOr<CudaEvent> event = events_->Record(stream);
  if (event.ok()) {
    piece.last_use = *event;
    return absl::OkStatus();
  }
  health_.Note(event.status()).IgnoreError();
  return WaitFor(stream);
}

// ---- Copies to the host ----

void CudaStreams::CopyToHost(const Tensor& from, const Tensor& to, Done done) {
  LEAT_CHECK(from.IsOnGpu() && !to.IsOnGpu());
  LEAT_CHECK(from.num_bytes() == to.num_bytes());
  absl::Status status = Enter();
  if (status.ok() && BytesOf(from) > 0) {
    status = IsPinned(to) ? CopyToPinned(from, to.buffer(), AddressOf(to), done)
                          : CopyToOrdinary(from, to, done);
    if (status.ok()) return;
  }
  Finish(std::move(done), status);
}

absl::Status CudaStreams::CopyToPinned(const Tensor& from, BufferRef to,
                                       char* begin, Done& done) {
  const size_t bytes = BytesOf(from);
  if (bytes <= kSmall) {
    LEAT_RETURN_IF_ERROR(
        health_.Note(api_.CopyToHost(compute_, begin, from.raw_data(), bytes)));
    if (done == nullptr) {
      Keep(std::move(to));
    } else {
      Complete(compute_, {std::move(to)}, std::move(done));
    }
    return absl::OkStatus();
  }
  LEAT_RETURN_IF_ERROR(Order(compute_, to_host_));
  LEAT_RETURN_IF_ERROR(
      health_.Note(api_.CopyToHost(to_host_, begin, from.raw_data(), bytes)));
  Complete(to_host_, {from.buffer(), std::move(to)}, std::move(done));
  return absl::OkStatus();
}

absl::Status CudaStreams::CopyToOrdinary(const Tensor& from, const Tensor& to,
                                         Done& done) {
  const size_t bytes = BytesOf(from);
  BufferRef piece =
      bytes <= kPiece ? options_.pinned.AllocatePinned(bytes) : nullptr;
  if (piece == nullptr) {
    LEAT_RETURN_IF_ERROR(CopyInPiecesToHost(from, AddressOf(to)));
    Finish(std::move(done), absl::OkStatus());
    return absl::OkStatus();
  }
  // The queue has one thread, so a later Drain is done after the memcpy.
  Done finish = [health = options_.health, piece, to, bytes,
                 done = std::move(done)](absl::Status status) mutable {
    if (status.ok()) std::memcpy(AddressOf(to), piece->data(), bytes);
    if (done == nullptr) {
      health->Defer(status);
    } else {
      std::move(done)(status);
    }
  };
  const absl::Status status = CopyToPinned(from, piece, piece->data(), finish);
  if (!status.ok()) Finish(std::move(finish), status);
  return absl::OkStatus();
}

absl::Status CudaStreams::CopyInPiecesToHost(const Tensor& from, char* to) {
  MutexLock lock(pieces_mutex_);
  LEAT_RETURN_IF_ERROR(Order(compute_, to_host_));
  const size_t bytes = BytesOf(from);
  const size_t num_pieces = (bytes + kPiece - 1) / kPiece;
  // While the host copies one piece to `to`, the GPU copies the next one.
  for (size_t i = 0; i <= num_pieces; ++i) {
    if (i < num_pieces) {
      Piece& piece = pieces_[i % 2];
      LEAT_RETURN_IF_ERROR(WaitForPiece(piece));
      const size_t size = std::min(kPiece, bytes - i * kPiece);
      LEAT_RETURN_IF_ERROR(health_.Note(api_.CopyToHost(
          to_host_, piece.memory->data(), from.raw_data() + i * kPiece, size)));
      LEAT_RETURN_IF_ERROR(UsePiece(piece, to_host_));
    }
    if (i > 0) {
      Piece& piece = pieces_[(i - 1) % 2];
      LEAT_RETURN_IF_ERROR(WaitForPiece(piece));
      const size_t begin = (i - 1) * kPiece;
      std::memcpy(to + begin, piece.memory->data(),
                  std::min(kPiece, bytes - begin));
    }
  }
  return absl::OkStatus();
}

void CudaStreams::Drain(Done done) {
  if (absl::Status status = Enter(); !status.ok()) {
    Finish(std::move(done), status);
    return;
  }
  // The compute stream waits for copies to the GPU. Copies to the host have
  // added their events to completions_ before, so they complete before this
  // event.
  Complete(compute_, {},
           [health = options_.health,
            done = std::move(done)](absl::Status status) mutable {
             const absl::Status deferred = health->TakeDeferred();
             std::move(done)(status.ok() ? deferred : status);
           });
}

std::string CudaStreams::DescribeMemory() const {
  return memory_ == nullptr ? "" : memory_->Describe();
}

}  // namespace leat
