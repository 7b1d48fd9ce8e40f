// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphAtStage takes a graph through the stages of a session's planning, up to
// the stage that a tool shows. It is stateless and thread-safe.
#ifndef LEAT_TOOLS_DUMPS_GRAPH_STAGES_H_
#define LEAT_TOOLS_DUMPS_GRAPH_STAGES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer/optimizer_options.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/prune.h"

namespace leat {

// Lists the stages, in the order in which planning goes through them.
enum class Stage {
  // Is the graph of the file.
  kImported,
  // If, While and calls are replaced by their primitives.
  kLowered,
  // Every node has a device.
  kPlaced,
  // Only what the step needs is left.
  kPruned,
  // The passes have run.
  kOptimized,
  // The graph is cut into one graph per device.
  kPartitioned
};

// StageNames returns the names of all stages. ParseStage returns the stage with
// the name `name`, or nothing if there is none. StageName returns the name of a
// stage.
std::vector<std::string> StageNames();
std::optional<Stage> ParseStage(absl::string_view name);
std::string StageName(Stage stage);

// Returns the signature of a step from the words of a command line. A fetch
// becomes a target if it names an op without outputs or has the form "^name".
// Without fetches, all sinks of the graph are targets.
StepSignature MakeSignature(const Graph& graph, std::vector<std::string> feeds,
                            absl::Span<const std::string> fetches);

// Returns INVALID_ARGUMENT if the step has neither fetches nor targets. This
// happens if the graph is empty or everything in it is fed. The message names
// `file`, the file of the graph.
absl::Status CheckHasWork(const Graph& graph, const StepSignature& signature,
                          absl::string_view file);

// Returns the names of the nodes that no other node uses, neither by an output
// nor by a control edge. Fed nodes are left out.
std::vector<std::string> SinkNames(const Graph& graph,
                                   absl::Span<const std::string> feeds = {});

// Adds `number` devices of one type to `devices`. These devices need not exist.
// `task` is the name of their task.
void AddNominalDevices(absl::string_view task, const DeviceType& type,
                       int number, std::vector<DeviceInfo>& devices);

// Returns the devices of all tasks of a cluster, `num_cpus` CPUs and `num_gpus`
// GPUs for each. The tasks need not exist. The devices of `master` come first,
// because placement prefers its task. Returns INVALID_ARGUMENT if there are
// more than 100,000 devices. REQUIRES: `master` is a task of `cluster`.
absl::StatusOr<std::vector<DeviceInfo>> ClusterDevices(
    const ClusterSpec& cluster, const TaskId& master, int num_cpus,
    int num_gpus = 0);

// Holds the options of GraphAtStage: the last stage, the devices and the step.
struct StageOptions {
  Stage stage = Stage::kPartitioned;
  std::vector<DeviceInfo> devices = {};
  std::string placement_policy = "greedy";
  // Is used from kPruned on.
  StepSignature signature = {};
  // Is used from kOptimized on.
  OptimizerOptions optimizer = {};
};

// Describes a graph at a stage. At kPartitioned, `parts` has one graph per
// device and `whole` is the graph that was cut into them. The graph is cut as
// in a cluster: a master cuts it by task, and then each task cuts its part by
// device.
struct StagedGraph {
  Graph whole;
  std::vector<Partition> parts = {};
};

// Returns `graph` at the stage. Returns the errors of ImportGraphDef,
// PrepareGraph and PlanStep.
absl::StatusOr<StagedGraph> GraphAtStage(const Graph& graph,
                                         const StageOptions& options);

}  // namespace leat

#endif  // LEAT_TOOLS_DUMPS_GRAPH_STAGES_H_
