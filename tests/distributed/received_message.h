// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReceivedMessage is a message in slices, as a transport gives it to its
// receiver. The test can check whether the slices are still held.
#ifndef LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_
#define LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/distributed/wire/wire.h"

namespace leat::testing {

// A ReceivedMessage is not thread-safe. The slices exist until the receiver has
// released them, even if this object is destroyed earlier.
class ReceivedMessage {
 public:
  // Copies `bytes` into slices. The slices begin at 0 and at each of `cuts`,
  // which are in ascending order. Two equal cuts give an empty slice. Each
  // slice has a block of memory of its own, so that the address sanitizer
  // reports reads beyond it.
  explicit ReceivedMessage(absl::string_view bytes,
                           const std::vector<size_t>& cuts = {})
      : memory_(std::make_shared<Memory>()) {
    size_t begin = 0;
    for (size_t i = 0; i <= cuts.size(); ++i) {
      const size_t end = i < cuts.size() ? cuts[i] : bytes.size();
      memory_->Add(bytes.substr(begin, end - begin));
      begin = end;
    }
  }

  // Returns the slices. Must be called once.
  ReceivedSlices Take() {
    released_ = memory_;
    return {.bytes = memory_->slices, .owner = std::move(memory_)};
  }

  // Returns true if the slices that Take returned were released.
  bool IsReleased() const { return released_.expired(); }

 private:
  // Owns the slices.
  struct Memory {
    void Add(absl::string_view bytes) {
      blocks.emplace_back(new char[bytes.size()]);
      char* const data = blocks.back().get();
      std::copy(bytes.begin(), bytes.end(), data);
      slices.emplace_back(data, bytes.size());
    }

    std::vector<std::unique_ptr<char[]>> blocks;
    std::vector<absl::string_view> slices;
  };

  std::shared_ptr<Memory> memory_;
  std::weak_ptr<Memory> released_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_RECEIVED_MESSAGE_H_
