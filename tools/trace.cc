// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/trace.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStepsProcess = 0;
constexpr uint32_t kWaiting = 0;  // thread_id of what held no thread

// "name = Op(inputs)"; the name alone where that is all there is.
struct Label {
  std::string op = {};
  std::string inputs = {};
};

Label ParseLabel(const pb::NodeExecStats& node) {
  const absl::string_view text = node.timeline_label();
  const std::string start = absl::StrCat(node.node_name(), " = ");
  const size_t name = text.find(start);
  if (name == text.npos) return {.op = node.node_name()};
  const absl::string_view call = text.substr(name + start.size());
  const size_t open = call.find('(');
  const size_t close = call.rfind(')');
  if (open == call.npos || close == call.npos || close < open) {
    return {.op = std::string(call)};
  }
  return {.op = std::string(call.substr(0, open)),
          .inputs = std::string(call.substr(open + 1, close - open - 1))};
}

// Nanoseconds; TensorFlow's older stats have micros only.
int64_t StartOf(const pb::NodeExecStats& node) {
  return node.all_start_nanos() != 0 ? node.all_start_nanos()
                                     : node.all_start_micros() * 1000;
}
int64_t DurationOf(const pb::NodeExecStats& node) {
  return std::max<int64_t>(node.all_end_rel_nanos() != 0
                               ? node.all_end_rel_nanos()
                               : node.all_end_rel_micros() * 1000,
                           0);
}
int64_t QueuedOf(const pb::NodeExecStats& node) {
  const int64_t scheduled = node.scheduled_nanos() != 0
                                ? node.scheduled_nanos()
                                : node.scheduled_micros() * 1000;
  return std::max<int64_t>(StartOf(node) - scheduled, 0);
}

double Micros(int64_t nanos) { return static_cast<double>(nanos) / 1000; }

// "float [128,10]".
std::string OutputText(const pb::NodeOutput& output) {
  const pb::TensorDescription& tensor = output.tensor_description();
  return absl::StrCat(Name(static_cast<DType>(tensor.dtype())), " [",
                      absl::StrJoin(tensor.shape().dim(), ",",
                                    [](std::string* out, const auto& dim) {
                                      absl::StrAppend(out, dim.size());
                                    }),
                      "]");
}

Json Metadata(const char* what, int process, int row, Json args) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", process},
          {"tid", row},
          {"args", std::move(args)}};
}

// The events as text: as a tree they would take several times the memory.
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

// Rows of the viewer for one thread: an event takes the lowest row whose last
// event has ended, so events of a row never overlap. Events come by start.
class Rows {
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

// The events of one device.
class DeviceEvents {
 public:
  DeviceEvents(int process, std::string name)
      : process_(process), name_(std::move(name)) {}

  struct Place {
    int process = 0;
    int row = 0;
  };

  Place Add(const pb::NodeExecStats& node, int64_t zero, Events& events) {
    const int64_t start = StartOf(node);
    const int64_t duration = DurationOf(node);
    const Place place{process_, RowOf(node.thread_id(), start, duration)};
    const Label label = ParseLabel(node);
    Json args = {{"node", node.node_name()}, {"op", label.op}};
    if (!label.inputs.empty()) args["inputs"] = label.inputs;
    if (node.output_size() > 0) {
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

  void Name(const pb::DeviceStepStats& device) {
    for (const auto& [id, name] : device.thread_names()) names_[id] = name;
  }

  void AddMetadata(Events& events) const {
    events.Add(Metadata("process_name", process_, 0, {{"name", name_}}));
    events.Add(Metadata("process_sort_index", process_, 0,
                        {{"sort_index", process_}}));
    for (const auto& [key, row] : row_ids_) {
      const auto& [thread, number] = key;
      const auto found = names_.find(thread);
      std::string name = found == names_.end() || found->second.empty()
                             ? absl::StrCat("thread ", thread)
                             : found->second;
      if (number > 0) absl::StrAppend(&name, " +", number);
      events.Add(Metadata("thread_name", process_, row, {{"name", name}}));
    }
  }

 private:
  int RowOf(uint32_t thread, int64_t start, int64_t duration) {
    const int number = threads_[thread].Assign(start, start + duration);
    const auto [found, is_new] = row_ids_.try_emplace({thread, number}, 0);
    if (is_new) {
      int& next = thread == kWaiting ? next_waiting_row_ : next_row_;
      found->second = next++;
    }
    return found->second;
  }

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
  std::map<uint32_t, Rows> threads_;
  std::map<uint32_t, std::string> names_;
  std::map<std::pair<uint32_t, int>, int> row_ids_;
  int next_row_ = 0;
  int next_waiting_row_ = 1'000'000;  // viewers sort rows by number
  int64_t live_bytes_ = -1;
};

// Arrows. A tensor may go the same way several times, in a loop: the first
// Send then belongs to the first Recv, and so on.
class Transfers {
 public:
  void Add(const std::string& device, const pb::NodeExecStats& node,
           DeviceEvents::Place place) {
    const Label label = ParseLabel(node);
    const bool sends = label.op == "_Send" || label.op == "_HostSend";
    if (!sends && label.op != "_Recv" && label.op != "_HostRecv") return;
    const size_t at = label.inputs.rfind(" @");
    if (at == std::string::npos) return;
    const std::string tensor = label.inputs.substr(0, at);
    const std::string other = label.inputs.substr(at + 2);
    End end{place, StartOf(node), StartOf(node) + DurationOf(node)};
    if (sends) {
      ends_[{tensor, device, other}].sends.push_back(end);
    } else {
      ends_[{tensor, other, device}].recvs.push_back(end);
    }
  }

  void AddTo(Events& events, int64_t zero) {
    for (auto& [key, ends] : ends_) {
      const auto by_end = [](const End& a, const End& b) {
        return a.end < b.end;
      };
      std::sort(ends.sends.begin(), ends.sends.end(), by_end);
      std::sort(ends.recvs.begin(), ends.recvs.end(), by_end);
      const size_t count = std::min(ends.sends.size(), ends.recvs.size());
      for (size_t i = 0; i < count; ++i) {
        const std::string& tensor = std::get<0>(key);
        events.Add(Arrow("s", tensor, ends.sends[i], zero));
        events.Add(Arrow("f", tensor, ends.recvs[i], zero));
        ++next_id_;
      }
    }
    ends_.clear();
  }

 private:
  struct End {
    DeviceEvents::Place place = {};
    int64_t start = 0;
    int64_t end = 0;
  };
  struct Ends {
    std::vector<End> sends = {};
    std::vector<End> recvs = {};
  };

  // An arrow leaves and meets the event that its time lies in; an event's end
  // is no longer in it.
  Json Arrow(const char* phase, const std::string& tensor, const End& end,
             int64_t zero) const {
    const int64_t time =
        *phase == 's' ? end.start : std::max(end.start, end.end - 1);
    Json arrow = {{"name", tensor},
                  {"cat", "transfer"},
                  {"ph", phase},
                  {"id", next_id_},
                  {"pid", end.place.process},
                  {"tid", end.place.row},
                  {"ts", Micros(time - zero)}};
    if (*phase == 'f') arrow["bp"] = "e";
    return arrow;
  }

  std::map<std::tuple<std::string, std::string, std::string>, Ends> ends_;
  int64_t next_id_ = 0;
};

struct Interval {
  int64_t start = INT64_MAX;
  int64_t end = 0;
};

Interval IntervalOf(const pb::StepStats& step) {
  Interval interval;
  for (const pb::DeviceStepStats& device : step.dev_stats()) {
    for (const pb::NodeExecStats& node : device.node_stats()) {
      const int64_t start = StartOf(node);
      interval.start = std::min(interval.start, start);
      interval.end = std::max(interval.end, start + DurationOf(node));
    }
  }
  return interval;
}

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
      OpTime& time = by_op_[ParseLabel(node).op];
      ++time.count;
      time.total += std::chrono::nanoseconds(DurationOf(node));
    }
  }
  // A later step that is small enough would be out of its place.
  is_full_ = is_full_ || runs > max_node_runs_ - num_node_runs_;
  if (is_full_) return;
  num_node_runs_ += runs;
  for (pb::DeviceStepStats& device : *step.mutable_dev_stats()) {
    auto& nodes = *device.mutable_node_stats();
    std::stable_sort(
        nodes.pointer_begin(), nodes.pointer_end(),
        [](const auto* a, const auto* b) { return StartOf(*a) < StartOf(*b); });
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
  Transfers transfers;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Interval interval = IntervalOf(steps_[i]);
    if (interval.start > interval.end) continue;  // nothing ran
    events.Add(StepEvent(i, interval, zero));
    for (const pb::DeviceStepStats& device : steps_[i].dev_stats()) {
      DeviceEvents& to = devices.at(device.device());
      to.Name(device);
      for (const pb::NodeExecStats& node : device.node_stats()) {
        transfers.Add(device.device(), node, to.Add(node, zero, events));
      }
    }
    transfers.AddTo(events, zero);
  }
  if (!events.empty()) {
    events.Add(Metadata("process_name", kStepsProcess, 0, {{"name", "steps"}}));
  }
  for (const auto& [name, device] : devices) device.AddMetadata(events);
  return std::move(events).Finish();
}

}  // namespace leat
