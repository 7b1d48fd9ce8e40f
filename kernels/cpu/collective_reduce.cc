// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of CollectiveReduce and CollectiveReduceV2.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/collectives/collective_kernel.h"
#include "leat/kernels/collectives/reduction_ops.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::collective_reduce {
namespace {

// Tasks of Leat reduce tensors of up to this many bytes by halving.
constexpr int64_t kMaxHalvedBytes = int64_t{64} << 10;
// They divide larger ones into sections of about this many bytes, so that one
// section is merged while others are on their way.
constexpr int64_t kSectionBytes = int64_t{1} << 20;
constexpr int64_t kMaxSections = 1000;

// Says how a node wants its tensor to be divided, if a member is a task of
// TensorFlow.
struct Division {
  std::vector<int> offsets = {};  // of an op of the first version
  int max_per_device = -1;        // of an op of the second version
};

CollectiveSchedule ScheduleFor(const CollectiveGroup& group, int rank,
                               const Tensor& data, const Division& division) {
  const int64_t elements = data.num_elements();
  const auto element_bytes = static_cast<int64_t>(SizeOf(data.dtype()));
  const int64_t bytes = data.num_bytes();
  if (group.is_all_leat && bytes <= kMaxHalvedBytes) {
    return HalvingReduction(group, rank, elements);
  }
  RingSections sections;
  if (group.is_all_leat) {
    const int64_t count =
        std::min(bytes / group.size() / kSectionBytes + 1, kMaxSections);
    sections.offsets.assign(static_cast<size_t>(count), 0);
  } else if (!division.offsets.empty()) {
    sections.offsets = division.offsets;
  } else {
    sections = SectionsForBytes(group, bytes, division.max_per_device);
  }
  return RingReduction(group, rank, elements, element_bytes, sections);
}

class CollectiveReduce final : public AsyncKernel {
 public:
  CollectiveReduce(CollectiveAttrs attrs, ReductionOps ops, Division division)
      : attrs_(std::move(attrs)), ops_(ops), division_(std::move(division)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    absl::StatusOr<CollectiveCall> call = CallFor(context);
    if (!call.ok()) return std::move(done)(call.status());
    RunCollective(*std::move(call), context, std::move(done));
  }

 private:
  absl::StatusOr<CollectiveCall> CallFor(KernelContext& context) const {
    LEAT_ASSIGN_OR_RETURN(CollectiveRequest request,
                          RequestOf(attrs_, context, /*first_input=*/1));
    request.shape = context.input(0).shape();
    if (division_.max_per_device >= 0 && request.shape.num_elements() == 0) {
      return absl::InternalError(
          "shape in CollectiveParams should be non-empty");
    }
    LEAT_ASSIGN_OR_RETURN(Tensor output, CopyInputToOutput(context));
    return CollectiveCall{
        .request = std::move(request),
        .timeout_seconds = attrs_.timeout_seconds,
        .output = std::move(output),
        .ops = ops_,
        .schedule = [this](const ResolvedCollective& member,
                           Tensor& data) -> absl::StatusOr<CollectiveSchedule> {
          return ScheduleFor(*member.group, member.rank, data, division_);
        }};
  }

  const CollectiveAttrs attrs_;
  const ReductionOps ops_;
  const Division division_;
};

absl::StatusOr<Division> DivisionOf(const NodeDef& node, bool has_group) {
  Division division;
  if (!has_group) {
    LEAT_ASSIGN_OR_RETURN(const int64_t most,
                          node.attrs.Get<int64_t>("max_subdivs_per_device"));
    division.max_per_device =
        static_cast<int>(std::clamp<int64_t>(most, -1, kMaxSections));
    return division;
  }
  LEAT_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets,
                        node.attrs.Get<std::vector<int64_t>>("subdiv_offsets"));
  if (offsets.size() > static_cast<size_t>(kMaxSections)) {
    return absl::InvalidArgumentError(
        absl::StrCat("subdiv_offsets has ", offsets.size(),
                     " offsets; at most ", kMaxSections, " are supported"));
  }
  for (const int64_t offset : offsets) {
    division.offsets.push_back(static_cast<int>(offset));
  }
  return division;
}

template <bool has_group>
absl::StatusOr<std::unique_ptr<Kernel>> Make(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      CollectiveAttrs attrs,
      ReadCollectiveAttrs(node, CollectiveType::kReduction, has_group));
  LEAT_ASSIGN_OR_RETURN(const std::string merge,
                        node.attrs.Get<std::string>("merge_op"));
  LEAT_ASSIGN_OR_RETURN(const std::string final,
                        node.attrs.Get<std::string>("final_op"));
  LEAT_ASSIGN_OR_RETURN(const ReductionOps ops,
                        ReductionOpsFor(node.output_types[0], merge, final));
  LEAT_ASSIGN_OR_RETURN(Division division, DivisionOf(node, has_group));
  return std::make_unique<CollectiveReduce>(std::move(attrs), ops,
                                            std::move(division));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("CollectiveReduce", kCpu, &Make<true>);
  registry.Add("CollectiveReduceV2", kCpu, &Make<false>);
}

}  // namespace leat::kernels::cpu::collective_reduce
