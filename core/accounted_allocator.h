// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MemoryAccount: how many bytes live of what its owner, such as a session, has
// allocated, and how many may. AccountedAllocator: another allocator's memory,
// charged to an account. Both thread-safe.
#ifndef LEAT_CORE_ACCOUNTED_ALLOCATOR_H_
#define LEAT_CORE_ACCOUNTED_ALLOCATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"

namespace leat {

class MemoryAccount {
 public:
  // `owner`: for messages.
  MemoryAccount(std::string owner, int64_t limit_bytes)
      : owner_(std::move(owner)), limit_bytes_(limit_bytes) {}

  // False, taking nothing, when it would be more than the limit. REQUIRES: not
  // negative.
  bool Take(int64_t bytes);
  void Give(int64_t bytes) {
    live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  const std::string& owner() const { return owner_; }
  int64_t live_bytes() const {
    return live_bytes_.load(std::memory_order_relaxed);
  }

 private:
  const std::string owner_;
  const int64_t limit_bytes_;
  std::atomic<int64_t> live_bytes_{0};
};

class AccountedAllocator final : public Allocator {
 public:
  // `memory` is borrowed and outlives every buffer, which may outlive this.
  AccountedAllocator(Allocator& memory, std::shared_ptr<MemoryAccount> account);

  // Null above the limit of the account too.
  BufferRef Allocate(size_t bytes) override;
  BufferRef Reserve(int64_t bytes) override;

  // "CPU:0 of session 1a2b3c4d": so errors say whose limit it was.
  absl::string_view name() const override { return name_; }
  // Of all memory.
  AllocatorStats stats() const override { return memory_.stats(); }

 private:
  // `buffer`, for which the account has been charged.
  BufferRef Charged(BufferRef buffer, int64_t bytes) const;

  Allocator& memory_;
  const std::shared_ptr<MemoryAccount> account_;
  const std::string name_;
};

}  // namespace leat

#endif  // LEAT_CORE_ACCOUNTED_ALLOCATOR_H_
