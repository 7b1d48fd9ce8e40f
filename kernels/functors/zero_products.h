// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are products and quotients that are 0 where one factor is 0, even if
// the other factor is infinite or NaN. Files that use them for complex numbers
// include <complex> first.
#ifndef LEAT_KERNELS_FUNCTORS_ZERO_PRODUCTS_H_
#define LEAT_KERNELS_FUNCTORS_ZERO_PRODUCTS_H_

#include <cmath>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

struct MulNoNan {
  template <class W>
  LEAT_DEVICE static W Do(W x, W y) {
    return y == W(0) ? W(0) : x * y;
  }
};

struct Xdivy {
  template <class W>
  LEAT_DEVICE static W Do(W x, W y) {
    return x == W(0) ? W(0) : x / y;
  }
};

struct Xlogy {
  template <class W>
  LEAT_DEVICE static W Do(W x, W y) {
    return x == W(0) ? W(0) : x * std::log(y);
  }
};

struct Xlog1py {
  template <class W>
  LEAT_DEVICE static W Do(W x, W y) {
    if (x == W(0)) return W(0);
    if constexpr (std::is_class_v<W>) {
      return x * std::log(W(1) + y);
    } else {
      return x * std::log1p(y);
    }
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_ZERO_PRODUCTS_H_
