// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/dump_simulation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/partitioner/costs/estimate_costs.h"
#include "leat/partitioner/simulation/simulator.h"

namespace leat {
namespace {

constexpr size_t kCostliest = 10;
constexpr size_t kMaxPath = 1000;

// Describes a device of the model for estimates.
CostedDevice CostedDeviceOf(const ClusterModel& model, int index) {
  const DeviceModel& device = model.devices()[index];
  CostedDevice costed{
      .type = device.type, .kind = device.kind, .rates = device.rates};
  if (device.type != kGpu) {
    costed.cores = model.hosts()[device.host].cores;
    return costed;
  }
  // Each task has a CPU.
  const int cpu = model.FindDevice(
      absl::StrCat(model.tasks()[device.task].name, "/device:CPU:0"));
  costed.host_rates = model.devices()[cpu].rates;
  return costed;
}

// Makes a DumpedSimulation.
class Collector {
 public:
  Collector(absl::Span<const Partition> parts, const ClusterModel& model,
            const std::vector<std::vector<NodeCost>>& costs,
            const SimulatedStep& simulation)
      : parts_(parts), model_(model), costs_(costs), simulation_(simulation) {}

  DumpedSimulation Collect() {
    dump_.step_seconds = simulation_.step_seconds;
    dump_.bound_seconds = simulation_.bound_seconds;
    dump_.work_seconds = simulation_.work_seconds;
    dump_.critical_path_seconds = simulation_.critical_path_seconds;
    dump_.num_processors = model_.NumProcessors();
    dump_.loops = simulation_.loops;
    dump_.num_transfers = static_cast<int64_t>(simulation_.transfers.size());
    for (const SimulatedTransfer& transfer : simulation_.transfers) {
      dump_.transferred_bytes += transfer.bytes;
    }
    AddDevices();
    CountOrigins();
    AddCostliest();
    AddPath();
    return std::move(dump_);
  }

 private:
  void AddDevices() {
    for (const DeviceUse& use : simulation_.devices) {
      const DeviceModel& device = model_.devices()[use.device];
      dump_.devices.push_back(
          {.name = device.name,
           .kind = device.kind,
           .num_processors = use.num_processors,
           .busy_seconds = use.busy_seconds,
           .idle_seconds = use.idle_seconds,
           .peak_bytes = use.peak_bytes,
           .kept_bytes = use.kept_bytes,
           .memory_bytes = static_cast<double>(device.memory_bytes)});
    }
    dump_.num_unused_devices =
        static_cast<int>(model_.devices().size() - simulation_.devices.size());
  }

  void CountOrigins() {
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (const NodeId id : parts_[part].graph.NodeIds()) {
        ++dump_.num_costs[static_cast<size_t>(costs_[part][id].origin)];
      }
    }
  }

  void AddCostliest() {
    std::vector<std::vector<DumpedNodeCost>> sums;  // by part and id
    for (const Partition& part : parts_) {
      sums.emplace_back(part.graph.num_ids());
    }
    for (const SimulatedRun& run : simulation_.runs) {
      DumpedNodeCost& sum = sums[run.part][run.node];
      sum.seconds += run.end - run.begin;
      ++sum.num_runs;
    }
    std::vector<DumpedNodeCost> all;
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (const NodeId id : parts_[part].graph.NodeIds()) {
        DumpedNodeCost cost = std::move(sums[part][id]);
        if (cost.seconds <= 0) continue;
        if (all.size() == kCostliest) {
          if (cost.seconds <= all.back().seconds) continue;
          all.pop_back();
        }
        const Node& node = parts_[part].graph.node(id);
        cost.name = node.name();
        cost.op = node.op();
        cost.device = parts_[part].name;
        cost.origin = costs_[part][id].origin;
        const auto place = std::upper_bound(
            all.begin(), all.end(), cost,
            [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
        all.insert(place, std::move(cost));
      }
    }
    dump_.costliest = std::move(all);
  }

  void AddPath() {
    std::vector<DumpedPathStep> path;
    for (const Cause& cause : simulation_.critical_path) {
      DumpedPathStep step = cause.kind == Cause::Kind::kTransfer
                                ? TransferStep(cause.index)
                                : RunStep(cause.index);
      if (step.end > step.begin) path.push_back(std::move(step));
    }
    dump_.path_length = static_cast<int64_t>(path.size());
    dump_.path = LongestPathSteps(std::move(path), kMaxPath);
  }

  DumpedPathStep RunStep(int32_t index) const {
    const SimulatedRun& run = simulation_.runs[index];
    const Node& node = parts_[run.part].graph.node(run.node);
    return {.name = node.name(),
            .op = node.op(),
            .device = parts_[run.part].name,
            .begin = run.begin,
            .end = run.end};
  }

  DumpedPathStep TransferStep(int32_t index) const {
    const SimulatedTransfer& transfer = simulation_.transfers[index];
    const Graph& graph = parts_[transfer.part].graph;
    const NodeId sent = graph.node(transfer.send).inputs[0].node;
    return {.name = graph.node(sent).name(),
            .device = model_.devices()[transfer.from].name,
            .to = model_.devices()[transfer.to].name,
            .begin = transfer.begin,
            .end = transfer.end,
            .bytes = transfer.bytes};
  }

  const absl::Span<const Partition> parts_;
  const ClusterModel& model_;
  const std::vector<std::vector<NodeCost>>& costs_;
  const SimulatedStep& simulation_;
  DumpedSimulation dump_;
};

}  // namespace

std::vector<DumpedPathStep> LongestPathSteps(std::vector<DumpedPathStep> path,
                                             size_t max_steps) {
  if (path.size() <= max_steps) return path;
  std::vector<size_t> order(path.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return path[a].end - path[a].begin > path[b].end - path[b].begin;
  });
  order.resize(max_steps);
  std::sort(order.begin(), order.end());
  std::vector<DumpedPathStep> longest;
  for (const size_t i : order) longest.push_back(std::move(path[i]));
  return longest;
}

absl::StatusOr<DumpedSimulation> SimulateForDump(
    absl::Span<const Partition> parts, absl::Span<const GraphShapes> shapes,
    const ClusterModel& model, std::string cluster,
    const MeasuredCosts* measured) {
  std::vector<std::vector<NodeCost>> costs;
  for (size_t i = 0; i < parts.size(); ++i) {
    // Simulate names a device that the model does not have.
    const int index = std::max(0, model.FindDevice(parts[i].name));
    costs.push_back(EstimateCosts(parts[i].graph, shapes[i],
                                  CostedDeviceOf(model, index), measured));
  }
  LEAT_ASSIGN_OR_RETURN(const SimulatedStep simulation,
                        Simulate(model, parts, costs));
  DumpedSimulation dump = Collector(parts, model, costs, simulation).Collect();
  dump.cluster = std::move(cluster);
  return dump;
}

}  // namespace leat
