// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Wide, Wrapping and Ring are the types in which kernels do arithmetic on
// elements. Conjugate serves real and complex elements. Like all headers of
// this folder, this one is for kernels of CPUs and of GPUs.
#ifndef LEAT_KERNELS_FUNCTORS_NUMBER_TYPES_H_
#define LEAT_KERNELS_FUNCTORS_NUMBER_TYPES_H_

#include <cstdint>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels {

// The type in which arithmetic on elements of type T is done: float for the
// 16-bit floats, which are classes, and T itself for all others.
template <class T>
using Wide = std::conditional_t<std::is_class_v<T> && sizeof(T) == 2, float, T>;

// The unsigned type in which sums, differences and products of the integer type
// T are computed, so that they wrap around. In T itself an overflow would be
// undefined behaviour. This also applies to small unsigned types, because C++
// promotes them to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

// The type in which sums, differences and products of elements of type W are
// computed. For integers it is an unsigned type, whose arithmetic wraps around.
template <class W>
using Ring = std::conditional_t<std::is_integral_v<W>, Wrapping<W>, W>;

// Returns the conjugate of a complex number, and a real number as it is.
template <class N>
LEAT_DEVICE N Conjugate(N x) {
  if constexpr (requires { conj(x); }) {
    return conj(x);
  } else {
    return x;
  }
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_FUNCTORS_NUMBER_TYPES_H_
