// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/trace.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/core/saturating.h"
#include "leat/runtime/step_transfers.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStepsProcess = 0;
constexpr uint32_t kWaiting = 0;  // thread_id of nodes that held no thread
// Is shown as the thread of pulls, which are tensors on their way from other
// tasks. The number is above all thread ids, so that pulls have rows of their
// own.
constexpr int64_t kPulls = int64_t{1} << 40;

// TensorFlow's servers measure "scheduled" with another clock. A time in the
// queue above this limit counts as zero, because it is probably the difference
// of the clocks.
constexpr int64_t kMaxQueued = 86'400'000'000'000;  // a day

// Returns the time from when the node was ready to when it ran, in nanoseconds.
// Returns 0 if `node` does not say when it was ready, or if the result would be
// negative or above kMaxQueued.
int64_t QueuedOf(const pb::NodeExecStats& node) {
  const int64_t scheduled =
      node.scheduled_nanos() != 0
          ? node.scheduled_nanos()
          : SaturatingMultiply(std::max<int64_t>(node.scheduled_micros(), 0),
                               1000);
  if (scheduled <= 0) return 0;
  const int64_t queued = StartNanos(node) - scheduled;
  return queued <= kMaxQueued ? std::max<int64_t>(queued, 0) : 0;
}

int64_t ThreadOf(const pb::NodeExecStats& node) {
  return IsPull(node) ? kPulls : int64_t{node.thread_id()};
}

double Micros(int64_t nanos) { return static_cast<double>(nanos) / 1000; }

// Returns a text such as "float [128,10]".
std::string OutputText(const pb::NodeOutput& output) {
  const pb::TensorDescription& tensor = output.tensor_description();
  return absl::StrCat(Name(static_cast<DType>(tensor.dtype())), " [",
                      absl::StrJoin(tensor.shape().dim(), ",",
                                    [](std::string* out, const auto& dim) {
                                      absl::StrAppend(out, dim.size());
                                    }),
                      "]");
}

// Returns an event that names a process or a row.
Json Metadata(const char* what, int process, int row, Json args) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", process},
          {"tid", row},
          {"args", std::move(args)}};
}

// Holds the events as text, because a tree of JSON objects would take several
// times as much memory.
class Events {
 public:
  bool empty() const { return is_empty_; }
  void Add(const Json& event) {
    if (!is_empty_) text_ += ',';
    is_empty_ = false;
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  std::string Finish() && {
    text_ += "]}";
    return std::move(text_);
  }

 private:
  bool is_empty_ = true;
  std::string text_ = R"({"displayTimeUnit":"ns","traceEvents":[)";
};

// Assigns events of one thread to rows of the viewer. An event gets the lowest
// row whose last event has ended, so that the events of a row never overlap.
// Events must come in the order of their starts.
class ThreadRows {
 public:
  int Assign(int64_t start, int64_t end) {
    while (!busy_.empty() && busy_.top().first <= start) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    int row = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      row = free_.top();
      free_.pop();
    }
    busy_.emplace(end, row);
    return row;
  }

 private:
  using Busy = std::pair<int64_t, int>;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::priority_queue<int, std::vector<int>, std::greater<>> free_;
  int count_ = 0;
};

// Writes the events of one device.
class DeviceEvents {
 public:
  DeviceEvents(int process, std::string name)
      : process_(process), name_(std::move(name)) {}

  // Holds the process and the row of an event.
  struct Place {
    int process = 0;
    int row = 0;
  };

  // Adds an event for a run of a node, and returns its place. `zero` is the
  // time at which the timeline begins.
  Place Add(const pb::NodeExecStats& node, int64_t zero, Events& events) {
    const int64_t start = StartNanos(node);
    const int64_t duration = DurationNanos(node);
    const Place place{process_, RowOf(ThreadOf(node), start, duration)};
    const TimelineLabel label = ParseTimelineLabel(node);
    Json args = {{"node", node.node_name()}, {"op", label.op}};
    if (!label.inputs.empty()) args["inputs"] = label.inputs;
    if (IsPull(node)) {
      args["transfer"] = node.timeline_label();
    } else if (node.output_size() > 0) {
      args["outputs"] = absl::StrJoin(
          node.output(), ", ",
          [](std::string* out, const auto& o) { out->append(OutputText(o)); });
    }
    args["queued_us"] = Micros(QueuedOf(node));
    events.Add({{"name", label.op},
                {"cat", "op"},
                {"ph", "X"},
                {"pid", place.process},
                {"tid", place.row},
                {"ts", Micros(start - zero)},
                {"dur", Micros(duration)},
                {"args", std::move(args)}});
    AddMemory(node, start + duration - zero, events);
    return place;
  }

  // Stores the names of the device's threads.
  void Name(const pb::DeviceStepStats& device) {
    for (const auto& [id, name] : device.thread_names()) names_[id] = name;
  }

  // Adds the names of the device and of its rows.
  void AddMetadata(Events& events) const {
    events.Add(Metadata("process_name", process_, 0, {{"name", name_}}));
    events.Add(Metadata("process_sort_index", process_, 0,
                        {{"sort_index", process_}}));
    for (const auto& [key, row] : row_ids_) {
      const auto& [thread, number] = key;
      const auto found = names_.find(thread);
      std::string name = thread == kPulls ? "receiving"
                         : found == names_.end() || found->second.empty()
                             ? absl::StrCat("thread ", thread)
                             : found->second;
      if (number > 0) absl::StrAppend(&name, " +", number);
      events.Add(Metadata("thread_name", process_, row, {{"name", name}}));
    }
  }

 private:
  int RowOf(int64_t thread, int64_t start, int64_t duration) {
    const int number = threads_[thread].Assign(start, start + duration);
    const auto [found, is_new] = row_ids_.try_emplace({thread, number}, 0);
    if (is_new) {
      int& next = thread == kWaiting || thread == kPulls ? next_waiting_row_
                                                         : next_row_;
      found->second = next++;
    }
    return found->second;
  }

  // If the device's number of live bytes has changed, adds a point to the
  // counter that shows this number.
  void AddMemory(const pb::NodeExecStats& node, int64_t time, Events& events) {
    if (node.memory().empty()) return;
    const int64_t bytes = node.memory(0).allocator_bytes_in_use();
    if (bytes == live_bytes_) return;
    live_bytes_ = bytes;
    events.Add({{"name", "live bytes"},
                {"ph", "C"},
                {"pid", process_},
                {"tid", 0},
                {"ts", Micros(time)},
                {"args", {{"bytes", bytes}}}});
  }

  const int process_;
  const std::string name_;
  std::map<int64_t, ThreadRows> threads_;
  std::map<int64_t, std::string> names_;
  std::map<std::pair<int64_t, int>, int> row_ids_;
  int next_row_ = 0;
  int next_waiting_row_ = 1'000'000;  // viewers sort rows by number
  int64_t live_bytes_ = -1;
};

// Holds the places of the runs at which an arrow begins or ends. Other runs
// have no entry.
using Places =
    absl::flat_hash_map<const pb::NodeExecStats*, DeviceEvents::Place>;

Places PlacesOf(const std::vector<StepTransfer>& transfers) {
  Places places;
  for (const StepTransfer& transfer : transfers) {
    places[transfer.send] = {};
    places[transfer.recv] = {};
  }
  return places;
}

// Returns one end of an arrow. A viewer attaches the end to the event that
// contains the end's time. An event does not contain its own end, so an arrow
// ends a nanosecond before the end of its event.
Json ArrowEnd(const char* phase, int64_t id, const std::string& tensor,
              const pb::NodeExecStats& node, const DeviceEvents::Place& place,
              int64_t zero) {
  const int64_t start = StartNanos(node);
  const int64_t time =
      *phase == 's' ? start : std::max(start, start + DurationNanos(node) - 1);
  Json arrow = {{"name", tensor},
                {"cat", "transfer"},
                {"ph", phase},
                {"id", id},
                {"pid", place.process},
                {"tid", place.row},
                {"ts", Micros(time - zero)}};
  if (*phase == 'f') arrow["bp"] = "e";
  return arrow;
}

void AddArrows(const std::vector<StepTransfer>& transfers, const Places& places,
               int64_t zero, int64_t& next_id, Events& events) {
  for (const StepTransfer& transfer : transfers) {
    events.Add(ArrowEnd("s", next_id, transfer.tensor, *transfer.send,
                        places.at(transfer.send), zero));
    events.Add(ArrowEnd("f", next_id, transfer.tensor, *transfer.recv,
                        places.at(transfer.recv), zero));
    ++next_id;
  }
}

struct Interval {
  int64_t start = INT64_MAX;
  int64_t end = 0;
};

Interval IntervalOf(const pb::StepStats& step) {
  Interval interval;
  for (const pb::DeviceStepStats& device : step.dev_stats()) {
    for (const pb::NodeExecStats& node : device.node_stats()) {
      const int64_t start = StartNanos(node);
      interval.start = std::min(interval.start, start);
      interval.end = std::max(interval.end, start + DurationNanos(node));
    }
  }
  return interval;
}

// Returns the event that shows a whole step.
Json StepEvent(size_t number, const Interval& interval, int64_t zero) {
  return {{"name", absl::StrCat("step ", number)},
          {"cat", "step"},
          {"ph", "X"},
          {"pid", kStepsProcess},
          {"tid", 0},
          {"ts", Micros(interval.start - zero)},
          {"dur", Micros(interval.end - interval.start)},
          {"args", Json::object()}};
}

}  // namespace

std::chrono::nanoseconds DurationOf(const pb::StepStats& step) {
  const Interval interval = IntervalOf(step);
  return std::chrono::nanoseconds(
      std::max<int64_t>(interval.end - interval.start, 0));
}

void Trace::AddStep(pb::StepStats step) {
  ++num_steps_;
  size_t runs = 0;
  for (const pb::DeviceStepStats& device : step.dev_stats()) {
    runs += device.node_stats_size();
    for (const pb::NodeExecStats& node : device.node_stats()) {
      OpTime& time = by_op_[ParseTimelineLabel(node).op];
      ++time.count;
      time.total += std::chrono::nanoseconds(DurationNanos(node));
    }
  }
  // A later, smaller step might fit, but the timeline would then have a gap.
  is_full_ = is_full_ || runs > max_node_runs_ - num_node_runs_;
  if (is_full_) return;
  num_node_runs_ += runs;
  for (pb::DeviceStepStats& device : *step.mutable_dev_stats()) {
    auto& nodes = *device.mutable_node_stats();
    std::stable_sort(nodes.pointer_begin(), nodes.pointer_end(),
                     [](const auto* a, const auto* b) {
                       return StartNanos(*a) < StartNanos(*b);
                     });
  }
  steps_.push_back(std::move(step));
}

std::vector<OpTime> Trace::TimeByOp() const {
  std::vector<OpTime> times;
  for (const auto& [op, time] : by_op_) {
    times.push_back({.op = op, .count = time.count, .total = time.total});
  }
  std::stable_sort(
      times.begin(), times.end(),
      [](const OpTime& a, const OpTime& b) { return a.total > b.total; });
  return times;
}

std::string Trace::ToChromeJson() const {
  int64_t zero = INT64_MAX;
  std::map<std::string, DeviceEvents> devices;
  std::map<std::string, int> processes;
  for (const pb::StepStats& step : steps_) {
    zero = std::min(zero, IntervalOf(step).start);
    for (const auto& device : step.dev_stats()) processes[device.device()] = 0;
  }
  int next = kStepsProcess;
  for (auto& [name, process] : processes) {
    process = ++next;
    devices.try_emplace(name, process, name);
  }
  Events events;
  int64_t next_arrow = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Interval interval = IntervalOf(steps_[i]);
    if (interval.start > interval.end) continue;  // nothing ran
    events.Add(StepEvent(i, interval, zero));
    const std::vector<StepTransfer> transfers = MatchTransfers(steps_[i]);
    Places places = PlacesOf(transfers);
    for (const pb::DeviceStepStats& device : steps_[i].dev_stats()) {
      DeviceEvents& to = devices.at(device.device());
      to.Name(device);
      for (const pb::NodeExecStats& node : device.node_stats()) {
        const DeviceEvents::Place place = to.Add(node, zero, events);
        const auto found = places.find(&node);
        if (found != places.end()) found->second = place;
      }
    }
    AddArrows(transfers, places, zero, next_arrow, events);
  }
  if (!events.empty()) {
    events.Add(Metadata("process_name", kStepsProcess, 0, {{"name", "steps"}}));
  }
  for (const auto& [name, device] : devices) device.AddMetadata(events);
  return std::move(events).Finish();
}

}  // namespace leat
