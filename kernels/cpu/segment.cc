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
#include "leat/kernels/index_types.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

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
      return absl::InvalidArgumentError(
          absl::StrCat("segment_ids[", row, "] = ", segment,
                       " is out of range [0, ", segments, ")"));
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
    LEAT_RETURN_IF_ERROR(CheckScalar(context.input(2), "num_segments"));
    LEAT_ASSIGN_OR_RETURN(const Dims counts,
                          GetIndices(context.input(2), "num_segments"));
    const int64_t segments = counts[0];
    if (segments < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Input num_segments == ", segments, " must not be negative."));
    }
    Dims dims = {segments};
    bool fits = ids.rank() <= data.rank();
    for (int i = 0; fits && i < ids.rank(); ++i) {
      fits = ids.dim(i) == data.dim(i);
    }
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat("data.shape = ", data.shape().DebugString(),
                       " does not start with segment_ids.shape = ",
                       ids.shape().DebugString()));
    }
    int64_t inner = 1;
    for (int i = ids.rank(); i < data.rank(); ++i) {
      dims.push_back(data.dim(i));
      if (data.num_elements() > 0) inner *= data.dim(i);
    }
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(dims));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
    auto to = output->mutable_data<T>();
    std::fill(to.begin(), to.end(), T(0));
    if (data.num_elements() == 0) return absl::OkStatus();
    return ids.dtype() == DType::kInt32
               ? AddRows<T, int32_t>(data, ids, segments, inner, to.data())
               : AddRows<T, int64_t>(data, ids, segments, inner, to.data());
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeSum(const NodeDef& node) {
  return MakeForType(node, "T", kNumbers,
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
