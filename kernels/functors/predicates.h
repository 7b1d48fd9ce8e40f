// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions say what kind of number an element is.
#ifndef LEAT_KERNELS_FUNCTORS_PREDICATES_H_
#define LEAT_KERNELS_FUNCTORS_PREDICATES_H_

#include <cmath>
#include <limits>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

struct IsNan {
  template <class W>
  LEAT_DEVICE static bool Do(W x) {
    return x != x;
  }
};

struct IsInf {
  template <class W>
  LEAT_DEVICE static bool Do(W x) {
    return std::fabs(x) == std::numeric_limits<W>::infinity();
  }
};

struct IsFinite {
  template <class W>
  LEAT_DEVICE static bool Do(W x) {
    return std::fabs(x) < std::numeric_limits<W>::infinity();
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_PREDICATES_H_
