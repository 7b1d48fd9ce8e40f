// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Ring is the type in which kernels add, subtract and multiply elements.
#ifndef LEAT_KERNELS_RING_H_
#define LEAT_KERNELS_RING_H_

#include <type_traits>

#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels {

// The type in which sums, differences and products of elements of type W are
// computed. For integers it is an unsigned type, whose arithmetic wraps around.
template <class W>
using Ring =
    typename std::conditional_t<std::is_integral_v<W>, TypeTag<Wrapping<W>>,
                                TypeTag<W>>::type;

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_RING_H_
