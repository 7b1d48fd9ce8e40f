// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of CollectiveGather and CollectiveGatherV2.
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/collectives/collective_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::collective_gather {
namespace {

// Returns the shape of the gathered tensor: that of the input, with as many
// rows as all members have together.
absl::StatusOr<Shape> GatheredShape(const Shape& input, int members) {
  if (input.rank() == 0) {
    return absl::InvalidArgumentError("input should have rank > 0, received 0");
  }
  Dims dims(input.dims().begin(), input.dims().end());
  dims[0] = SaturatingMultiply(dims[0], members);
  return Shape::Create(dims);
}

class CollectiveGather final : public AsyncKernel {
 public:
  explicit CollectiveGather(CollectiveAttrs attrs) : attrs_(std::move(attrs)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    absl::StatusOr<CollectiveCall> call = CallFor(context);
    if (!call.ok()) return std::move(done)(call.status());
    RunCollective(*std::move(call), context, std::move(done));
  }

 private:
  absl::StatusOr<CollectiveCall> CallFor(KernelContext& context) const {
    LEAT_ASSIGN_OR_RETURN(CollectiveRequest request,
                          RequestOf(attrs_, context, /*first_input=*/1));
    LEAT_ASSIGN_OR_RETURN(request.shape, GatheredShape(context.input(0).shape(),
                                                       request.group_size));
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, request.shape));
    return CollectiveCall{
        .request = std::move(request),
        .timeout_seconds = attrs_.timeout_seconds,
        .output = *output,
        .schedule = [input = context.input(0)](
                        const ResolvedCollective& member,
                        Tensor& data) -> absl::StatusOr<CollectiveSchedule> {
          const int64_t bytes = input.num_bytes();
          const int size = member.group->size();
          if (member.rank < 0 || member.rank >= size ||
              SaturatingMultiply(bytes, size) != data.num_bytes()) {
            return absl::InternalError(
                absl::StrCat("the output of a gather has no room for member ",
                             member.rank, " of ", size));
          }
          if (bytes > 0) {
            std::memcpy(data.mutable_raw_data() + member.rank * bytes,
                        input.raw_data(), static_cast<size_t>(bytes));
          }
          return RingGather(*member.group, member.rank, data.num_elements());
        }};
  }

  const CollectiveAttrs attrs_;
};

template <bool has_group>
absl::StatusOr<std::unique_ptr<Kernel>> Make(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      CollectiveAttrs attrs,
      ReadCollectiveAttrs(node, CollectiveType::kGather, has_group));
  return std::make_unique<CollectiveGather>(std::move(attrs));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("CollectiveGather", kCpu, &Make<true>);
  registry.Add("CollectiveGatherV2", kCpu, &Make<false>);
}

}  // namespace leat::kernels::cpu::collective_gather
