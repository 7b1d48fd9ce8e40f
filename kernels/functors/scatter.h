// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the functions with which ops such as ScatterAdd and
// TensorScatterAdd combine an element with its update. They return the new
// element.
#ifndef LEAT_KERNELS_FUNCTORS_SCATTER_H_
#define LEAT_KERNELS_FUNCTORS_SCATTER_H_

#include <type_traits>

#include "leat/kernels/functors/device_code.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::kernels::functors::scatter {

struct Update {
  template <class E>
  LEAT_DEVICE static E Do(const E&, const E& update) {
    return update;
  }
};
struct Add {
  template <class T>
  LEAT_DEVICE static T Do(T old, T update) {
    using N = Ring<Wide<T>>;
    return static_cast<T>(static_cast<N>(old) + static_cast<N>(update));
  }
};
struct Subtract {
  template <class T>
  LEAT_DEVICE static T Do(T old, T update) {
    using N = Ring<Wide<T>>;
    return static_cast<T>(static_cast<N>(old) - static_cast<N>(update));
  }
};
struct Multiply {
  template <class T>
  LEAT_DEVICE static T Do(T old, T update) {
    using N = Ring<Wide<T>>;
    return static_cast<T>(static_cast<N>(old) * static_cast<N>(update));
  }
};
// REQUIRES: an integer `update` is not 0.
struct Divide {
  template <class T>
  LEAT_DEVICE static T Do(T old, T update) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      // The quotient of the smallest integer and -1 would overflow.
      if (update == -1) return Subtract::Do(T{0}, old);
    }
    return static_cast<T>(static_cast<Wide<T>>(old) /
                          static_cast<Wide<T>>(update));
  }
};
struct Maximum {
  template <class T>
  LEAT_DEVICE static T Do(T old, T update) {
    return static_cast<Wide<T>>(old) < static_cast<Wide<T>>(update) ? update
                                                                    : old;
  }
};
struct Minimum {
  template <class T>
  LEAT_DEVICE static T Do(T old, T update) {
    return static_cast<Wide<T>>(update) < static_cast<Wide<T>>(old) ? update
                                                                    : old;
  }
};

}  // namespace leat::kernels::functors::scatter

#endif  // LEAT_KERNELS_FUNCTORS_SCATTER_H_
