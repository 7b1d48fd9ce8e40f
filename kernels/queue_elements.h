// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QueueElements: what a queue holds, and which element goes next. Not
// thread-safe: the queue's lock guards it.
#ifndef LEAT_KERNELS_QUEUE_ELEMENTS_H_
#define LEAT_KERNELS_QUEUE_ELEMENTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "leat/core/tensor.h"

namespace leat::kernels {

// One tensor for each component of the queue.
using QueueElement = absl::InlinedVector<Tensor, 1>;

class QueueElements {
 public:
  virtual ~QueueElements() = default;

  virtual int64_t size() const = 0;
  virtual void Push(QueueElement element) = 0;

  // Takes the next one out. REQUIRES: size() > 0.
  virtual QueueElement Pop() = 0;

  // Puts back what was taken, in the order in which it was, and not used.
  virtual void Return(std::vector<QueueElement> taken) = 0;
};

// In the order in which they came; what is returned comes first again.
std::unique_ptr<QueueElements> NewFifoElements();

// At random, in the order of TensorFlow's RandomShuffleQueue with these seeds:
// a 32-bit word of Philox modulo the size picks the element, the last one takes
// its place. Seeds of zero mean: not deterministic.
std::unique_ptr<QueueElements> NewShuffledElements(int64_t seed, int64_t seed2);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_QUEUE_ELEMENTS_H_
