// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MemoryAccount counts the bytes that its owner, such as a session, has
// allocated and not yet freed, and limits their number. AccountedAllocator
// takes memory from another allocator and charges it to an account.
#ifndef LEAT_CORE_DEVICES_ACCOUNTED_ALLOCATOR_H_
#define LEAT_CORE_DEVICES_ACCOUNTED_ALLOCATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"

namespace leat {

// A count of live bytes with a limit. Thread-safe. Every charged buffer keeps
// its account alive.
class MemoryAccount {
 public:
  // Error messages contain `owner`, for example "session 1a2b3c4d", unless it
  // is empty. At most `limit_bytes` may be charged at a time.
  MemoryAccount(std::string owner, int64_t limit_bytes)
      : owner_(std::move(owner)), limit_bytes_(limit_bytes) {}

  // Charges `bytes` to the account. Returns false, and charges nothing, if the
  // total would exceed the limit. REQUIRES: bytes >= 0.
  bool Take(int64_t bytes);
  // Takes back `bytes` that were charged with Take.
  void Give(int64_t bytes) {
    live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  const std::string& owner() const { return owner_; }
  // Returns how many bytes are charged now.
  int64_t live_bytes() const {
    return live_bytes_.load(std::memory_order_relaxed);
  }

 private:
  const std::string owner_;
  const int64_t limit_bytes_;
  std::atomic<int64_t> live_bytes_{0};
};

// Takes buffers from another allocator. Charges each buffer to an account until
// the last reference to the buffer is released. Thread-safe.
class AccountedAllocator final : public Allocator {
 public:
  // `memory` is borrowed and must outlive every buffer that this allocator has
  // given out. The buffers may outlive this allocator.
  AccountedAllocator(Allocator& memory, std::shared_ptr<MemoryAccount> account);

  // Allocate and Reserve return null if `memory` is exhausted or if the
  // account's limit would be exceeded.
  BufferRef Allocate(size_t bytes) override;
  BufferRef Reserve(int64_t bytes) override;
  void CopyBytes(char* to, const char* from, size_t bytes) override {
    memory_.CopyBytes(to, from, bytes);
  }

  // Returns the names of the allocator and of the owner, such as "CPU:0 of
  // session 1a2b3c4d". So an error message says which limit was reached.
  absl::string_view name() const override { return name_; }
  // Returns the figures of the whole underlying allocator, including what other
  // accounts have taken from it.
  AllocatorStats stats() const override { return memory_.stats(); }

 private:
  // Returns a buffer that wraps `buffer`. When the returned buffer is freed,
  // the charge of `bytes` is taken back. If `buffer` is null, takes the charge
  // back at once and returns null.
  BufferRef Charged(BufferRef buffer, int64_t bytes) const;

  Allocator& memory_;
  const std::shared_ptr<MemoryAccount> account_;
  const std::string name_;
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_ACCOUNTED_ALLOCATOR_H_
