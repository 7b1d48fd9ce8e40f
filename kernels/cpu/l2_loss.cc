// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of L2Loss, which computes half the sum of the squares.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::l2_loss {
namespace {

// The order of additions depends on these numbers and not on the number of
// threads. Each block is added up in kLanes partial sums, which the compiler
// vectorises. Then the sums of the blocks are added in order.
constexpr int64_t kLanes = 32;
constexpr int64_t kBlock = 4096;

template <class T>
class L2Loss final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const auto values = context.input(0).data<T>();
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
    const int64_t n = static_cast<int64_t>(values.size());
    const int64_t blocks = (n + kBlock - 1) / kBlock;
    LEAT_ASSIGN_OR_RETURN(
        Tensor sums, context.AllocateTemporary(DType::kDouble, Shape{blocks}));
    double* sum = sums.mutable_data<double>().data();
    ParallelFor(context.compute_queue(), blocks, kBlock / 8,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    sum[i] = SumOfSquares(values.data() + i * kBlock,
                                          std::min(kBlock, n - i * kBlock));
                  }
                });
    double total = 0;
    for (int64_t i = 0; i < blocks; ++i) total += sum[i];
    output->mutable_data<T>()[0] =
        static_cast<T>(static_cast<Wide<T>>(total / 2));
    return absl::OkStatus();
  }

 private:
  using W = Wide<T>;

  static double SumOfSquares(const T* from, int64_t n) {
    W lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) {
        const W value = static_cast<W>(from[i + k]);
        lanes[k] += value * value;
      }
    }
    for (; i < n; ++i) {
      const W value = static_cast<W>(from[i]);
      lanes[i % kLanes] += value * value;
    }
    double sum = 0;
    for (const W lane : lanes) sum += static_cast<double>(lane);
    return sum;
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeL2Loss(const NodeDef& node) {
  return MakeForType(node, "T", kFloats,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<L2Loss<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("L2Loss", kCpu, &MakeL2Loss);
}

}  // namespace leat::kernels::cpu::l2_loss
