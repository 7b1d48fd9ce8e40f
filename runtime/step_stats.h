// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepStatsRecorder and the functions below turn what an observer sees of a
// step into TensorFlow's RunMetadata. A RunMetadata holds StepStats (which node
// ran when, on which device, and what its outputs were) and the partition
// graphs.
#ifndef LEAT_RUNTIME_STEP_STATS_H_
#define LEAT_RUNTIME_STEP_STATS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/step_observer.h"
#include "leat/core/threads/mutex.h"
#include "leat/runtime/graph_runner.h"

namespace leat::pb {
class NodeExecStats;
class RunMetadata;
class StepStats;
}  // namespace leat::pb

namespace leat {

// Returns what must be added to a time of the steady clock to get the time of
// the wall clock, counted from 1970.
std::chrono::nanoseconds WallClockOffset();

// Describes a tensor that was pulled from another task.
struct TensorPull {
  absl::string_view tensor = {};  // "edge_5_w/read"
  absl::string_view from = {};    // device that sent it
  Device* to = nullptr;           // device of this task that received it
  // Is the time when this task asked for the tensor.
  std::chrono::steady_clock::time_point asked = {};
  // Is the time when the sender sent the tensor, since 1970, on the sender's
  // clock, or 0 if the sender did not report it.
  std::chrono::microseconds sent = {};
  // Is the time when the tensor had arrived.
  std::chrono::steady_clock::time_point received = {};
  int64_t bytes = 0;
};

// Records one step. Is thread-safe.
//
// A recorded time is the time of the steady clock plus an offset to the wall
// clock, which the constructor measures. Recorded times therefore never run
// backwards. A thread_id is the id that the operating system gave the thread,
// or 0 (named "waiting") for asynchronous nodes, which hold no thread. `memory`
// says how many bytes the device's allocator had given out when the node ended.
class StepStatsRecorder final : public StepObserver {
 public:
  // Runs of nodes beyond this number are dropped, as in TensorFlow.
  static constexpr int64_t kMaxNodeRuns = int64_t{1} << 20;

  // If `next` is not null, passes every run of a node on to `next`. Borrows
  // `next`.
  explicit StepStatsRecorder(StepObserver* next = nullptr,
                             int64_t max_node_runs = kMaxNodeRuns);
  ~StepStatsRecorder() override;

  // Records the run of a node.
  void OnNodeRun(const NodeRun& run) override;

  // Records a pull in the same way as TensorFlow: as the run of a node
  // "RecvTensor" (step_transfers.h) on the receiving device, with a label such
  // as "[12B] [0.156352Mb/s] edge_5_w/read from DEVICE to DEVICE". The run is
  // scheduled when the tensor was asked for, and ends when the tensor was
  // received. It starts when the tensor was sent, or when it was asked for if
  // the sender did not report the time. Because the clocks of two tasks may
  // differ, the start can be earlier or later than both of the other times. In
  // that case the start is moved to the nearer of them.
  void OnPull(const TensorPull& pull);

  // Moves the record into `stats`, whose old contents are lost. Devices are
  // sorted by name, and the nodes of each device by start time. Afterwards the
  // recorder is empty.
  void Export(pb::StepStats& stats);

 private:
  // Converts a steady time to nanoseconds since 1970.
  int64_t WallTime(std::chrono::steady_clock::time_point time) const;
  // Fills `node` from `run`.
  void Describe(const NodeRun& run, pb::NodeExecStats& node) const;
  // If the record is not full, moves `node` into the record.
  void Add(const Device* device, pb::NodeExecStats& node);

  StepObserver* const next_;
  const int64_t max_node_runs_;
  const std::chrono::nanoseconds wall_clock_offset_;

  Mutex mutex_;
  int64_t num_node_runs_ ABSL_GUARDED_BY(mutex_) = 0;
  const std::unique_ptr<pb::StepStats> stats_ ABSL_PT_GUARDED_BY(mutex_);
  // Holds the devices of stats_->dev_stats, in the same order.
  std::vector<const Device*> devices_ ABSL_GUARDED_BY(mutex_);
};

// Sets the timeline_label of every node in `stats` that is in `graph`, as
// TensorFlow does: "name = Op(input, input:1, ^control)". The label of a Send
// or a Recv is "name = _Send(tensor @device)", where `device` is the other end
// of the transfer.
void AddTimelineLabels(const CompiledGraph& graph, const OpRegistry& ops,
                       pb::StepStats& stats);

// Adds the graph that each device runs to metadata.partition_graphs. Fails as
// ExportGraphDef does.
absl::Status ExportPartitionGraphs(const CompiledGraph& graph,
                                   const OpRegistry& ops,
                                   pb::RunMetadata& metadata);

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_STATS_H_
