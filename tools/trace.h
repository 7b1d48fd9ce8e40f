// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trace shows what RunMetadata says about the steps of a run, as a timeline for
// Chrome and Perfetto and as a table of the time that each op took.
#ifndef LEAT_TOOLS_TRACE_H_
#define LEAT_TOOLS_TRACE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "leat/protos/step_stats.pb.h"

namespace leat {

// Holds the runs of the nodes of one op.
struct OpTime {
  std::string op = {};
  int64_t count = 0;
  std::chrono::nanoseconds total = {};
};

// Returns the time from the start of the first node to the end of the last
// node.
std::chrono::nanoseconds DurationOf(const pb::StepStats& step);

// Is thread-compatible. Step stats of TensorFlow work, too, because their
// timeline labels have the same form.
class Trace {
 public:
  // If a step would make the timeline exceed `max_node_runs` runs of nodes,
  // that step and all later ones are counted only in the table.
  explicit Trace(size_t max_node_runs = 500'000)
      : max_node_runs_(max_node_runs) {}

  // Adds a step. Its runs are sorted by their start.
  void AddStep(pb::StepStats step);

  // num_steps returns the number of steps added. num_dropped_steps returns how
  // many of these steps are not in the timeline.
  int64_t num_steps() const { return num_steps_; }
  int64_t num_dropped_steps() const {
    return num_steps_ - static_cast<int64_t>(steps_.size());
  }

  // Returns the ops by their total time, the longest first. The times include
  // the waiting of asynchronous nodes.
  std::vector<OpTime> TimeByOp() const;

  // Returns the timeline in Chrome's trace event format (a public document of
  // that name): {"displayTimeUnit", "traceEvents": [...]}.
  //
  // Each device is shown as a process. Each thread of the device is shown as
  // one or more rows of the process, because the events of one row must not
  // overlap. Waiting nodes have rows of their own, and so have tensors on their
  // way from other tasks ("receiving"). Process 0 shows whole steps. An arrow
  // goes from every Send to its Recv. A counter shows the live bytes of each
  // device.
  //
  // Times are microseconds since the first event. The arguments of an event are
  // the node, the op, the inputs, the outputs, and the time for which the node
  // was ready but did not run (queued_us).
  std::string ToChromeJson() const;

 private:
  const size_t max_node_runs_;
  size_t num_node_runs_ = 0;  // in steps_
  // Is true after a step did not fit.
  bool is_full_ = false;
  int64_t num_steps_ = 0;
  std::vector<pb::StepStats> steps_;
  // Holds the times of all steps, by op.
  std::map<std::string, OpTime> by_op_;
};

}  // namespace leat

#endif  // LEAT_TOOLS_TRACE_H_
