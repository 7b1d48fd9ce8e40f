// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanStep: the second stage of planning, once per signature: what a step with
// these feeds, fetches and targets runs, optimized (graph/pass.h), as one graph
// per task, with control loops (control_loops.h) in loops that span devices.
#ifndef LEAT_PARTITIONER_PLAN_STEP_H_
#define LEAT_PARTITIONER_PLAN_STEP_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/core/partial_shape.h"
#include "leat/graph/constant_evaluator.h"
#include "leat/graph/graph.h"
#include "leat/graph/pass.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/prune.h"

namespace leat {

// Immutable; kept in the plan cache.
struct StepPlan {
  StepSignature signature = {};
  std::vector<DType> feed_types = {};  // by position
  std::vector<PartialShape> feed_shapes = {};
  std::vector<Partition> partitions = {};  // one per task
  // What was cut into them, if it was to be kept.
  std::optional<Graph> whole = {};
};

struct PlanOptions {
  OptimizerOptions optimizer = {};
  const PassRegistry* passes = nullptr;    // borrowed; null: none is run
  ConstantEvaluator* evaluator = nullptr;  // borrowed; null: nothing is folded
  // Tasks that may know TensorFlow's ops only, "/job:ps/replica:0/task:0".
  std::vector<std::string> foreign_tasks = {};
  bool keep_whole = false;
  // Called after every run of a pass.
  std::function<void(const Pass&, bool changed, const Graph&)> after_pass = {};
};

// `prepared` is what PrepareGraph returned for the same devices. Fails as
// PruneToStep, OptimizeStep, AddControlLoops and PartitionGraph do.
absl::StatusOr<StepPlan> PlanStep(const Graph& prepared,
                                  StepSignature signature,
                                  absl::Span<const DeviceInfo> devices,
                                  const PlanOptions& options = {});

// The part of PlanStep that runs the passes. Fails as RunPasses does.
absl::Status OptimizeStep(absl::Span<const DeviceInfo> devices,
                          const PlanOptions& options, PrunedStep& step);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PLAN_STEP_H_
