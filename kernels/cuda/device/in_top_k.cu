// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/in_top_k.h"

#include "leat/kernels/cuda/device/launch.h"

namespace leat::cuda {
namespace {

struct Plus {
  LEAT_DEVICE int64_t operator()(int64_t a, int64_t b) const { return a + b; }
};

LEAT_DEVICE bool IsFinite(float value) { return value - value == 0; }

// Each block checks one row.
template <class Target>
struct InTopK {
  static constexpr int kThreads = 128;
  // Is the count of a thread that found an element that is not finite.
  static constexpr int64_t kMany = int64_t{1} << 48;
  struct Shared {
    int64_t counts[kThreads];
  };
  InTopKOperands o;

  LEAT_DEVICE void operator()(Block<kThreads>& block, Shared& shared,
                              int64_t row) const {
    const float* const from = o.predictions + row * o.classes;
    const auto target =
        static_cast<int64_t>(static_cast<const Target*>(o.targets)[row]);
    const bool is_class = target >= 0 && target < o.classes;
    PerThread<int64_t, kThreads> above;
    block.Phase([&](int t) {
      above[t] = 0;
      for (int64_t c = t; is_class && c < o.classes; c += kThreads) {
        if (!IsFinite(from[c])) {
          above[t] = kMany;
          return;
        }
        if (from[c] > from[target]) ++above[t];
      }
    });
    const int64_t count = BlockReduce(block, above, shared.counts, Plus());
    block.Phase([&](int t) {
      if (t == 0) o.to[row] = is_class && count < kMany && count < o.k;
    });
  }
};

}  // namespace

bool LaunchInTopK(CUstream_st* stream, ElementType target_type,
                  const InTopKOperands& operands) {
  return VisitType(Types<int32_t, int64_t>(), target_type, [&](auto tag) {
    ForEachBlock(stream, operands.rows,
                 InTopK<typename decltype(tag)::type>{operands});
  });
}

}  // namespace leat::cuda
