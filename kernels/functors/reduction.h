// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions combine two elements of a reduction, or two results of parts
// of it. kIdentity is the result of a reduction of no elements.
#ifndef LEAT_KERNELS_FUNCTORS_REDUCTION_H_
#define LEAT_KERNELS_FUNCTORS_REDUCTION_H_

#include <limits>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::kernels::functors {

struct Sum {
  template <class W>
  static constexpr W kIdentity = W{0};
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) + static_cast<Ring<W>>(b));
  }
};

struct Prod {
  template <class W>
  static constexpr W kIdentity = W{1};
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) * static_cast<Ring<W>>(b));
  }
};

// If an operand is NaN, so is the result.
struct Max {
  template <class W>
  static constexpr W kIdentity = std::is_floating_point_v<W>
                                     ? -std::numeric_limits<W>::infinity()
                                     : std::numeric_limits<W>::lowest();
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return a > b || a != a ? a : b;
  }
};

struct Min {
  template <class W>
  static constexpr W kIdentity = std::is_floating_point_v<W>
                                     ? std::numeric_limits<W>::infinity()
                                     : std::numeric_limits<W>::max();
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return a < b || a != a ? a : b;
  }
};

struct All {
  template <class W>
  static constexpr W kIdentity = true;
  LEAT_DEVICE static bool Do(bool a, bool b) { return (a & b) != 0; }
};

struct Any {
  template <class W>
  static constexpr W kIdentity = false;
  LEAT_DEVICE static bool Do(bool a, bool b) { return (a | b) != 0; }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_REDUCTION_H_
