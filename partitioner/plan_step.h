// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanStep: the second stage of planning, once per signature: what a step with
// these feeds, fetches and targets runs, as one graph per task.
#ifndef LEAT_PARTITIONER_PLAN_STEP_H_
#define LEAT_PARTITIONER_PLAN_STEP_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/graph/graph.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/prune.h"

namespace leat {

// Immutable; kept in the plan cache.
struct StepPlan {
  StepSignature signature = {};
  std::vector<DType> feed_types = {};      // by position
  std::vector<Partition> partitions = {};  // one per task
};

// `prepared` is what PrepareGraph returned for the same devices. Fails as
// PruneToStep and PartitionGraph do.
absl::StatusOr<StepPlan> PlanStep(const Graph& prepared,
                                  StepSignature signature,
                                  absl::Span<const DeviceInfo> devices);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PLAN_STEP_H_
