// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QueueElements holds the elements of a Queue. It decides in which order they
// leave the queue: first in, first out, or at random.
#ifndef LEAT_KERNELS_RESOURCES_QUEUE_ELEMENTS_H_
#define LEAT_KERNELS_RESOURCES_QUEUE_ELEMENTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "leat/core/tensor.h"

namespace leat::kernels {

// Holds one tensor for each component of the queue.
using QueueElement = absl::InlinedVector<Tensor, 1>;

// Is not thread-safe. The lock of the Queue that owns the elements guards them.
class QueueElements {
 public:
  virtual ~QueueElements() = default;

  virtual int64_t size() const = 0;
  // Adds an element.
  virtual void Push(QueueElement element) = 0;

  // Removes the next element and returns it. REQUIRES: size() > 0.
  virtual QueueElement Pop() = 0;

  // Puts back elements that Pop returned. `taken` has them in the order in
  // which they were popped.
  virtual void Return(std::vector<QueueElement> taken) = 0;
};

// Makes a QueueElements whose elements leave in the order in which they were
// pushed. Elements that were put back leave before all others.
std::unique_ptr<QueueElements> NewFifoElements();

// Makes a QueueElements whose elements leave at random, in the same order as in
// TensorFlow's RandomShuffleQueue with these seeds. A 32-bit number of the
// Philox generator modulo size() picks the element, and then the last element
// takes its place. If both seeds are zero, the order differs from run to run.
std::unique_ptr<QueueElements> NewShuffledElements(int64_t seed, int64_t seed2);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_RESOURCES_QUEUE_ELEMENTS_H_
