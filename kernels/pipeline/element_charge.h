// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ElementCharge charges the memory that held elements need besides the bytes of
// their tensors, which many elements may share. Without it, a dataset or a
// reader could collect so many elements of a few bytes that the process runs
// out of memory.
#ifndef LEAT_KERNELS_PIPELINE_ELEMENT_CHARGE_H_
#define LEAT_KERNELS_PIPELINE_ELEMENT_CHARGE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "leat/core/memory.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Charges the memory of the pipeline in blocks. Gives it back when it is
// destroyed. Is thread-compatible.
class ElementCharge {
 public:
  explicit ElementCharge(std::shared_ptr<const Pipeline> pipeline)
      : pipeline_(std::move(pipeline)) {}

  // Must be called before an element is held. Returns RESOURCE_EXHAUSTED if
  // there is no memory for it.
  absl::Status Add(const Element& element) {
    return AddBytes(BytesOf(element));
  }
  // Must be called when an element is not held any more.
  void Remove(const Element& element) { RemoveBytes(BytesOf(element)); }
  // These do the same for something of `bytes` bytes.
  absl::Status AddBytes(int64_t bytes);
  void RemoveBytes(int64_t bytes);
  // Must be called when no element is held any more.
  void Clear() { RemoveBytes(held_bytes_); }

  // Returns how many bytes are charged for an element.
  static int64_t BytesOf(const Element& element) {
    return static_cast<int64_t>(sizeof(Element) +
                                element.size() * sizeof(Tensor));
  }

 private:
  // Is a part of the memory that is charged.
  struct Block {
    BufferRef memory;
    int64_t bytes = 0;
  };

  const std::shared_ptr<const Pipeline> pipeline_;
  int64_t held_bytes_ = 0;
  int64_t charged_bytes_ = 0;  // at least `held_bytes_`
  // The first block is small, and later ones are larger.
  std::vector<Block> blocks_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_ELEMENT_CHARGE_H_
