// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RegionHeap cuts blocks from a few large regions of memory, because CUDA takes
// milliseconds to make a region. Its records about the blocks lie in memory of
// the host.
//
//   const auto heap =
//       RegionHeap::New(std::move(source), {.limit_bytes = 1 << 30});
//   BufferRef block = heap->Allocate(1000);
#ifndef LEAT_RUNTIME_CUDA_REGION_HEAP_H_
#define LEAT_RUNTIME_CUDA_REGION_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "leat/core/buffer.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Gives regions of memory to a heap. The heap calls the source from one thread
// at a time.
class RegionSource {
 public:
  virtual ~RegionSource() = default;
  // Returns a region of `bytes` bytes, aligned to RegionHeap::kAlignment, or
  // null if there is no memory.
  virtual char* Take(size_t bytes) = 0;
  // Takes back a region that Take returned.
  virtual void Give(char* region) = 0;
  // Returns in which memory the regions lie.
  virtual Memory memory() const = 0;
  // The heap calls Begin when it hands out a block, and End when the block is
  // freed.
  virtual void Begin(char* /*block*/, size_t /*bytes*/) {}
  virtual void End(char* /*block*/, size_t /*bytes*/) {}
};

struct RegionHeapOptions {
  // The most bytes in all regions together.
  int64_t limit_bytes = int64_t{1} << 62;
  // The size of the first region, if the limit allows it. Each further region
  // is twice as large as the one before, or as large as the request.
  int64_t first_region_bytes = int64_t{2} << 20;
};

// The figures that AllocatorStats lacks. Sizes are in bytes.
struct RegionHeapStats {
  int64_t peak_live_bytes = 0;  // the most live bytes so far
  int64_t largest_request = 0;  // so far
  int64_t largest_free = 0;     // the largest block that is free now
  int64_t num_regions = 0;
  int64_t num_live = 0;  // blocks
};

// Thread-safe. Takes the smallest free block that is large enough, and joins a
// block that is freed with its free neighbours. Both take logarithmic time.
//
// A freed block may be handed out at once. If queued work still uses the block,
// the caller must make sure that the work of the next user runs after that
// work.
class RegionHeap : public std::enable_shared_from_this<RegionHeap> {
 public:
  // The alignment of a block, and the unit of its size, in bytes. CUDA aligns
  // its memory in the same way.
  static constexpr size_t kAlignment = 256;

  // The heap owns the source. Buffers share the heap, so they may outlive the
  // last other reference to it.
  static std::shared_ptr<RegionHeap> New(std::unique_ptr<RegionSource> source,
                                         RegionHeapOptions options = {});
  // Gives all regions back.
  ~RegionHeap();
  RegionHeap(const RegionHeap&) = delete;
  RegionHeap& operator=(const RegionHeap&) = delete;

  // Returns a block, or null if the limit is reached or the source has no
  // memory.
  BufferRef Allocate(size_t bytes);

  // Gives back the regions in which no block has been live since the last call.
  // Returns how many bytes they had.
  int64_t GiveBackUnused();

  AllocatorStats stats() const;
  RegionHeapStats heap_stats() const;
  // Describes how the memory is used: the sizes of the largest live blocks, the
  // number of free blocks, and the largest of them.
  std::string Describe() const;

 private:
  struct Region;
  struct Chunk;
  class Block;
  struct SmallerFirst {
    using is_transparent = void;
    bool operator()(const Chunk* a, const Chunk* b) const;
    bool operator()(const Chunk* a, size_t bytes) const;
  };

  RegionHeap(std::unique_ptr<RegionSource> source, RegionHeapOptions options);

  // Removes a free chunk that is large enough from `free_` and returns it, or
  // returns null if there is none.
  Chunk* TakeChunk(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Adds a region of at least `bytes` bytes. Returns false if the limit is
  // reached or the source has no memory.
  bool Grow(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AddRegion(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Gives back the regions without a live block. If `only_unused`, gives back
  // only those in which no block has been live since the last call. Returns how
  // many bytes they had.
  int64_t RemoveRegions(bool only_unused) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Shortens the chunk to `bytes` bytes, and makes the rest a free chunk.
  void Split(Chunk* chunk, size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Joins a chunk with the chunk behind it.
  void JoinWithNext(Chunk* chunk) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Free(Chunk* chunk);

  const std::unique_ptr<RegionSource> source_;
  const RegionHeapOptions options_;
  const Memory memory_;

  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Region>> regions_ ABSL_GUARDED_BY(mutex_);
  std::set<Chunk*, SmallerFirst> free_ ABSL_GUARDED_BY(mutex_);
  size_t next_region_bytes_ ABSL_GUARDED_BY(mutex_);
  size_t held_bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // in all regions
  size_t live_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_requests_ ABSL_GUARDED_BY(mutex_) = 0;  // to the source
  RegionHeapStats figures_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_REGION_HEAP_H_
