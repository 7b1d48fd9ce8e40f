// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CudaStreams has the streams of a GPU: one for kernels and one for large
// copies each way, so that copies go on while kernels run. It is the GpuStream
// of a CudaDevice.
#ifndef LEAT_RUNTIME_CUDA_CUDA_STREAMS_H_
#define LEAT_RUNTIME_CUDA_CUDA_STREAMS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/runtime/cuda/completions.h"
#include "leat/runtime/cuda/cuda_api.h"
#include "leat/runtime/cuda/device_health.h"
#include "leat/runtime/cuda/event_pool.h"
#include "leat/runtime/cuda/pinned_pool.h"

namespace leat {

class StreamAllocator;

// The objects that CudaStreams uses. `pinned`, `queue` and `clock` are borrowed
// and must outlive the streams. `libraries` is borrowed, too, and must exist
// only while CudaStreams::libraries() is used.
struct CudaStreamsOptions {
  std::shared_ptr<CudaApi> api;
  std::shared_ptr<DeviceHealth> health;
  int ordinal = 0;
  PinnedPool& pinned;
  WorkQueue& queue;  // has one thread, so that it keeps the order of closures
  Clock& clock;
  GpuLibraries& libraries;
  // If true, EndKernel waits until the work that the kernel queued has run.
  bool synchronizes = false;
};

// Thread-safe. How work of the streams is ordered:
//
//   - Memory of the GPU belongs to the compute stream (StreamAllocator).
//   - A large copy to the GPU first waits for the compute stream, because
//     queued work of the block's previous owner may still use it. The compute
//     stream waits for the copy.
//   - A large copy to the host waits for the compute stream, which does not
//     wait for the copy. So the copy keeps its source.
//   - A small copy is queued in the compute stream itself, so it needs no
//     events.
//   - Copies from and to memory that is not pinned go through pinned memory.
class CudaStreams final : public GpuStream {
 public:
  // The most bytes of a small copy.
  static constexpr size_t kSmall = size_t{64} << 10;
  // Memory that is not pinned is copied in pieces of this size.
  static constexpr size_t kPiece = size_t{4} << 20;

  // Makes the streams. Returns an error of CUDA, or RESOURCE_EXHAUSTED if the
  // system refuses a thread.
  static absl::StatusOr<std::unique_ptr<CudaStreams>> New(
      const CudaStreamsOptions& options);
  // Waits until all work has run.
  ~CudaStreams() override;

  CUstream_st* handle() override;
  absl::Status CheckLaunch() override;
  absl::Status EndKernel() override;
  uint64_t num_queued() const override {
    return num_queued_.load(std::memory_order_relaxed);
  }
  bool HasFailedLate() const override;
  absl::Status CopyOnDevice(void* to, const void* from, size_t bytes) override;
  absl::Status Fill(void* to, uint8_t value, size_t bytes) override;
  BufferRef AllocatePinned(size_t bytes) override;
  absl::Status CopyToDevice(const Tensor& from, const Tensor& to) override;
  void CopyToHost(const Tensor& from, const Tensor& to, Done done) override;
  void Drain(Done done) override;
  GpuLibraries& libraries() override { return options_.libraries; }
  std::string DescribeMemory() const override;

  // Sets the allocator that DescribeMemory describes. Borrows `memory`, which
  // must live as long as DescribeMemory may be called. Must be called before
  // another thread has this object.
  void set_memory(const StreamAllocator& memory) { memory_ = &memory; }

  // Returns the compute stream. It exists as long as this object.
  CudaStream compute() const { return compute_; }

 private:
  explicit CudaStreams(const CudaStreamsOptions& options);

  // Pinned memory for copies in pieces, with the event of its last use.
  struct Piece {
    BufferRef memory;
    CudaEvent last_use = nullptr;  // null if nothing uses it
  };

  absl::Status Start();
  // Must be called before work is queued. Makes the GPU current. Returns an
  // error if the GPU is lost.
  absl::Status Enter();
  // Makes `later` wait for all work that is queued in `earlier`. If CUDA
  // refuses the event for this, blocks the calling thread until that work has
  // run instead, and returns OK. Returns an error only if the GPU is lost.
  absl::Status Order(CudaStream earlier, CudaStream later);
  // Blocks until all work that is queued in `stream` has run.
  absl::Status WaitFor(CudaStream stream);
  // Calls `done`, which may be null, when all work that is queued in `stream`
  // has run. Keeps `kept` until then.
  void Complete(CudaStream stream, std::vector<BufferRef> kept, Done done);
  // Calls `done` on the queue. If `done` is null, passes an error to
  // DeviceHealth::Defer.
  void Finish(Done done, const absl::Status& status);
  // Keeps a buffer until the work that is queued in the compute stream has run.
  // The next event in that stream releases it.
  void Keep(BufferRef buffer);
  std::vector<BufferRef> TakeKept();

  // Queues a copy of bytes of the pinned buffer `from`, and keeps the buffer
  // until the copy has run.
  absl::Status CopyPinnedToDevice(BufferRef from, const char* begin, char* to,
                                  size_t bytes);
  absl::Status CopyOrdinaryToDevice(const char* from, char* to, size_t bytes);
  absl::Status CopyInPiecesToDevice(const char* from, char* to, size_t bytes);

  absl::Status CopyToPinned(const Tensor& from, BufferRef to, char* begin,
                            Done& done);
  absl::Status CopyToOrdinary(const Tensor& from, const Tensor& to, Done& done);
  absl::Status CopyInPiecesToHost(const Tensor& from, char* to);

  // WaitForPiece blocks until no queued work uses the piece. UsePiece notes
  // that the work now queued in `stream` uses it.
  absl::Status WaitForPiece(Piece& piece)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(pieces_mutex_);
  absl::Status UsePiece(Piece& piece, CudaStream stream)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(pieces_mutex_);

  const CudaStreamsOptions options_;
  CudaApi& api_;
  DeviceHealth& health_;
  CudaStream compute_ = nullptr;
  CudaStream to_device_ = nullptr;
  CudaStream to_host_ = nullptr;
  std::unique_ptr<EventPool> events_;
  const StreamAllocator* memory_ = nullptr;
  std::atomic<uint64_t> num_queued_{0};

  // A copy from or to ordinary memory uses these pieces if the copy is large,
  // or if the pool has no pinned memory left. Only one copy uses the pieces at
  // a time.
  Mutex pieces_mutex_;
  Piece pieces_[2] ABSL_GUARDED_BY(pieces_mutex_);

  Mutex mutex_;
  std::vector<BufferRef> kept_ ABSL_GUARDED_BY(mutex_);
  size_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;

  std::unique_ptr<Completions> completions_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_CUDA_STREAMS_H_
