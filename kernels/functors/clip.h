// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Clip limits an element to a range.
#ifndef LEAT_KERNELS_FUNCTORS_CLIP_H_
#define LEAT_KERNELS_FUNCTORS_CLIP_H_

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

// Where the bounds contradict each other, the lower one wins. A bound that is
// NaN is no bound, and an element that is NaN stays NaN.
template <class W>
LEAT_DEVICE W Clip(W x, W low, W high) {
  const W limited = x > high ? high : x;
  return limited < low ? low : limited;
}

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_CLIP_H_
