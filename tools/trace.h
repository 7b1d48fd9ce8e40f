// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trace: what RunMetadata says of the steps of a run, as a timeline for Chrome
// and Perfetto and as a table of the time that each op took.
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

struct OpTime {
  std::string op = {};
  int64_t count = 0;
  std::chrono::nanoseconds total = {};
};

// From the start of the first node to the end of the last.
std::chrono::nanoseconds DurationOf(const pb::StepStats& step);

// Takes step stats of TensorFlow's too, whose timeline labels are the same.
class Trace {
 public:
  // The first step that would bring the timeline above `max_node_runs` runs of
  // nodes, and all after it, are counted in the table only.
  explicit Trace(size_t max_node_runs = 500'000)
      : max_node_runs_(max_node_runs) {}

  void AddStep(pb::StepStats step);

  int64_t num_steps() const { return num_steps_; }
  int64_t num_dropped_steps() const {
    return num_steps_ - static_cast<int64_t>(steps_.size());
  }

  // By total time, the longest first. What a node waited without a thread
  // counts.
  std::vector<OpTime> TimeByOp() const;

  // Chrome's trace event format (a public document of that name):
  // {"displayTimeUnit", "traceEvents": [...]}. A process per device, in it a
  // row per thread; events of one row never overlap, so waiting nodes take
  // rows of their own, and so do tensors on their way from other tasks
  // ("receiving"). Process 0 shows whole steps. An arrow goes from every
  // Send to its Recv; a counter shows the live bytes of each device.
  // Microseconds since the first event. Arguments: node, op, inputs, outputs,
  // and the wait between ready and running (queued_us).
  std::string ToChromeJson() const;

 private:
  const size_t max_node_runs_;
  size_t num_node_runs_ = 0;  // in steps_
  bool is_full_ = false;
  int64_t num_steps_ = 0;
  std::vector<pb::StepStats> steps_;
  std::map<std::string, OpTime> by_op_;
};

}  // namespace leat

#endif  // LEAT_TOOLS_TRACE_H_
