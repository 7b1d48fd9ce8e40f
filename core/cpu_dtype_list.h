// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// kNumbersButLargeUints is the list of element types of several of TensorFlow's
// CPU kernels.
#ifndef LEAT_CORE_CPU_DTYPE_LIST_H_
#define LEAT_CORE_CPU_DTYPE_LIST_H_

#include "leat/core/dtype_list.h"

namespace leat {

// Lists all real numbers except uint32 and uint64.
inline constexpr auto kNumbersButLargeUints =
    kFloats + kSignedInts + DTypeList<uint8_t, uint16_t>();

}  // namespace leat

#endif  // LEAT_CORE_CPU_DTYPE_LIST_H_
