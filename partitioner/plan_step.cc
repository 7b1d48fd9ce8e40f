// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/plan_step.h"

#include <utility>

#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<StepPlan> PlanStep(const Graph& prepared,
                                  StepSignature signature,
                                  absl::Span<const DeviceInfo> devices) {
  LEAT_ASSIGN_OR_RETURN(PrunedStep pruned, PruneToStep(prepared, signature));
  StepPlan plan{.signature = std::move(signature),
                .feed_types = std::move(pruned.feed_types)};
  LEAT_ASSIGN_OR_RETURN(
      plan.partitions,
      PartitionGraph(std::move(pruned.graph), PartitionBy::kTask, devices));
  return plan;
}

}  // namespace leat
