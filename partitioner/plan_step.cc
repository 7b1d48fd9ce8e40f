// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/plan_step.h"

#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/optimizer/run_passes.h"
#include "leat/partitioner/control_loops.h"
#include "leat/partitioner/late_reads.h"
#include "leat/partitioner/reduce_cross_task_edges.h"

namespace leat {

absl::StatusOr<StepPlan> PlanStep(const Graph& prepared,
                                  StepSignature signature,
                                  absl::Span<const DeviceInfo> devices,
                                  const PlanOptions& options) {
  LEAT_ASSIGN_OR_RETURN(PrunedStep pruned, PruneToStep(prepared, signature));
  LEAT_RETURN_IF_ERROR(ReadReferencesLate(pruned.graph));
  LEAT_RETURN_IF_ERROR(OptimizeStep(devices, options, pruned));
  if (options.passes != nullptr &&
      options.optimizer.level == OptimizeLevel::kOn) {
    LEAT_RETURN_IF_ERROR(ReduceCrossTaskEdges(pruned.graph));
  }
  LEAT_RETURN_IF_ERROR(AddControlLoops(pruned.graph));
  StepPlan plan{.signature = std::move(signature),
                .feed_types = std::move(pruned.feed_types),
                .feed_shapes = std::move(pruned.feed_shapes)};
  if (options.keep_whole || plan.signature.is_partial) {
    plan.whole = pruned.graph;
  }
  LEAT_ASSIGN_OR_RETURN(
      plan.partitions,
      PartitionGraph(std::move(pruned.graph), PartitionBy::kTask, devices,
                     options.foreign_tasks, options.bundles,
                     options.first_edge));
  return plan;
}

absl::Status OptimizeStep(absl::Span<const DeviceInfo> devices,
                          const PlanOptions& options, PrunedStep& step) {
  if (options.passes == nullptr) return absl::OkStatus();
  return RunPasses(step.graph, *options.passes,
                   {.optimizer = options.optimizer,
                    .keep = step.targets,
                    .devices = devices,
                    .foreign_tasks = options.foreign_tasks,
                    .evaluator = options.evaluator,
                    .after_pass = options.after_pass});
}

}  // namespace leat
