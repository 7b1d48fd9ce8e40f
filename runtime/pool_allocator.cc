// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/pool_allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "leat/core/allocation_gate.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

// Blocks are divided into classes by their size. The sizes are the powers of
// two and, between each power of two and the next, three more sizes.
constexpr int kStepBits = 2;
constexpr int kMinShift = 8;  // so that all sizes are multiples of 64
constexpr int kMaxShift = 44;
constexpr int kNumClasses = (kMaxShift - kMinShift) << kStepBits;

// Returns the smallest class whose blocks have at least `bytes` bytes.
int ClassOf(size_t bytes) {
  if (bytes <= (size_t{1} << kMinShift)) return 0;
  const int shift = std::bit_width(bytes - 1) - 1;
  const size_t step = (bytes - 1) >> (shift - kStepBits);
  return ((shift - kMinShift) << kStepBits) +
         static_cast<int>(step & ((1 << kStepBits) - 1)) + 1;
}

// Returns the size of the blocks of a class, in bytes.
size_t ClassBytes(int size_class) {
  const int shift = kMinShift + (size_class >> kStepBits);
  const size_t step = size_class & ((1 << kStepBits) - 1);
  return (size_t{1} << shift) + (step << (shift - kStepBits));
}

// Before the pool takes a block of this many bytes or more from the system, it
// frees surplus blocks (FreeSurplus).
constexpr int64_t kLarge = int64_t{1} << 20;
constexpr size_t kHugePage = size_t{1} << 21;

size_t RoundedToHugePages(size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

// Maps memory that begins at a huge page. Returns null if there is none.
void* MapHugePages(size_t bytes) {
  const size_t mapped = bytes + kHugePage;
  void* const memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(memory);
  const size_t before = RoundedToHugePages(reinterpret_cast<size_t>(memory)) -
                        reinterpret_cast<size_t>(memory);
  if (before > 0) munmap(begin, before);
  if (before < kHugePage) munmap(begin + before + bytes, kHugePage - before);
  return begin + before;
}

// Returns true if blocks of kHugePage bytes or more come from mmap. They do if
// the address space is limited, because the space of a freed block must then
// return to the system at once. Otherwise they come from malloc, which keeps
// the pages of a freed block for a while. So a block that is needed again soon
// causes no page faults.
bool MapsLargeBlocks() {
  static const bool maps = IsAddressSpaceLimited();
  return maps;
}

// Takes memory from the system. Returns null if there is none. Asks for huge
// pages for large blocks. A large tensor is often written and read only once,
// and with small pages the misses of the address cache (TLB) would double the
// time for this.
void* SystemAllocate(size_t bytes) {
  if (static_cast<int64_t>(bytes) >= kLarge &&
      !HasFreeMemory(static_cast<int64_t>(bytes))) {
    return nullptr;
  }
  if (bytes < kHugePage) return std::aligned_alloc(kBufferAlignment, bytes);
  const size_t rounded = RoundedToHugePages(bytes);
  void* const memory = MapsLargeBlocks()
                           ? MapHugePages(rounded)
                           : std::aligned_alloc(kHugePage, rounded);
  // This is only advice: if the system refuses it, ordinary pages are used.
  if (memory != nullptr) madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

// Frees what SystemAllocate has returned for `bytes`.
void SystemFree(void* memory, size_t bytes) {
  if (bytes < kHugePage || !MapsLargeBlocks()) {
    std::free(memory);
  } else {
    munmap(memory, RoundedToHugePages(bytes));
  }
}

}  // namespace

// Holds the blocks, in one list per size. The allocator, every list with blocks
// in use and every reservation hold a reference to the pool. So the pool is
// deleted when the allocator and all buffers have been destroyed. A step takes
// and returns thousands of blocks. Take and Give must therefore be fast: each
// takes one lock and usually makes no other atomic operation.
class PoolAllocator::Pool {
 public:
  explicit Pool(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~Pool() { FreeKept(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // Returns a block of the class, or null if there is no memory.
  void* Take(int size_class) {
    BlockList& list = lists_[size_class];
    {
      MutexLock lock(list.mutex);
      // Counts the block before it exists. The count also keeps the pool alive
      // while this thread asks the system for memory.
      if (list.Add(1) == 1) {
        references_.fetch_add(1, std::memory_order_relaxed);
      }
      if (FreeBlock* block = list.head; block != nullptr) {
        list.head = block->next;
        list.least_kept = std::min(list.least_kept, --list.num_kept);
        return block;
      }
    }
    void* memory = TakeFromSystem(size_class);
    if (memory == nullptr) UncountOne(list);
    return memory;
  }

  void Give(void* memory, int size_class) {
    BlockList& list = lists_[size_class];
    auto* block = new (memory) FreeBlock;
    bool none_in_use;
    {
      MutexLock lock(list.mutex);
      block->next = list.head;
      list.head = block;
      ++list.num_kept;
      none_in_use = list.Add(-1) == 0;
    }
    if (none_in_use) Release();
  }

  // Counts bytes that are held elsewhere. Returns false if the limit does not
  // allow them.
  bool AddReserved(int64_t bytes) {
    if (!CountFreeingKept(bytes)) return false;
    reserved_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    references_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  void GiveReserved(int64_t bytes) {
    reserved_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    Release();
  }

  // Frees the blocks that have not been used since the last call. Returns how
  // many bytes they had.
  int64_t FreeUnused() {
    int64_t bytes = 0;
    for (int i = 0; i < kNumClasses; ++i) {
      FreeBlock* unused = nullptr;
      {
        MutexLock lock(lists_[i].mutex);
        unused = lists_[i].TakeUnused();
      }
      bytes += Free(unused, i);
    }
    return bytes;
  }

  AllocatorStats stats() const {
    AllocatorStats stats;
    stats.live_bytes =
        BytesInUse() + reserved_bytes_.load(std::memory_order_relaxed);
    // The numbers may change between the two reads, so the difference may be
    // below 0.
    stats.kept_bytes = std::max<int64_t>(
        0, held_bytes_.load(std::memory_order_relaxed) - stats.live_bytes);
    stats.system_requests = requests_.load(std::memory_order_relaxed);
    return stats;
  }

 private:
  struct FreeBlock {
    FreeBlock* next = nullptr;
  };
  struct BlockList {
    Mutex mutex;
    FreeBlock* head ABSL_GUARDED_BY(mutex) = nullptr;
    // `num_kept` is the number of blocks in the list now. `least_kept` is the
    // smallest such number since the last call of FreeUnused.
    int64_t num_kept ABSL_GUARDED_BY(mutex) = 0;
    int64_t least_kept ABSL_GUARDED_BY(mutex) = 0;
    std::atomic<int64_t> in_use{0};  // changes under the lock

    // Removes the last `least_kept` blocks of the list and returns them as a
    // list. These blocks have not been used since the last call, because blocks
    // are taken only from the front and the list was never shorter.
    FreeBlock* TakeUnused() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
      FreeBlock** end = &head;
      for (int64_t i = least_kept; i < num_kept; ++i) end = &(*end)->next;
      num_kept -= least_kept;
      least_kept = num_kept;
      return std::exchange(*end, nullptr);
    }

    int64_t Add(int64_t blocks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
      const int64_t now = in_use.load(std::memory_order_relaxed) + blocks;
      in_use.store(now, std::memory_order_relaxed);
      return now;
    }
  };

  // Returns the number of bytes in blocks that are in use.
  int64_t BytesInUse() const {
    int64_t bytes = 0;
    for (int i = 0; i < kNumClasses; ++i) {
      bytes += lists_[i].in_use.load(std::memory_order_relaxed) *
               static_cast<int64_t>(ClassBytes(i));
    }
    return bytes;
  }

  void UncountOne(BlockList& list) {
    bool none_in_use;
    {
      MutexLock lock(list.mutex);
      none_in_use = list.Add(-1) == 0;
    }
    if (none_in_use) Release();
  }

  void* TakeFromSystem(int size_class) {
    const int64_t bytes = static_cast<int64_t>(ClassBytes(size_class));
    if (bytes >= kLarge) FreeSurplus();
    if (!CountFreeingKept(bytes)) return nullptr;
    void* memory = SystemAllocate(static_cast<size_t>(bytes));
    if (memory == nullptr) {
      FreeKept();
      memory = SystemAllocate(static_cast<size_t>(bytes));
    }
    if (memory == nullptr) {
      held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
      return nullptr;
    }
    requests_.fetch_add(1, std::memory_order_relaxed);
    return memory;
  }

  bool CountFreeingKept(int64_t bytes) {
    if (Count(bytes)) return true;
    FreeKept();
    return Count(bytes);
  }

  // Frees the kept blocks if they have more than twice as many bytes as were in
  // use at this or any earlier call. Otherwise blocks whose size no step needs
  // any more, because the batch size has changed, would pile up.
  void FreeSurplus() {
    const int64_t in_use = BytesInUse();
    int64_t peak = peak_bytes_.load(std::memory_order_relaxed);
    while (in_use > peak && !peak_bytes_.compare_exchange_weak(
                                peak, in_use, std::memory_order_relaxed)) {
    }
    const int64_t kept = held_bytes_.load(std::memory_order_relaxed) -
                         reserved_bytes_.load(std::memory_order_relaxed) -
                         in_use;
    if (kept / 2 > std::max(in_use, peak)) FreeKept();
  }

  // Counts bytes that are about to be taken. Returns false if the limit does
  // not allow them.
  bool Count(int64_t bytes) {
    int64_t held = held_bytes_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_bytes_ - held) return false;
    } while (!held_bytes_.compare_exchange_weak(held, held + bytes,
                                                std::memory_order_relaxed));
    return true;
  }

  void FreeKept() {
    for (int i = 0; i < kNumClasses; ++i) {
      FreeBlock* block;
      {
        MutexLock lock(lists_[i].mutex);
        block = std::exchange(lists_[i].head, nullptr);
        lists_[i].num_kept = lists_[i].least_kept = 0;
      }
      Free(block, i);
    }
  }

  // Frees a list of blocks of a class. Returns how many bytes they had.
  int64_t Free(FreeBlock* blocks, int size_class) {
    const auto size = static_cast<int64_t>(ClassBytes(size_class));
    int64_t bytes = 0;
    while (blocks != nullptr) {
      SystemFree(std::exchange(blocks, blocks->next),
                 static_cast<size_t>(size));
      held_bytes_.fetch_sub(size, std::memory_order_relaxed);
      bytes += size;
    }
    return bytes;
  }

  const int64_t limit_bytes_;
  std::atomic<int64_t> references_{1};  // the allocator holds one
  std::atomic<int64_t> held_bytes_{0};  // in use, reserved or kept
  std::atomic<int64_t> reserved_bytes_{0};
  // Is the maximum of the bytes in use at all calls of FreeSurplus so far.
  std::atomic<int64_t> peak_bytes_{0};
  std::atomic<int64_t> requests_{0};
  std::array<BlockList, kNumClasses> lists_;
};

namespace {

// A PooledBuffer is a buffer whose object lies at the head of its block. The
// data begins at the next cache line.
template <class Pool>
class PooledBuffer final : public Buffer {
 public:
  static constexpr size_t kHeader = kBufferAlignment;

  PooledBuffer(Pool* pool, int size_class, size_t bytes)
      : Buffer(reinterpret_cast<char*>(this) + kHeader, bytes),
        pool_(pool),
        size_class_(size_class) {}

 private:
  void Dispose() override {
    Pool* const pool = pool_;
    const int size_class = size_class_;
    this->~PooledBuffer();
    pool->Give(this, size_class);
  }

  Pool* const pool_;
  const int size_class_;
};

// A Reservation is a buffer without bytes of its own, which only counts bytes
// that are held elsewhere.
template <class Pool>
class Reservation final : public Buffer {
 public:
  Reservation(Pool* pool, int64_t bytes)
      : Buffer(nullptr, 0), pool_(pool), bytes_(bytes) {}

 private:
  void Dispose() override {
    pool_->GiveReserved(bytes_);
    delete this;
  }

  Pool* const pool_;
  const int64_t bytes_;
};

}  // namespace

PoolAllocator::PoolAllocator(PoolAllocatorOptions options)
    : options_(std::move(options)), pool_(new Pool(options_.limit_bytes)) {}

PoolAllocator::~PoolAllocator() { pool_->Release(); }

BufferRef PoolAllocator::Allocate(size_t bytes) {
  using Header = PooledBuffer<Pool>;
  static_assert(sizeof(Header) <= Header::kHeader);
  constexpr size_t kMost = size_t{1} << (kMaxShift - 1);
  if (bytes > kMost || !AllocationGate::Admits()) return nullptr;
  const int size_class = ClassOf(bytes + Header::kHeader);
  void* memory = pool_->Take(size_class);
  if (memory == nullptr) return nullptr;
  return BufferRef(new (memory) Header(pool_, size_class, bytes));
}

BufferRef PoolAllocator::Reserve(int64_t bytes) {
  if (!AllocationGate::Admits() || !pool_->AddReserved(bytes)) return nullptr;
  return BufferRef(new Reservation<Pool>(pool_, bytes));
}

int64_t PoolAllocator::GiveBackUnused() { return pool_->FreeUnused(); }

AllocatorStats PoolAllocator::stats() const { return pool_->stats(); }

}  // namespace leat
