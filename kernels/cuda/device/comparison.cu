// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/cuda/device/binary_forms.h"

namespace leat::cuda {
namespace {

struct Equal {
  template <class W>
  LEAT_DEVICE bool operator()(W a, W b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class W>
  LEAT_DEVICE bool operator()(W a, W b) const {
    return a != b;
  }
};
struct Less {
  template <class W>
  LEAT_DEVICE bool operator()(W a, W b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class W>
  LEAT_DEVICE bool operator()(W a, W b) const {
    return a <= b;
  }
};
struct And {
  LEAT_DEVICE bool operator()(bool a, bool b) const { return a && b; }
};
struct Or {
  LEAT_DEVICE bool operator()(bool a, bool b) const { return a || b; }
};

// Exchanges the operands, so that a > b is computed as b < a. Stores the
// exchanged map in `map`.
BinaryOperands Exchanged(const BinaryOperands& operands, IndexMap<2>& map) {
  BinaryOperands result = operands;
  result.a = operands.b;
  result.b = operands.a;
  result.a_step = operands.b_step;
  result.b_step = operands.a_step;
  if (operands.map == nullptr) return result;
  map = *operands.map;
  for (int d = 0; d < kMaxDimensions; ++d) {
    map.strides[0][d] = operands.map->strides[1][d];
    map.strides[1][d] = operands.map->strides[0][d];
  }
  result.map = &map;
  return result;
}

bool LaunchLogical(CUstream_st* stream, Comparison function,
                   const BinaryOperands& operands) {
  if (function == Comparison::kAnd) {
    ForEachPair<bool, bool>(stream, operands, And());
  } else if (function == Comparison::kOr) {
    ForEachPair<bool, bool>(stream, operands, Or());
  } else if (function == Comparison::kEqual) {
    ForEachPair<bool, bool>(stream, operands, Equal());
  } else if (function == Comparison::kNotEqual) {
    ForEachPair<bool, bool>(stream, operands, NotEqual());
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool LaunchComparison(CUstream_st* stream, Comparison function,
                      ElementType type, const BinaryOperands& operands) {
  if (type == ElementType::kBool) {
    return LaunchLogical(stream, function, operands);
  }
  IndexMap<2> map;
  const BinaryOperands exchanged = Exchanged(operands, map);
  using Numbers = Types<Half, Bfloat16, float, double, int8_t, int16_t, int64_t,
                        uint8_t, uint16_t, uint32_t, uint64_t>;
  bool known = true;
  known &= VisitType(Numbers(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    switch (function) {
      case Comparison::kEqual:
        return ForEachPair<T, bool>(stream, operands, Equal());
      case Comparison::kNotEqual:
        return ForEachPair<T, bool>(stream, operands, NotEqual());
      case Comparison::kLess:
        return ForEachPair<T, bool>(stream, operands, Less());
      case Comparison::kLessEqual:
        return ForEachPair<T, bool>(stream, operands, LessEqual());
      case Comparison::kGreater:
        return ForEachPair<T, bool>(stream, exchanged, Less());
      case Comparison::kGreaterEqual:
        return ForEachPair<T, bool>(stream, exchanged, LessEqual());
      default:
        known = false;
    }
  });
  return known;
}

}  // namespace leat::cuda
