// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the functions of elements that the standard library computes. Files
// that use them for complex numbers include <complex> first.
#ifndef LEAT_KERNELS_FUNCTORS_MATH_LIBRARY_H_
#define LEAT_KERNELS_FUNCTORS_MATH_LIBRARY_H_

#include <cmath>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

struct Tan {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::tan(x);
  }
};
struct Asin {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::asin(x);
  }
};
struct Acos {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::acos(x);
  }
};
struct Atan {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::atan(x);
  }
};
struct Sinh {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::sinh(x);
  }
};
struct Cosh {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::cosh(x);
  }
};
struct Asinh {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::asinh(x);
  }
};
struct Acosh {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::acosh(x);
  }
};
struct Atanh {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::atanh(x);
  }
};
struct Erf {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::erf(x);
  }
};
struct Erfc {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::erfc(x);
  }
};
struct Atan2 {
  template <class W>
  LEAT_DEVICE static W Do(W y, W x) {
    return std::atan2(y, x);
  }
};

// Computes e^(a + bi) - 1 so that no bits of a small result are lost: the real
// part of e^(bi) - 1 is -2 * sin(b / 2)^2.
struct Expm1 {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    if constexpr (std::is_class_v<W>) {
      const auto sine = std::sin(x.imag() / 2);
      return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * sine * sine,
              std::exp(x.real()) * std::sin(x.imag())};
    } else {
      return std::expm1(x);
    }
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_MATH_LIBRARY_H_
