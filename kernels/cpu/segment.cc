// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of UnsortedSegmentSum, which adds each row to the segment
// that its id names. A row with a negative id is dropped.
#include <algorithm>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/indices/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/scatter_shapes.h"

namespace leat::kernels::cpu::segment {
namespace {

template <class T, class Index>
absl::Status AddRows(const Tensor& data, const Tensor& ids, int64_t segments,
                     int64_t inner, T* to) {
  const T* from = data.data<T>().data();
  const auto indices = ids.data<Index>();
  for (size_t row = 0; row < indices.size(); ++row, from += inner) {
    const int64_t segment = static_cast<int64_t>(indices[row]);
    if (segment < 0) continue;
    if (segment >= segments) {
      return IndexError(IndexRule::kSegment, {ids.num_elements()},
                        static_cast<int64_t>(row), {segment}, {segments});
    }
    T* out = to + segment * inner;
    for (int64_t i = 0; i < inner; ++i) {
      if constexpr (std::is_integral_v<T>) {
        out[i] = static_cast<T>(static_cast<Wrapping<T>>(out[i]) +
                                static_cast<Wrapping<T>>(from[i]));
      } else {
        out[i] = static_cast<T>(static_cast<Wide<T>>(out[i]) +
                                static_cast<Wide<T>>(from[i]));
      }
    }
  }
  return absl::OkStatus();
}

template <class T>
class UnsortedSegmentSum final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& data = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Tensor ids, InputIndices(context, 1));
    LEAT_ASSIGN_OR_RETURN(const SegmentPlan plan, PlanSegments(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.output));
    auto to = output->mutable_data<T>();
    std::fill(to.begin(), to.end(), T(0));
    if (data.num_elements() == 0) return absl::OkStatus();
    return ids.dtype() == DType::kInt32
               ? AddRows<T, int32_t>(data, ids, plan.segments, plan.inner,
                                     to.data())
               : AddRows<T, int64_t>(data, ids, plan.segments, plan.inner,
                                     to.data());
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeSum(const NodeDef& node) {
  return MakeForType(node, "T", kNumbersAndComplexes,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<UnsortedSegmentSum<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("UnsortedSegmentSum", kCpu, &MakeSum);
}

}  // namespace leat::kernels::cpu::segment
