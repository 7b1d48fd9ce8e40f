// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/simulation/simulator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/partitioner/simulation/engine.h"
#include "leat/partitioner/simulation/memory_use.h"
#include "leat/partitioner/simulation/step_model.h"

namespace leat {
namespace {

// Returns what the run that ends last was waiting for, back to the beginning of
// the step, and the run itself.
std::vector<Cause> CriticalPath(const SimulatedStep& simulation) {
  std::vector<Cause> path;
  if (simulation.runs.empty()) return path;
  Cause cause{.kind = Cause::Kind::kRun,
              .index = static_cast<int32_t>(simulation.runs.size()) - 1};
  while (cause.kind != Cause::Kind::kBeginning) {
    path.push_back(cause);
    cause = cause.kind == Cause::Kind::kRun
                ? simulation.runs[cause.index].cause
                : simulation.transfers[cause.index].cause;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<DeviceUse> DeviceUses(const ClusterModel& model,
                                  const StepModel& step, const Engine& engine,
                                  double step_seconds) {
  std::vector<DeviceUse> uses;
  for (size_t part = 0; part < step.device_of.size(); ++part) {
    const DeviceModel& device = model.devices()[step.device_of[part]];
    DeviceUse use{.device = step.device_of[part]};
    use.num_processors =
        device.type == kGpu ? device.streams : model.hosts()[device.host].cores;
    use.busy_seconds = engine.busy_seconds(part);
    use.idle_seconds =
        std::max(0.0, step_seconds * use.num_processors - use.busy_seconds);
    uses.push_back(use);
  }
  return uses;
}

}  // namespace

absl::StatusOr<SimulatedStep> Simulate(
    const ClusterModel& model, absl::Span<const Partition> parts,
    absl::Span<const std::vector<NodeCost>> costs,
    const SimulationOptions& options) {
  LEAT_ASSIGN_OR_RETURN(
      const StepModel step,
      StepModel::Create(model, parts, costs, options.max_runs));
  Engine engine(model, step);
  engine.Run();
  if (const int32_t stuck = engine.FindStuckNode(); stuck >= 0) {
    const Partition& part = parts[step.nodes[stuck].part];
    return absl::InvalidArgumentError(absl::StrCat(
        "node ", QuotedText(part.graph.node(step.IdOf(stuck)).name()), " on ",
        part.name, " never gets all its inputs"));
  }
  SimulatedStep result;
  result.runs = engine.TakeRuns();
  result.transfers = engine.TakeTransfers();
  if (!result.runs.empty()) result.step_seconds = result.runs.back().end;
  result.loops = step.loops.Summary();
  result.work_seconds = engine.work_seconds();
  result.critical_path_seconds = engine.critical_path_seconds();
  result.bound_seconds = std::max(result.work_seconds / model.NumProcessors(),
                                  result.critical_path_seconds);
  result.critical_path = CriticalPath(result);
  result.devices = DeviceUses(model, step, engine, result.step_seconds);
  SetMemory(step, engine, costs, result.runs, result.devices);
  return result;
}

}  // namespace leat
