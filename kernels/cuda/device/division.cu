// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/functors/division.h"

#include <type_traits>

#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/cuda/device/binary_forms.h"
#include "leat/kernels/functors/math_library.h"
#include "leat/kernels/functors/zero_products.h"

namespace leat::cuda {

bool LaunchDivision(CUstream_st* stream, Division function, ElementType type,
                    const BinaryOperands& operands) {
  using namespace kernels::functors;
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto op) {
      ForEachPair<T, T>(stream, operands, Static<decltype(op)>());
    };
    using Floor =
        std::conditional_t<sizeof(T) == 2, RoundedFloorDiv<T>, FloorDiv>;
    switch (function) {
      case Division::kRealDiv:
        return launch(RealDiv());
      case Division::kDivNoNan:
        return launch(DivNoNan());
      case Division::kFloorDiv:
        return launch(Floor());
      case Division::kFloorMod:
        return launch(FloorMod());
      case Division::kPow:
        return launch(Pow());
      case Division::kAtan2:
        return launch(Atan2());
    }
  });
}

bool LaunchZeroProduct(CUstream_st* stream, ZeroProduct function,
                       ElementType type, const BinaryOperands& operands) {
  using namespace kernels::functors;
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto op) {
      ForEachPair<T, T>(stream, operands, Static<decltype(op)>());
    };
    switch (function) {
      case ZeroProduct::kMulNoNan:
        return launch(MulNoNan());
      case ZeroProduct::kXdivy:
        return launch(Xdivy());
      case ZeroProduct::kXlogy:
        return launch(Xlogy());
      case ZeroProduct::kXlog1py:
        return launch(Xlog1py());
    }
  });
}

}  // namespace leat::cuda
