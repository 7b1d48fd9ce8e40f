// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MergeStepStats merges the StepStats of a step's tasks into one StepStats,
// whose times are times of the master's clock. It is stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_TRACE_MERGED_STEP_STATS_H_
#define LEAT_DISTRIBUTED_TRACE_MERGED_STEP_STATS_H_

#include <cstdint>
#include <vector>

#include "leat/protos/step_stats.pb.h"
#include "leat/runtime/step_stats.h"

namespace leat {

// Holds the times of one call of RunGraph, in nanoseconds since 1970. The
// master made the call at `called` and got the reply at `answered`, by the
// master's clock. The task got the call at `received` and sent the reply at
// `replied`, by the task's clock. TensorFlow's tasks do not report `received`
// and `replied`, which are then 0.
struct RunGraphTimes {
  int64_t called = 0;
  int64_t answered = 0;
  int64_t received = 0;
  int64_t replied = 0;
};

// Holds the stats that one task recorded. Their times are times of the task's
// own clock.
struct TaskStepStats {
  pb::StepStats stats = {};
  RunGraphTimes times = {};
};

// Returns one DeviceStepStats per device, ordered by name, with its nodes
// ordered by their start times. All times of a task are moved by the task's
// offset (clock_offsets.h). Afterwards no task works outside of its call, and
// each _Recv ends after its _Send began. At most `max_node_runs` runs of nodes
// are kept. The messages are not trusted: their times may be any numbers.
pb::StepStats MergeStepStats(
    std::vector<TaskStepStats> tasks,
    int64_t max_node_runs = StepStatsRecorder::kMaxNodeRuns);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRACE_MERGED_STEP_STATS_H_
