// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Buffer is a block of reference-counted bytes. Allocator makes Buffers.
//
// Tensors share Buffers. When the last BufferRef is destroyed, the bytes return
// to their allocator. The reference count is thread-safe. Access to the bytes
// is not synchronized: no thread may write bytes while another thread reads or
// writes them.
#ifndef LEAT_CORE_BUFFER_H_
#define LEAT_CORE_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "boost/smart_ptr/intrusive_ptr.hpp"
#include "leat/core/memory.h"

namespace leat {

// Is the alignment of every tensor buffer, in bytes. It is the size of a cache
// line and of an AVX-512 register.
inline constexpr size_t kBufferAlignment = 64;

// A Buffer is a block of bytes. It exists while a BufferRef refers to it. A
// subclass defines how the bytes are freed. The reference count is thread-safe.
class Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  char* data() const { return data_; }
  size_t size() const { return size_; }  // in bytes
  // Says where the bytes lie. The host must not access bytes of a GPU.
  Memory memory() const { return memory_; }

  // Returns true if the caller holds the only reference. Then nobody else can
  // read the bytes or take a reference, so the caller may change the bytes in
  // place.
  bool IsUnique() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  // The subclass owns the `size` bytes at `data`.
  Buffer(char* data, size_t size, Memory memory = {})
      : data_(data), size_(size), memory_(memory) {}
  virtual ~Buffer() = default;

  // Frees the bytes and this object. Is called once, when the last reference is
  // released.
  virtual void Dispose() = 0;

 private:
  friend void intrusive_ptr_add_ref(Buffer* buffer) {
    buffer->refs_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(Buffer* buffer) {
    // If the count is 1, no other thread can change it, so the last owner needs
    // no atomic read-modify-write.
    if (buffer->refs_.load(std::memory_order_acquire) == 1 ||
        buffer->refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      buffer->Dispose();
    }
  }

  char* const data_;
  const size_t size_;
  std::atomic<int32_t> refs_{0};
  const Memory memory_;
};

// Is a shared reference to a Buffer, or null.
using BufferRef = boost::intrusive_ptr<Buffer>;

// Says how much memory an allocator holds. Sizes are in bytes.
struct AllocatorStats {
  int64_t live_bytes = 0;       // in buffers, or counted by Reserve
  int64_t kept_bytes = 0;       // freed by users, kept to be used again
  int64_t system_requests = 0;  // blocks taken from the system so far
};

// An Allocator is a source of Buffers, such as the memory of a device. It is
// thread-safe. An allocator must outlive every Buffer that it has given out. If
// this rule does not apply to a class of allocators, the comment of the class
// says so.
class Allocator {
 public:
  virtual ~Allocator() = default;

  // Returns a buffer of at least `bytes` uninitialised bytes, aligned to
  // kBufferAlignment, or null if the memory is exhausted. A request for 0 bytes
  // gives a valid empty Buffer.
  virtual BufferRef Allocate(size_t bytes) = 0;

  // Counts `bytes` more bytes as live. Call this for bytes that objects in this
  // allocator's buffers hold elsewhere, such as the characters of strings. The
  // bytes count until the last reference to the returned buffer is released.
  // Returns null if the allocator's limit does not allow the bytes. An
  // allocator that does not count returns an empty Buffer.
  // REQUIRES: bytes >= 0.
  virtual BufferRef Reserve(int64_t bytes);

  // Gives memory back to the system if it was kept for later buffers and was
  // not needed since the last call. Returns the number of bytes given back. An
  // allocator that keeps nothing returns 0.
  virtual int64_t GiveBackUnused() { return 0; }

  // Copies bytes between two places in this allocator's memory. In the memory
  // of a GPU, the copy is queued behind the earlier work of the GPU. If such a
  // copy fails, the error is reported at the end of the step.
  virtual void CopyBytes(char* to, const char* from, size_t bytes);

  // Returns a name for error messages, such as "CPU:0".
  virtual absl::string_view name() const = 0;

  // Returns the current figures, or zeros if this allocator does not count.
  virtual AllocatorStats stats() const { return {}; }
};

// Returns the allocator that takes memory from malloc. It has no limit, does
// not count, and is never destroyed.
Allocator& HostAllocator();

// Returns the allocator for small tensors that the program makes for itself,
// such as a constant of one number. Like `new`, it ends the process if there is
// no memory. So do not use it for tensors whose sizes come from a graph, a feed
// or a peer. It is never destroyed.
Allocator& SmallTensorAllocator();

}  // namespace leat

#endif  // LEAT_CORE_BUFFER_H_
