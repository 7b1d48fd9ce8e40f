// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReceivedMessage is a message in slices, as a transport gives it to its
// receiver. It tells the test whether anybody still holds the slices.
#ifndef LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_
#define LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/distributed/wire/wire.h"

namespace leat::testing {

// To be used by one thread. The slices live until the receiver and all buffers
// that adopted a slice have let them go, which may be after this object.
class ReceivedMessage {
 public:
  // Copies `bytes` into slices that begin at 0 and at each of `cuts`, which are
  // in order; two equal cuts give an empty slice. Each slice has a block of
  // memory of its own, so that the address sanitizer reports reads beyond it.
  // Its bytes begin `shift` bytes after the beginning of the block, whose
  // address is a multiple of 16.
  explicit ReceivedMessage(absl::string_view bytes,
                           const std::vector<size_t>& cuts = {},
                           size_t shift = 0)
      : memory_(std::make_shared<Memory>()) {
    size_t begin = 0;
    for (size_t i = 0; i <= cuts.size(); ++i) {
      const size_t end = i < cuts.size() ? cuts[i] : bytes.size();
      memory_->Add(bytes.substr(begin, end - begin), shift);
      begin = end;
    }
  }

  // Returns the slices. To be called once.
  ReceivedSlices Take() {
    ReceivedSlices slices;
    for (const Slice& slice : memory_->slices) {
      slices.bytes.emplace_back(slice.data, slice.size);
    }
    released_ = memory_;
    slices.adopt = [memory = std::move(memory_)](size_t i) -> BufferRef {
      const Slice& slice = memory->slices[i];
      ++memory->adopted;
      return BufferRef(new SliceBuffer(memory, slice.data, slice.size));
    };
    return slices;
  }

  // True if nobody holds the slices that Take returned.
  bool IsReleased() const { return released_.expired(); }
  // Returns how often a slice was adopted. REQUIRES: not IsReleased().
  int adopted() const { return released_.lock()->adopted; }

 private:
  // The bytes of one slice, within a block.
  struct Slice {
    char* data = nullptr;
    size_t size = 0;
  };
  // Owns the slices. Shared by the ReceivedSlices and the adopted buffers.
  struct Memory {
    void Add(absl::string_view bytes, size_t shift) {
      blocks.emplace_back(new char[shift + bytes.size()]);
      char* const data = blocks.back().get() + shift;
      std::copy(bytes.begin(), bytes.end(), data);
      slices.push_back({data, bytes.size()});
    }

    std::vector<std::unique_ptr<char[]>> blocks;
    std::vector<Slice> slices;
    int adopted = 0;
  };
  // An adopted slice as the buffer of a tensor.
  class SliceBuffer final : public Buffer {
   public:
    SliceBuffer(std::shared_ptr<Memory> memory, char* data, size_t size)
        : Buffer(data, size), memory_(std::move(memory)) {}

   private:
    void Dispose() override { delete this; }
    const std::shared_ptr<Memory> memory_;
  };

  std::shared_ptr<Memory> memory_;
  std::weak_ptr<Memory> released_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_
