// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// MergeStepStats: what the tasks of a step recorded, as one StepStats by the
// master's clock. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_MERGED_STEP_STATS_H_
#define LEAT_DISTRIBUTED_MERGED_STEP_STATS_H_

#include <cstdint>
#include <vector>

#include "leat/protos/step_stats.pb.h"
#include "leat/runtime/step_stats.h"

namespace leat {

// When the master called a task's RunGraph and had the reply, by its clock;
// when the task had the call and sent the reply, by the task's clock, 0 where
// it does not say (TensorFlow). Nanoseconds since 1970.
struct RunGraphTimes {
  int64_t called = 0;
  int64_t answered = 0;
  int64_t received = 0;
  int64_t replied = 0;
};

struct TaskStepStats {
  pb::StepStats stats = {};
  RunGraphTimes times = {};
};

// One DeviceStepStats per device, by name, its nodes by start. Times are moved
// by each task's offset (clock_offsets.h), so that no task works outside of its
// call, and that a _Recv ends after its _Send began. Runs of nodes beyond
// `max_node_runs` are not kept. Messages may say anything.
pb::StepStats MergeStepStats(
    std::vector<TaskStepStats> tasks,
    int64_t max_node_runs = StepStatsRecorder::kMaxNodeRuns);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MERGED_STEP_STATS_H_
