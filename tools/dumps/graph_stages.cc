// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/dumps/graph_stages.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/lowering/lower.h"
#include "leat/partitioner/control_loops.h"
#include "leat/partitioner/device_copies.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

struct NamedStage {
  Stage stage;
  absl::string_view name;
};
constexpr NamedStage kStages[] = {
    {Stage::kImported, "imported"},   {Stage::kLowered, "lowered"},
    {Stage::kPlaced, "placed"},       {Stage::kPruned, "pruned"},
    {Stage::kOptimized, "optimized"}, {Stage::kPartitioned, "partitioned"},
};

// Is the memory that is assumed for each device of ClusterDevices, because
// these devices need not exist. TensorFlow's CPUs report the same 256 MiB.
constexpr int64_t kNominalBytes = int64_t{256} << 20;
constexpr size_t kMaxDevices = 100'000;

// Optimizes the step as a local session does.
absl::Status Optimize(const StageOptions& options, PrunedStep& step) {
  const std::unique_ptr<WorkQueue> queue = NewInlineQueue();
  const std::unique_ptr<ConstantEvaluator> evaluator =
      NewConstantEvaluator(BuiltinKernels(), *queue);
  return OptimizeStep(options.devices,
                      {.optimizer = options.optimizer,
                       .passes = &BuiltinPasses(),
                       .evaluator = evaluator.get()},
                      step);
}

// Cuts the graph by task, as a master does, and then each part by device, as
// its task does. A task knows no devices except its own.
absl::StatusOr<std::vector<Partition>> CutByTaskAndDevice(
    const Graph& graph, absl::Span<const DeviceInfo> devices) {
  std::map<std::string, std::vector<DeviceInfo>> by_task;
  for (const DeviceInfo& device : devices) {
    by_task[device.name.substr(0, device.name.find("/device:"))].push_back(
        device);
  }
  LEAT_ASSIGN_OR_RETURN(
      std::vector<Partition> tasks,
      PartitionGraph(graph, PartitionBy::kTask, devices, {}, kBundleLimits));
  std::vector<Partition> parts;
  for (Partition& task : tasks) {
    LEAT_ASSIGN_OR_RETURN(
        std::vector<Partition> cut,
        PartitionGraph(std::move(task.graph), PartitionBy::kDevice,
                       by_task[task.name]));
    for (Partition& part : cut) {
      const bool is_gpu = absl::StrContains(part.name, "/device:GPU:");
      LEAT_RETURN_IF_ERROR(
          InsertDeviceCopies(is_gpu ? kGpu : kCpu, part.graph));
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace

std::vector<std::string> StageNames() {
  std::vector<std::string> names;
  for (const NamedStage& stage : kStages) names.emplace_back(stage.name);
  return names;
}

std::optional<Stage> ParseStage(absl::string_view name) {
  for (const NamedStage& stage : kStages) {
    if (stage.name == name) return stage.stage;
  }
  return std::nullopt;
}

std::string StageName(Stage stage) {
  return std::string(kStages[static_cast<int>(stage)].name);
}

std::vector<std::string> SinkNames(const Graph& graph,
                                   absl::Span<const std::string> feeds) {
  absl::flat_hash_set<NodeId> fed;
  for (const std::string& feed : feeds) {
    const absl::StatusOr<TensorId> id = TensorId::Parse(feed);
    if (id.ok()) fed.insert(graph.Find(id->node));
  }
  const Consumers consumers(graph);
  std::vector<std::string> names;
  for (const NodeId id : graph.NodeIds()) {
    if (consumers.Of(id).empty() && !fed.contains(id)) {
      names.push_back(graph.node(id).name());
    }
  }
  return names;
}

StepSignature MakeSignature(const Graph& graph, std::vector<std::string> feeds,
                            absl::Span<const std::string> fetches) {
  StepSignature signature{.feeds = std::move(feeds)};
  for (const std::string& fetch : fetches) {
    const NodeId node = graph.Find(fetch);
    if (absl::StartsWith(fetch, "^")) {
      signature.targets.push_back(fetch.substr(1));
    } else if (node != kNoNode && graph.node(node).num_outputs() == 0) {
      signature.targets.push_back(fetch);
    } else {
      signature.fetches.push_back(fetch);
    }
  }
  if (fetches.empty()) signature.targets = SinkNames(graph, signature.feeds);
  return signature;
}

absl::Status CheckHasWork(const Graph& graph, const StepSignature& signature,
                          absl::string_view file) {
  if (!signature.fetches.empty() || !signature.targets.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("file '", file, "': none of the ", graph.NodeIds().size(),
                   " nodes of its graph is left to run"));
}

void AddNominalDevices(absl::string_view task, const DeviceType& type,
                       int number, std::vector<DeviceInfo>& devices) {
  for (int i = 0; i < number; ++i) {
    devices.push_back({.name = absl::StrCat(task, "/device:", type, ":", i),
                       .type = type,
                       .memory_bytes = kNominalBytes,
                       .incarnation = 1});
  }
}

absl::StatusOr<std::vector<DeviceInfo>> ClusterDevices(
    const ClusterSpec& cluster, const TaskId& master, int num_cpus,
    int num_gpus) {
  std::vector<TaskId> tasks = cluster.Tasks();
  const auto of_task = static_cast<size_t>(num_cpus + num_gpus);
  if (tasks.size() > kMaxDevices / of_task) {
    return absl::InvalidArgumentError(absl::StrCat(
        tasks.size(), " tasks of ", of_task, " devices each have more than ",
        kMaxDevices, " devices together; lower the number in --devices"));
  }
  std::stable_partition(tasks.begin(), tasks.end(),
                        [&](const TaskId& task) { return task == master; });
  std::vector<DeviceInfo> devices;
  for (const TaskId& task : tasks) {
    AddNominalDevices(task.ToString(), kCpu, num_cpus, devices);
    AddNominalDevices(task.ToString(), kGpu, num_gpus, devices);
  }
  return devices;
}

absl::StatusOr<StagedGraph> GraphAtStage(const Graph& graph,
                                         const StageOptions& options) {
  StagedGraph result{.whole = graph};
  if (options.stage == Stage::kImported) return result;
  if (options.stage == Stage::kLowered) {
    LEAT_RETURN_IF_ERROR(LowerFunctions(result.whole));
    return result;
  }
  PrepareOptions prepare;
  prepare.placement_policy = options.placement_policy;
  prepare.policies = &BuiltinPolicies();
  LEAT_ASSIGN_OR_RETURN(result.whole,
                        PrepareGraph(graph, options.devices, prepare));
  if (options.stage == Stage::kPlaced) return result;
  LEAT_ASSIGN_OR_RETURN(PrunedStep pruned,
                        PruneToStep(result.whole, options.signature));
  if (options.stage >= Stage::kOptimized) {
    LEAT_RETURN_IF_ERROR(Optimize(options, pruned));
  }
  result.whole = std::move(pruned.graph);
  if (options.stage <= Stage::kOptimized) return result;
  LEAT_RETURN_IF_ERROR(AddControlLoops(result.whole));
  LEAT_ASSIGN_OR_RETURN(result.parts,
                        CutByTaskAndDevice(result.whole, options.devices));
  return result;
}

}  // namespace leat
