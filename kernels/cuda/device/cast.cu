// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/functors/conversion.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

using Castable = Types<Half, Bfloat16, float, double, int8_t, int16_t, int32_t,
                       int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>;

// Returns the number of low bits of the significand that a conversion with the
// attr Truncate sets to zero before it rounds the value.
template <class From, class To>
constexpr int DroppedBits() {
  constexpr int kDigits = std::is_same_v<From, float>    ? 24
                          : std::is_same_v<From, double> ? 53
                                                         : 0;
  if constexpr (kDigits == 0) {
    return 0;
  } else if constexpr (std::is_same_v<To, Half>) {
    return kDigits - 11;
  } else if constexpr (std::is_same_v<To, Bfloat16>) {
    return kDigits == 24 ? 16 : 0;
  } else if constexpr (std::is_same_v<To, float>) {
    return kDigits - 24;
  } else {
    return 0;
  }
}

template <class To, class W>
LEAT_DEVICE To Convert(W value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != W(0);
  } else if constexpr (!std::is_same_v<kernels::Wide<To>, To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<W> && std::is_integral_v<To>) {
    return kernels::functors::FromFloating<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Converts one element. The type of the result is chosen at run time, so there
// is one kernel per operand type instead of one per pair of types.
template <class From>
struct Cast {
  using W = kernels::Wide<From>;
  const From* from;
  void* to;
  ElementType to_type;
  bool truncate;

  template <class To>
  LEAT_DEVICE void Set(int64_t i, W value) const {
    constexpr int kDropped = DroppedBits<From, To>();
    if constexpr (kDropped > 0) {
      if (truncate) value = kernels::functors::ZeroLowBits<kDropped>(value);
    }
    static_cast<To*>(to)[i] = Convert<To>(value);
  }

  LEAT_DEVICE void operator()(int64_t i) const {
    const W value = static_cast<W>(from[i]);
    switch (to_type) {
      case ElementType::kHalf:
        return Set<Half>(i, value);
      case ElementType::kBfloat16:
        return Set<Bfloat16>(i, value);
      case ElementType::kFloat:
        return Set<float>(i, value);
      case ElementType::kDouble:
        return Set<double>(i, value);
      case ElementType::kInt8:
        return Set<int8_t>(i, value);
      case ElementType::kInt16:
        return Set<int16_t>(i, value);
      case ElementType::kInt32:
        return Set<int32_t>(i, value);
      case ElementType::kInt64:
        return Set<int64_t>(i, value);
      case ElementType::kUint8:
        return Set<uint8_t>(i, value);
      case ElementType::kUint16:
        return Set<uint16_t>(i, value);
      case ElementType::kUint32:
        return Set<uint32_t>(i, value);
      case ElementType::kUint64:
        return Set<uint64_t>(i, value);
      case ElementType::kBool:
        return Set<bool>(i, value);
      case ElementType::kNone:
        return;
    }
  }
};

}  // namespace

bool LaunchCast(CUstream_st* stream, ElementType from_type, ElementType to_type,
                bool truncate, const void* from, void* to, int64_t n) {
  if (!VisitType(Castable(), to_type, [](auto) {})) return false;
  return VisitType(Castable(), from_type, [&](auto tag) {
    using From = typename decltype(tag)::type;
    ForEach(stream, n,
            Cast<From>{static_cast<const From*>(from), to, to_type, truncate});
  });
}

}  // namespace leat::cuda
