// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Buffer: reference-counted bytes. Allocator: where they come from.
//
// Tensors share Buffers; the last BufferRef gives the bytes back to where they
// came from. The count is thread-safe; the bytes are as safe as their users.
#ifndef LEAT_CORE_BUFFER_H_
#define LEAT_CORE_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "boost/smart_ptr/intrusive_ptr.hpp"

namespace leat {

// Alignment of every tensor buffer, in bytes: a cache line and an AVX-512 lane.
inline constexpr size_t kBufferAlignment = 64;

class Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  char* data() const { return data_; }
  size_t size() const { return size_; }  // bytes

  // True if the caller holds the only reference, so nobody else can read or
  // take one: the bytes may be changed in place.
  bool IsUnique() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  Buffer(char* data, size_t size) : data_(data), size_(size) {}
  virtual ~Buffer() = default;

  // Frees the bytes and this object; called by the last reference.
  virtual void Dispose() = 0;

 private:
  friend void intrusive_ptr_add_ref(Buffer* buffer) {
    buffer->refs_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(Buffer* buffer) {
    // The last owner need not pay for an atomic read-modify-write.
    if (buffer->refs_.load(std::memory_order_acquire) == 1 ||
        buffer->refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      buffer->Dispose();
    }
  }

  char* const data_;
  const size_t size_;
  std::atomic<int32_t> refs_{0};
};

using BufferRef = boost::intrusive_ptr<Buffer>;

// What an allocator holds, in bytes.
struct AllocatorStats {
  int64_t live_bytes = 0;       // in buffers now, and reserved
  int64_t kept_bytes = 0;       // freed and kept
  int64_t system_requests = 0;  // blocks taken from the system so far
};

// Thread-safe. Outlives every Buffer it gave out.
class Allocator {
 public:
  virtual ~Allocator() = default;

  // At least `bytes` bytes at kBufferAlignment, uninitialised; null when the
  // memory is exhausted. A request for 0 bytes gives a valid empty Buffer.
  virtual BufferRef Allocate(size_t bytes) = 0;

  // Counts `bytes` that objects in this allocator's buffers hold elsewhere,
  // such as the characters of strings, until the last reference to the result
  // goes. Null when that is more than there is; an allocator that does not
  // count gives an empty Buffer. REQUIRES: not negative.
  virtual BufferRef Reserve(int64_t bytes);

  virtual absl::string_view name() const = 0;

  // Zeros for an allocator that does not count.
  virtual AllocatorStats stats() const { return {}; }
};

// malloc. Never destroyed, stateless.
Allocator& HostAllocator();

}  // namespace leat

#endif  // LEAT_CORE_BUFFER_H_
