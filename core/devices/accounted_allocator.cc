// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/devices/accounted_allocator.h"

#include "absl/strings/str_cat.h"

namespace leat {
namespace {

// A buffer of the underlying allocator, and the charge for that buffer.
class ChargedBuffer final : public Buffer {
 public:
  ChargedBuffer(BufferRef memory, std::shared_ptr<MemoryAccount> account,
                int64_t bytes)
      : Buffer(memory->data(), memory->size(), memory->memory()),
        memory_(std::move(memory)),
        account_(std::move(account)),
        bytes_(bytes) {}

 private:
  void Dispose() override {
    // The memory is freed before the charge is taken back. So an account
    // without live bytes holds no memory.
    memory_.reset();
    account_->Give(bytes_);
    delete this;
  }

  BufferRef memory_;
  const std::shared_ptr<MemoryAccount> account_;
  const int64_t bytes_;
};

}  // namespace

bool MemoryAccount::Take(int64_t bytes) {
  int64_t live = live_bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_bytes_ - live) return false;
  } while (!live_bytes_.compare_exchange_weak(live, live + bytes,
                                              std::memory_order_relaxed));
  return true;
}

AccountedAllocator::AccountedAllocator(Allocator& memory,
                                       std::shared_ptr<MemoryAccount> account)
    : memory_(memory),
      account_(std::move(account)),
      name_(account_->owner().empty()
                ? std::string(memory.name())
                : absl::StrCat(memory.name(), " of ", account_->owner())) {}

BufferRef AccountedAllocator::Allocate(size_t bytes) {
  if (bytes > static_cast<size_t>(INT64_MAX)) return nullptr;
  const auto charge = static_cast<int64_t>(bytes);
  if (!account_->Take(charge)) return nullptr;
  return Charged(memory_.Allocate(bytes), charge);
}

BufferRef AccountedAllocator::Reserve(int64_t bytes) {
  if (!account_->Take(bytes)) return nullptr;
  return Charged(memory_.Reserve(bytes), bytes);
}

BufferRef AccountedAllocator::Charged(BufferRef buffer, int64_t bytes) const {
  if (buffer == nullptr) {
    account_->Give(bytes);
    return nullptr;
  }
  return BufferRef(new ChargedBuffer(std::move(buffer), account_, bytes));
}

}  // namespace leat
