// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// From what an observer sees of a step to TensorFlow's RunMetadata: StepStats
// (which node ran when, where and with what outputs) and partition graphs.
#ifndef LEAT_RUNTIME_STEP_STATS_H_
#define LEAT_RUNTIME_STEP_STATS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/core/step_observer.h"
#include "leat/runtime/graph_runner.h"

namespace leat::pb {
class NodeExecStats;
class RunMetadata;
class StepStats;
}  // namespace leat::pb

namespace leat {

// What to add to a time of the steady clock to have one of the wall clock,
// since 1970.
std::chrono::nanoseconds WallClockOffset();

// A tensor that was pulled of another task.
struct TensorPull {
  absl::string_view tensor = {};  // "edge_5_w/read"
  absl::string_view from = {};    // the device that sent it
  Device* to = nullptr;
  std::chrono::steady_clock::time_point asked = {};
  // By the sender's clock, since 1970; 0: it did not say.
  std::chrono::microseconds sent = {};
  std::chrono::steady_clock::time_point received = {};
  int64_t bytes = 0;
};

// Records one step. Thread-safe.
//
// Times are those of the wall clock at the recorder's making plus what the
// steady clock has counted since, so they never run backwards. thread_id is the
// kernel's id of the thread; 0, named "waiting", for asynchronous nodes.
// `memory` says what the device's allocator had given out when the node ended.
class StepStatsRecorder final : public StepObserver {
 public:
  // Runs of nodes beyond this are not kept (TensorFlow's bound).
  static constexpr int64_t kMaxNodeRuns = int64_t{1} << 20;

  // Passes all it sees on to `next`, if not null; borrowed.
  explicit StepStatsRecorder(StepObserver* next = nullptr,
                             int64_t max_node_runs = kMaxNodeRuns);
  ~StepStatsRecorder() override;

  void OnNodeRun(const NodeRun& run) override;

  // As TensorFlow does it: a "RecvTensor" (step_transfers.h) of the device that
  // receives, labelled "[12B] [0.156352Mb/s] edge_5_w/read from DEVICE to
  // DEVICE", from when it was sent, as far as the clocks of the two tasks let
  // that be, to when it was there; scheduled when it was asked for.
  void OnPull(const TensorPull& pull);

  // Moves what was recorded into `stats`: devices by name, nodes by start.
  void Export(pb::StepStats& stats);

 private:
  // Nanoseconds since 1970.
  int64_t WallTime(std::chrono::steady_clock::time_point time) const;
  void Describe(const NodeRun& run, pb::NodeExecStats& node) const;
  void Add(const Device* device, pb::NodeExecStats& node);

  StepObserver* const next_;
  const int64_t max_node_runs_;
  const std::chrono::nanoseconds wall_clock_offset_;

  Mutex mutex_;
  int64_t num_node_runs_ ABSL_GUARDED_BY(mutex_) = 0;
  const std::unique_ptr<pb::StepStats> stats_ ABSL_PT_GUARDED_BY(mutex_);
  std::vector<const Device*> devices_ ABSL_GUARDED_BY(mutex_);  // of dev_stats
};

// Sets TensorFlow's timeline_label, "name = Op(input, input:1, ^control)"; of a
// Send and a Recv "name = _Send(tensor @device of the other end)".
void AddTimelineLabels(const CompiledGraph& graph, const OpRegistry& ops,
                       pb::StepStats& stats);

// Adds the graph of each device to metadata.partition_graphs. Fails as
// ExportGraphDef does.
absl::Status ExportPartitionGraphs(const CompiledGraph& graph,
                                   const OpRegistry& ops,
                                   pb::RunMetadata& metadata);

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_STATS_H_
