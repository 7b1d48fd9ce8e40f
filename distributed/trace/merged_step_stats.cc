// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/trace/merged_step_stats.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "leat/distributed/trace/clock_offsets.h"
#include "leat/runtime/step_transfers.h"

namespace leat {
namespace {

// Is the resolution of the tasks' times, in nanoseconds. The times are rounded
// down to microseconds.
constexpr int64_t kResolution = 1000;

// Describes an interval in nanoseconds since 1970. It is empty if start > end.
struct Interval {
  int64_t start = 0;
  int64_t end = 0;
};

// Returns the interval in which nodes ran on a task. It is empty if none ran.
Interval WorkOf(const pb::StepStats& stats) {
  Interval work{.start = kMaxClockOffset, .end = 0};
  for (const pb::DeviceStepStats& device : stats.dev_stats()) {
    for (const pb::NodeExecStats& node : device.node_stats()) {
      const int64_t start = StartNanos(node);
      work.start = std::min(work.start, start);
      work.end = std::max(
          work.end, std::min(start + DurationNanos(node), kMaxClockOffset));
    }
  }
  return work;
}

// Returns true if a time is set and in the range that ClockOffsets accepts.
bool IsTime(int64_t nanos) { return nanos > 0 && nanos <= kMaxClockOffset; }

// Returns the bounds of a task's offset. They follow from the order of events:
// the task worked after the master called it and before the master had its
// reply. If the times cannot be used, returns the widest bounds.
ClockBounds BoundsOf(const TaskStepStats& task) {
  const RunGraphTimes& times = task.times;
  Interval busy{.start = times.received, .end = times.replied};
  if (!IsTime(busy.start) || !IsTime(busy.end)) busy = WorkOf(task.stats);
  if (!IsTime(times.called) || !IsTime(times.answered) ||
      busy.start > busy.end) {
    return {};
  }
  return {.low = busy.end - times.answered,
          .high = std::min(busy.start - times.called + kResolution,
                           kMaxClockOffset)};
}

// Returns the orders between tasks that follow from transfers of tensors. If
// there are several orders between two tasks, returns only the strictest one.
std::vector<ClockOrder> OrdersOf(const pb::StepStats& stats,
                                 const std::vector<size_t>& task_of) {
  std::map<std::pair<size_t, size_t>, int64_t> leads;
  for (const StepTransfer& transfer : MatchTransfers(stats)) {
    const size_t from = task_of[static_cast<size_t>(transfer.send_device)];
    const size_t to = task_of[static_cast<size_t>(transfer.recv_device)];
    if (from == to) continue;
    const int64_t received =
        std::min(StartNanos(*transfer.recv) + DurationNanos(*transfer.recv),
                 kMaxClockOffset);
    // An interval does not contain its end, so the last nanosecond of the _Recv
    // is `received` - 1.
    const int64_t lead =
        std::min(StartNanos(*transfer.send) - received + 1, kMaxClockOffset);
    const auto [found, is_new] = leads.try_emplace({from, to}, lead);
    found->second = std::max(found->second, lead);
  }
  std::vector<ClockOrder> orders;
  for (const auto& [tasks, lead] : leads) {
    orders.push_back(
        {.earlier = tasks.first, .later = tasks.second, .lead = lead});
  }
  return orders;
}

// Converts `time` to the master's clock. `time` comes from a message and may be
// any number.
int64_t Moved(int64_t time, int64_t offset) {
  return std::clamp<int64_t>(time, 0, kMaxClockOffset) - offset;
}

// Converts the times of `node` to the master's clock.
void MoveBack(int64_t offset, pb::NodeExecStats& node) {
  if (node.all_start_nanos() != 0) {
    node.set_all_start_nanos(Moved(node.all_start_nanos(), offset));
    node.set_all_start_micros(node.all_start_nanos() / 1000);
  } else {
    node.set_all_start_micros(Moved(node.all_start_micros(), offset / 1000));
  }
  if (node.scheduled_nanos() != 0) {
    node.set_scheduled_nanos(Moved(node.scheduled_nanos(), offset));
    node.set_scheduled_micros(node.scheduled_nanos() / 1000);
  } else if (node.scheduled_micros() != 0) {
    node.set_scheduled_micros(Moved(node.scheduled_micros(), offset / 1000));
  }
}

// Moves the node runs of `from` to `to` and counts them in `num_node_runs`.
// Stops when `num_node_runs` is `max_node_runs`.
void Append(pb::DeviceStepStats& from, int64_t max_node_runs,
            int64_t& num_node_runs, pb::DeviceStepStats& to) {
  to.set_device(from.device());
  to.mutable_thread_names()->insert(from.thread_names().begin(),
                                    from.thread_names().end());
  for (pb::NodeExecStats& node : *from.mutable_node_stats()) {
    if (num_node_runs == max_node_runs) return;
    ++num_node_runs;
    to.add_node_stats()->Swap(&node);
  }
}

// Merges the entries of each device into one, and sorts its nodes by their
// start times.
pb::StepStats ByDevice(pb::StepStats stats, int64_t max_node_runs) {
  std::map<std::string, pb::DeviceStepStats> devices;
  int64_t num_node_runs = 0;
  for (pb::DeviceStepStats& device : *stats.mutable_dev_stats()) {
    Append(device, max_node_runs, num_node_runs, devices[device.device()]);
  }
  pb::StepStats merged;
  for (auto& [name, device] : devices) {
    auto& nodes = *device.mutable_node_stats();
    std::stable_sort(nodes.pointer_begin(), nodes.pointer_end(),
                     [](const auto* a, const auto* b) {
                       return StartNanos(*a) < StartNanos(*b);
                     });
    merged.add_dev_stats()->Swap(&device);
  }
  return merged;
}

}  // namespace

pb::StepStats MergeStepStats(std::vector<TaskStepStats> tasks,
                             int64_t max_node_runs) {
  std::vector<ClockBounds> bounds;
  std::vector<size_t> task_of;  // the task of each entry of `all`
  pb::StepStats all;
  for (TaskStepStats& task : tasks) {
    bounds.push_back(BoundsOf(task));
    for (pb::DeviceStepStats& device : *task.stats.mutable_dev_stats()) {
      task_of.push_back(bounds.size() - 1);
      all.add_dev_stats()->Swap(&device);
    }
  }
  const std::vector<int64_t> offsets =
      ClockOffsets(std::move(bounds), OrdersOf(all, task_of));
  for (int i = 0; i < all.dev_stats_size(); ++i) {
    const int64_t offset = offsets[task_of[static_cast<size_t>(i)]];
    if (offset == 0) continue;
    for (pb::NodeExecStats& node :
         *all.mutable_dev_stats(i)->mutable_node_stats()) {
      MoveBack(offset, node);
    }
  }
  return ByDevice(std::move(all), max_node_runs);
}

}  // namespace leat
