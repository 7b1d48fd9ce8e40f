// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The stages that a graph passes on its way to the executors, as a session's
// planning goes through them.
#ifndef LEAT_TOOLS_GRAPH_STAGES_H_
#define LEAT_TOOLS_GRAPH_STAGES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/device.h"
#include "leat/distributed/cluster.h"
#include "leat/graph/graph.h"
#include "leat/graph/optimizer_options.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/prune.h"

namespace leat {

// In the order in which planning goes through them.
enum class Stage {
  kImported,
  kLowered,
  kPlaced,
  kPruned,
  kOptimized,
  kPartitioned
};

std::vector<std::string> StageNames();
std::optional<Stage> ParseStage(absl::string_view name);
std::string StageName(Stage stage);

// What a step is asked for, from the words of a command line: a name of an op
// without outputs is a target, and so is "^name". Without fetches, all sinks
// are targets.
StepSignature MakeSignature(const Graph& graph, std::vector<std::string> feeds,
                            absl::Span<const std::string> fetches);

// INVALID_ARGUMENT naming the file that the graph is from when a step is asked
// for nothing: an empty graph, or one of which all is fed.
absl::Status CheckHasWork(const Graph& graph, const StepSignature& signature,
                          absl::string_view file);

// Nodes whose outputs nobody takes and nobody waits for, fed ones excepted.
std::vector<std::string> SinkNames(const Graph& graph,
                                   absl::Span<const std::string> feeds = {});

// The devices of every task of a cluster that need not exist, `num_cpus` each,
// those of `master` first: placement prefers its task. INVALID_ARGUMENT above
// 100,000 devices. REQUIRES: `master` is a task of `cluster`.
absl::StatusOr<std::vector<DeviceInfo>> ClusterDevices(
    const ClusterSpec& cluster, const TaskId& master, int num_cpus);

struct StageOptions {
  Stage stage = Stage::kPartitioned;
  std::vector<DeviceInfo> devices = {};
  std::string placement_policy = "greedy";
  StepSignature signature = {};     // used from kPruned on
  OptimizerOptions optimizer = {};  // used from kOptimized on
};

// A graph at a stage. `parts`, one per device, only when partitioned: by task,
// as a master does it, and then by device, as each task does; `whole` is then
// what was cut into them.
struct StagedGraph {
  Graph whole;
  std::vector<Partition> parts = {};
};

// Fails as import, PrepareGraph and PlanStep do.
absl::StatusOr<StagedGraph> GraphAtStage(const Graph& graph,
                                         const StageOptions& options);

}  // namespace leat

#endif  // LEAT_TOOLS_GRAPH_STAGES_H_
