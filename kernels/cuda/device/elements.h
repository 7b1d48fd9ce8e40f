// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// VisitElement selects code for elements that are only moved. It selects by the
// size of an element.
#ifndef LEAT_KERNELS_CUDA_DEVICE_ELEMENTS_H_
#define LEAT_KERNELS_CUDA_DEVICE_ELEMENTS_H_

#include <cstdint>

#include "leat/kernels/cuda/device/launch.h"

namespace leat::cuda {

// Is an element of 16 bytes, which one instruction moves.
struct alignas(16) SixteenBytes {
  uint64_t words[2];
};

// Calls visitor(Tag<E>{}), where E has `bytes` bytes. Returns false if there
// are no elements of this size.
template <class Visitor>
bool VisitElement(int bytes, Visitor visitor) {
  switch (bytes) {
    case 1:
      visitor(Tag<uint8_t>());
      return true;
    case 2:
      visitor(Tag<uint16_t>());
      return true;
    case 4:
      visitor(Tag<uint32_t>());
      return true;
    case 8:
      visitor(Tag<uint64_t>());
      return true;
    case 16:
      visitor(Tag<SixteenBytes>());
      return true;
  }
  return false;
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_ELEMENTS_H_
