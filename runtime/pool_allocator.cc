// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/pool_allocator.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "leat/core/mutex.h"

namespace leat {
namespace {

// Block sizes are powers of two in four steps: at most a fifth is wasted.
constexpr int kStepBits = 2;
constexpr int kMinShift = 8;  // so that every step is a multiple of 64
constexpr int kMaxShift = 44;
constexpr int kNumClasses = (kMaxShift - kMinShift) << kStepBits;

int ClassOf(size_t bytes) {
  if (bytes <= (size_t{1} << kMinShift)) return 0;
  const int shift = std::bit_width(bytes - 1) - 1;
  const size_t step = (bytes - 1) >> (shift - kStepBits);
  return ((shift - kMinShift) << kStepBits) +
         static_cast<int>(step & ((1 << kStepBits) - 1)) + 1;
}

size_t ClassBytes(int size_class) {
  const int shift = kMinShift + (size_class >> kStepBits);
  const size_t step = size_class & ((1 << kStepBits) - 1);
  return (size_t{1} << shift) + (step << (shift - kStepBits));
}

}  // namespace

// Free blocks, one list a size. Destroyed when the allocator and every buffer
// are gone.
class PoolAllocator::Pool {
 public:
  explicit Pool(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~Pool() { FreeKept(); }

  // A block of the class, or null.
  void* Take(int size_class) {
    FreeList& list = lists_[size_class];
    const int64_t bytes = static_cast<int64_t>(ClassBytes(size_class));
    {
      MutexLock lock(list.mutex);
      if (list.head != nullptr) {
        FreeBlock* block = list.head;
        list.head = block->next;
        live_bytes_.fetch_add(bytes, std::memory_order_relaxed);
        kept_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
        return block;
      }
    }
    return TakeFromSystem(bytes);
  }

  void Give(void* memory, int size_class) {
    FreeList& list = lists_[size_class];
    const int64_t bytes = static_cast<int64_t>(ClassBytes(size_class));
    auto* block = new (memory) FreeBlock;
    live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    kept_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    MutexLock lock(list.mutex);
    block->next = list.head;
    list.head = block;
  }

  AllocatorStats stats() const {
    return {.live_bytes = live_bytes_.load(std::memory_order_relaxed),
            .kept_bytes = kept_bytes_.load(std::memory_order_relaxed),
            .system_requests = requests_.load(std::memory_order_relaxed)};
  }

 private:
  struct FreeBlock {
    FreeBlock* next = nullptr;
  };
  struct FreeList {
    Mutex mutex;
    FreeBlock* head ABSL_GUARDED_BY(mutex) = nullptr;
  };

  void* TakeFromSystem(int64_t bytes) {
    const auto total = [&] {
      return live_bytes_.load(std::memory_order_relaxed) +
             kept_bytes_.load(std::memory_order_relaxed);
    };
    if (bytes > limit_bytes_ - total()) FreeKept();
    if (bytes > limit_bytes_ - total()) return nullptr;
    void* memory =
        std::aligned_alloc(kBufferAlignment, static_cast<size_t>(bytes));
    if (memory == nullptr) {
      FreeKept();
      memory = std::aligned_alloc(kBufferAlignment, static_cast<size_t>(bytes));
      if (memory == nullptr) return nullptr;
    }
    requests_.fetch_add(1, std::memory_order_relaxed);
    live_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return memory;
  }

  void FreeKept() {
    for (int i = 0; i < kNumClasses; ++i) {
      FreeBlock* block;
      {
        MutexLock lock(lists_[i].mutex);
        block = std::exchange(lists_[i].head, nullptr);
      }
      while (block != nullptr) {
        FreeBlock* next = block->next;
        kept_bytes_.fetch_sub(static_cast<int64_t>(ClassBytes(i)),
                              std::memory_order_relaxed);
        std::free(block);
        block = next;
      }
    }
  }

  const int64_t limit_bytes_;
  std::atomic<int64_t> live_bytes_{0};
  std::atomic<int64_t> kept_bytes_{0};
  std::atomic<int64_t> requests_{0};
  std::array<FreeList, kNumClasses> lists_;
};

namespace {

// Lies at the head of its block; the data follows at the next cache line.
template <class Pool>
class PooledBuffer final : public Buffer {
 public:
  static constexpr size_t kHeader = kBufferAlignment;

  PooledBuffer(std::shared_ptr<Pool> pool, int size_class, size_t bytes)
      : Buffer(reinterpret_cast<char*>(this) + kHeader, bytes),
        pool_(std::move(pool)),
        size_class_(size_class) {}

 private:
  void Dispose() override {
    std::shared_ptr<Pool> pool = std::move(pool_);
    const int size_class = size_class_;
    this->~PooledBuffer();
    pool->Give(this, size_class);
  }

  std::shared_ptr<Pool> pool_;
  const int size_class_;
};

}  // namespace

PoolAllocator::PoolAllocator(PoolAllocatorOptions options)
    : options_(std::move(options)),
      pool_(std::make_shared<Pool>(options_.limit_bytes)) {}

PoolAllocator::~PoolAllocator() = default;

BufferRef PoolAllocator::Allocate(size_t bytes) {
  using Header = PooledBuffer<Pool>;
  static_assert(sizeof(Header) <= Header::kHeader);
  constexpr size_t kMost = size_t{1} << (kMaxShift - 1);
  if (bytes > kMost) return nullptr;
  const int size_class = ClassOf(bytes + Header::kHeader);
  void* memory = pool_->Take(size_class);
  if (memory == nullptr) return nullptr;
  return BufferRef(new (memory) Header(pool_, size_class, bytes));
}

AllocatorStats PoolAllocator::stats() const { return pool_->stats(); }

}  // namespace leat
