// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReceivedMessage: a message cut into slices, as a transport would give it,
// that counts who holds it.
#ifndef LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_
#define LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/distributed/wire.h"

namespace leat::testing {

class ReceivedMessage {
 public:
  // Each slice in a block of its own, so that reading beyond one is an error
  // under the address sanitizer; its bytes begin `shift` behind a multiple of
  // 16. `cuts` are where slices begin, in order; the same one twice gives an
  // empty slice.
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

  // To be called once.
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

  // Nobody holds the slices that Take gave.
  bool IsReleased() const { return released_.expired(); }
  // How often a slice was adopted. REQUIRES: somebody holds them.
  int adopted() const { return released_.lock()->adopted; }

 private:
  struct Slice {
    char* data = nullptr;
    size_t size = 0;
  };
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
