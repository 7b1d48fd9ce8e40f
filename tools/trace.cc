// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/trace.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;
using Clock = TraceRecorder::Clock;

double Microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

Json Metadata(const char* what, int process, int lane,
              const std::string& name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", process},
          {"tid", lane},
          {"args", {{"name", name}}}};
}

// Rows of the viewer for one device: an event takes the lowest row whose last
// event has ended, so events of a row never overlap. Events come by start.
class Lanes {
 public:
  int Assign(Clock::time_point started, Clock::time_point ended) {
    while (!busy_.empty() && busy_.top().first <= started) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    int lane = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      lane = free_.top();
      free_.pop();
    }
    busy_.emplace(ended, lane);
    return lane;
  }

  int count() const { return count_; }

 private:
  using Busy = std::pair<Clock::time_point, int>;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::priority_queue<int, std::vector<int>, std::greater<>> free_;
  int count_ = 0;
};

}  // namespace

void TraceRecorder::Add(Event event) {
  MutexLock lock(mutex_);
  if (events_.size() >= max_events_) {
    ++num_dropped_;
    return;
  }
  events_.push_back(std::move(event));
}

void TraceRecorder::OnNodeRun(const NodeRun& run) {
  Add({.node = std::string(run.node),
       .op = std::string(run.op),
       .device = run.device == nullptr ? "device" : run.device->name(),
       .scheduled = run.scheduled,
       .started = run.started,
       .ended = run.ended});
}

void TraceRecorder::OnStep(int64_t step, Clock::time_point started,
                           Clock::time_point ended) {
  Add({.node = absl::StrCat("step ", step),
       .op = "step",
       .scheduled = started,
       .started = started,
       .ended = ended});
}

int64_t TraceRecorder::num_dropped() const {
  MutexLock lock(mutex_);
  return num_dropped_;
}

std::vector<OpTime> TraceRecorder::TimeByOp() const {
  absl::flat_hash_map<std::string, OpTime> by_op;
  {
    MutexLock lock(mutex_);
    for (const Event& event : events_) {
      if (event.device.empty()) continue;
      OpTime& time = by_op[event.op];
      time.op = event.op;
      ++time.count;
      time.total += event.ended - event.started;
    }
  }
  std::vector<OpTime> times;
  for (auto& [op, time] : by_op) times.push_back(std::move(time));
  std::sort(times.begin(), times.end(), [](const OpTime& a, const OpTime& b) {
    return a.total != b.total ? a.total > b.total : a.op < b.op;
  });
  return times;
}

std::vector<TraceRecorder::Event> TraceRecorder::SortedEvents() const {
  std::vector<Event> events;
  {
    MutexLock lock(mutex_);
    events = events_;
  }
  std::stable_sort(
      events.begin(), events.end(),
      [](const Event& a, const Event& b) { return a.started < b.started; });
  return events;
}

std::string TraceRecorder::ToChromeJson() const {
  const std::vector<Event> events = SortedEvents();
  std::map<std::string, int> processes;  // by device; "" for steps comes first
  for (const Event& event : events) processes.try_emplace(event.device, 0);
  int next = 0;
  for (auto& [device, process] : processes) process = next++;
  std::vector<Lanes> lanes(processes.size());
  Json list = Json::array();
  for (const Event& event : events) {
    const int process = processes.at(event.device);
    Json args = {{"node", event.node}, {"op", event.op}};
    if (!event.device.empty()) {
      args["queued_us"] = Microseconds(event.started - event.scheduled);
    }
    list.push_back({{"name", event.device.empty() ? event.node : event.op},
                    {"cat", event.device.empty() ? "step" : "op"},
                    {"ph", "X"},
                    {"pid", process},
                    {"tid", lanes[process].Assign(event.started, event.ended)},
                    {"ts", Microseconds(event.started - events[0].started)},
                    {"dur", Microseconds(event.ended - event.started)},
                    {"args", std::move(args)}});
  }
  for (const auto& [device, process] : processes) {
    list.push_back(Metadata("process_name", process, 0,
                            device.empty() ? "steps" : device));
    for (int lane = 0; lane < lanes[process].count(); ++lane) {
      list.push_back(
          Metadata("thread_name", process, lane, absl::StrCat("lane ", lane)));
    }
  }
  const Json trace = {{"displayTimeUnit", "ms"},
                      {"traceEvents", std::move(list)}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace leat
