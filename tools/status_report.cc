// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/status_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "leat/core/bytes_text.h"
#include "leat/core/escaped_text.h"
#include "leat/tools/dumps/table.h"
#include "leat/tools/status_rates.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<Cell>>;

// Returns a task's name as people write it: "/job:ps/task:0".
std::string Short(const std::string& task) {
  return absl::StrReplaceAll(task, {{"/replica:0", ""}});
}

Cell Name(const std::string& task) { return Cell(Short(task), Style::kName); }
Cell Count(int64_t count) { return Cell::Number(absl::StrCat(count)); }
Cell Bytes(int64_t bytes) { return Cell::Number(BytesText(bytes)); }
Cell Age(int64_t micros) {
  return Cell::Number(AgeText(std::chrono::microseconds(micros)));
}
Cell Failed(int64_t failed) {
  Cell cell = Count(failed);
  if (failed > 0) cell.style = Style::kAlarm;
  return cell;
}

Cell Rate(std::optional<double> rate) {
  if (!rate.has_value()) return Cell::Number("-");
  const int digits = *rate >= 1000 ? 0 : *rate >= 10 || *rate == 0 ? 1 : 2;
  return Cell::Number(absl::StrFormat("%.*f", digits, *rate));
}
Cell ByteRate(std::optional<double> rate) {
  return Cell::Number(
      rate.has_value()
          ? absl::StrCat(BytesText(static_cast<int64_t>(*rate)), "/s")
          : "-");
}

// Writes the text, table by table.
class TextReport {
 public:
  TextReport(const ClusterReading& reading, const ClusterReading* before,
             const StatusReportOptions& options)
      : reading_(reading), before_(before), options_(options) {}

  std::string Text() && {
    AddTasks();
    AddSessions();
    AddTraffic();
    AddSteps();
    AddRecvs();
    AddDevices();
    AddMemory();
    return std::move(text_);
  }

 private:
  void AddTasks();
  void AddDevices();
  void AddMemory();
  void AddSessions();
  void AddTraffic();
  void AddSteps();
  void AddRecvs();

  // Adds a table with a title. If `more` is not 0, adds a line such as "and 3
  // more". Adds nothing if there are no rows.
  void Add(const std::string& title, std::vector<Cell> heading, Rows rows,
           int64_t more = 0, absl::string_view what = "") {
    if (rows.empty()) return;
    if (!text_.empty()) text_ += "\n";
    absl::StrAppend(&text_, Styled(title, Style::kHeading, options_.color),
                    "\n");
    for (Cell& cell : heading) cell.style = Style::kFaint;
    rows.insert(rows.begin(), std::move(heading));
    text_ +=
        FormatTable(rows, {.color = options_.color, .width = options_.width});
    if (more > 0) absl::StrAppend(&text_, "  and ", more, " more", what, "\n");
  }

  const ClusterReading& reading_;
  const ClusterReading* const before_;
  const StatusReportOptions& options_;
  std::string text_;
};

std::string Count(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// Returns what is wrong with a task, or "".
std::string ProblemOf(const TaskReading& task) {
  if (!task.status.ok()) return std::string(task.status.message());
  const std::string& problem = task.report.connections().problem();
  return problem.empty() ? ""
                         : absl::StrCat("accepts no connections: ", problem);
}

void TextReport::AddTasks() {
  Rows rows;
  for (const TaskReading& task : reading_.tasks) {
    std::vector<Cell> row = {Name(task.task), task.address};
    const pb::TaskStatusResponse& report = task.report;
    if (!task.status.ok()) {
      row.emplace_back("no answer", Style::kAlarm);
    } else if (!task.is_leat) {
      row.emplace_back("TensorFlow");
    } else {
      row.emplace_back(absl::StrCat("Leat ", report.version()));
      row.push_back(Age(report.uptime_us()));
      row.push_back(Bytes(report.resident_bytes()));
      row.push_back(Count(report.steps().running()));
      row.push_back(Count(report.steps().succeeded()));
      row.push_back(Failed(report.steps().failed()));
      row.push_back(Rate(StatusRates(task, before_).Steps()));
    }
    rows.push_back(std::move(row));
  }
  std::string title = Count(reading_.tasks.size(), "task");
  const size_t silent = reading_.num_unreachable();
  if (silent > 0) absl::StrAppend(&title, ", ", silent, " without answer");
  Add(title,
      {"task", "address", "", Cell::Number("up"), Cell::Number("memory"),
       Cell::Number("running"), Cell::Number("done"), Cell::Number("failed"),
       Cell::Number("steps/s")},
      std::move(rows), static_cast<int64_t>(reading_.num_unasked));
  for (const TaskReading& task : reading_.tasks) {
    const std::string problem = ProblemOf(task);
    if (problem.empty()) continue;
    std::string why =
        absl::StrCat("  ", Escaped(Short(task.task)), ": ", Escaped(problem));
    if (options_.width > 0) {
      why = Shortened(why, static_cast<size_t>(options_.width));
    }
    absl::StrAppend(&text_, Styled(why, Style::kAlarm, options_.color), "\n");
  }
}

void TextReport::AddSessions() {
  // The sessions are sorted by handle; the master comes before the workers.
  std::map<std::pair<std::string, int>, Rows> sessions;
  size_t of_clients = 0;
  int64_t more = 0;
  for (const TaskReading& task : reading_.tasks) {
    const pb::TaskStatusResponse& report = task.report;
    const StatusRates rates(task, before_);
    const auto add = [&](const auto& session, int order, std::string role,
                         int64_t graphs) {
      sessions[{session.handle(), order}].push_back(
          {session.handle(), Name(task.task), std::move(role), Count(graphs),
           Age(session.idle_us()), Count(session.steps().running()),
           Count(session.steps().succeeded()), Failed(session.steps().failed()),
           Rate(rates.StepsOf(session))});
    };
    for (const pb::ClientSessionStatus& session : report.client_sessions()) {
      add(session, 0, absl::StrCat("master of ", session.num_tasks(), " tasks"),
          session.num_plans());
    }
    for (const pb::WorkerSessionStatus& session : report.worker_sessions()) {
      add(session, 1,
          absl::StrCat("for ", Short(session.master_task()),
                       session.isolated() ? ", isolated" : ""),
          session.num_graphs());
    }
    of_clients += static_cast<size_t>(report.num_client_sessions());
    more += report.num_client_sessions() - report.client_sessions_size() +
            report.num_worker_sessions() - report.worker_sessions_size();
  }
  Rows rows;
  for (auto& [key, some] : sessions) {
    rows.insert(rows.end(), some.begin(), some.end());
  }
  Add(absl::StrCat(Count(of_clients, "session"), " of clients"),
      {"session", "task", "as", Cell::Number("graphs"), Cell::Number("idle"),
       Cell::Number("running"), Cell::Number("done"), Cell::Number("failed"),
       Cell::Number("steps/s")},
      std::move(rows), more);
}

std::string StateText(const pb::PeerTrafficStatus& peer) {
  switch (peer.state()) {
    case pb::PeerTrafficStatus::REACHABLE:
      return peer.heard_us() < 1'000'000
                 ? "answers"
                 : absl::StrCat(
                       "answered ",
                       AgeText(std::chrono::microseconds(peer.heard_us())),
                       " ago");
    case pb::PeerTrafficStatus::UNREACHABLE:
      return peer.error();
    default:
      return "";
  }
}

void TextReport::AddTraffic() {
  Rows rows;
  int64_t more = 0;
  for (const TaskReading& task : reading_.tasks) {
    const StatusRates rates(task, before_);
    for (const pb::PeerTrafficStatus& peer : task.report.peers()) {
      if (peer.calls() + peer.calls_served() == 0) continue;
      std::optional<double> sent, received;
      if (const auto bytes = rates.BytesOf(peer)) {
        sent = bytes->sent;
        received = bytes->received;
      }
      const bool is_lost = peer.state() == pb::PeerTrafficStatus::UNREACHABLE;
      rows.push_back(
          {Name(task.task),
           peer.task().empty() ? Cell("others", Style::kFaint)
                               : Name(peer.task()),
           Count(peer.calls()), Count(peer.calls_under_way()),
           Count(peer.calls_served()), Bytes(peer.bytes_sent()), ByteRate(sent),
           Bytes(peer.bytes_received()), ByteRate(received),
           Cell(StateText(peer), is_lost ? Style::kAlarm : Style::kFaint)});
    }
    more += task.report.num_peers() - task.report.peers_size();
  }
  Add("traffic between tasks",
      {"task", "peer", Cell::Number("calls"), Cell::Number("open"),
       Cell::Number("served"), Cell::Number("sent"), "",
       Cell::Number("received"), "", ""},
      std::move(rows), more);
}

void TextReport::AddSteps() {
  std::vector<std::pair<int64_t, std::vector<Cell>>> steps;
  int64_t more = 0;
  for (const TaskReading& task : reading_.tasks) {
    more += std::max<int64_t>(
        0, task.report.steps().running() - task.report.running_steps_size());
    for (const pb::RunningStepStatus& step : task.report.running_steps()) {
      steps.push_back(
          {step.age_us(),
           {Age(step.age_us()), absl::StrFormat("%04x", step.step()),
            Name(task.task), step.session()}});
    }
  }
  std::stable_sort(
      steps.begin(), steps.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  Rows rows;
  for (auto& [age, row] : steps) rows.push_back(std::move(row));
  Add(absl::StrCat("steps that have run for ", AgeText(options_.min_age),
                   " or longer"),
      {Cell::Number("for"), "step", "task", "session"}, std::move(rows), more,
      " that run");
}

// Returns the waiting Recvs, the oldest first. Both the receiver and the sender
// report a Recv; it is listed once.
std::vector<pb::WaitingRecvStatus> Recvs(const ClusterReading& reading) {
  std::map<std::pair<uint32_t, std::string>, pb::WaitingRecvStatus> by_key;
  for (const TaskReading& task : reading.tasks) {
    for (const pb::WaitingRecvStatus& recv : task.report.waiting_recvs()) {
      pb::WaitingRecvStatus& known = by_key[{recv.step(), recv.key()}];
      if (recv.age_us() >= known.age_us()) known = recv;
    }
  }
  std::vector<pb::WaitingRecvStatus> recvs;
  for (auto& [key, recv] : by_key) recvs.push_back(std::move(recv));
  std::stable_sort(
      recvs.begin(), recvs.end(),
      [](const auto& a, const auto& b) { return a.age_us() > b.age_us(); });
  return recvs;
}

void TextReport::AddRecvs() {
  Rows rows;
  int64_t more = 0;
  for (const TaskReading& task : reading_.tasks) {
    more += std::max<int64_t>(
        0, task.report.num_waiting_recvs() - task.report.waiting_recvs_size());
  }
  for (const pb::WaitingRecvStatus& recv : Recvs(reading_)) {
    rows.push_back({Age(recv.age_us()), absl::StrFormat("%04x", recv.step()),
                    Name(recv.receiver()), Name(recv.sender()), recv.key()});
  }
  Add(absl::StrCat("Recvs that have waited for ", AgeText(options_.min_age),
                   " or longer"),
      {Cell::Number("for"), "step", "receiver", "sender", "key"},
      std::move(rows), more, " that wait");
}

void TextReport::AddDevices() {
  Rows rows;
  for (const TaskReading& task : reading_.tasks) {
    if (!task.status.ok()) continue;
    for (const pb::DeviceAttributes& device : task.report.devices()) {
      rows.push_back({Name(device.name()), Bytes(device.memory_limit()),
                      Cell(absl::StrFormat("%016x", device.incarnation())),
                      Cell(device.physical_device_desc(), Style::kFaint)});
    }
  }
  Add(Count(rows.size(), "device"),
      {"device", Cell::Number("memory"), "incarnation", ""}, rows);
}

void TextReport::AddMemory() {
  Rows rows;
  for (const TaskReading& task : reading_.tasks) {
    if (!task.report.has_memory()) continue;
    const pb::MemoryStatus& memory = task.report.memory();
    rows.push_back({Name(task.task), Bytes(memory.live_bytes()),
                    Bytes(memory.kept_bytes()), Bytes(memory.free_heap_bytes()),
                    Bytes(memory.given_back_bytes()),
                    Bytes(memory.free_bytes())});
  }
  Add("memory of tasks",
      {"task", Cell::Number("in tensors"), Cell::Number("kept for steps"),
       Cell::Number("kept by malloc"), Cell::Number("given back"),
       Cell::Number("may take")},
      std::move(rows));
}

Json RateJson(std::optional<double> rate) {
  return rate.has_value() ? Json(*rate) : Json(nullptr);
}

Json StepsJson(const pb::StepTotals& steps, std::optional<double> rate) {
  return {{"running", steps.running()},
          {"succeeded", steps.succeeded()},
          {"failed", steps.failed()},
          {"per_second", RateJson(rate)}};
}

Json SessionsJson(const pb::TaskStatusResponse& report,
                  const StatusRates& rates) {
  Json sessions = {{"of_clients", Json::array()},
                   {"num_of_clients", report.num_client_sessions()},
                   {"of_masters", Json::array()},
                   {"num_of_masters", report.num_worker_sessions()}};
  for (const pb::ClientSessionStatus& session : report.client_sessions()) {
    sessions["of_clients"].push_back(
        {{"handle", session.handle()},
         {"idle_us", session.idle_us()},
         {"plans", session.num_plans()},
         {"tasks", session.num_tasks()},
         {"steps", StepsJson(session.steps(), rates.StepsOf(session))}});
  }
  for (const pb::WorkerSessionStatus& session : report.worker_sessions()) {
    sessions["of_masters"].push_back(
        {{"handle", session.handle()},
         {"idle_us", session.idle_us()},
         {"graphs", session.num_graphs()},
         {"master_task", session.master_task()},
         {"isolated", session.isolated()},
         {"steps", StepsJson(session.steps(), rates.StepsOf(session))}});
  }
  return sessions;
}

Json PeerJson(const pb::PeerTrafficStatus& peer, const StatusRates& rates) {
  const auto bytes = rates.BytesOf(peer);
  Json json = {
      {"task", peer.task()},
      {"address", peer.address()},
      {"kind", peer.kind() == pb::PeerTrafficStatus::LEAT         ? "leat"
               : peer.kind() == pb::PeerTrafficStatus::TENSORFLOW ? "tensorflow"
                                                                  : "unknown"},
      {"state", peer.state() == pb::PeerTrafficStatus::REACHABLE ? "reachable"
                : peer.state() == pb::PeerTrafficStatus::UNREACHABLE
                    ? "unreachable"
                    : "unknown"},
      {"error", peer.error()},
      {"calls", peer.calls()},
      {"calls_under_way", peer.calls_under_way()},
      {"calls_served", peer.calls_served()},
      {"bytes_sent", peer.bytes_sent()},
      {"bytes_received", peer.bytes_received()}};
  json["bytes_sent_per_second"] =
      bytes.has_value() ? Json(bytes->sent) : Json(nullptr);
  json["bytes_received_per_second"] =
      bytes.has_value() ? Json(bytes->received) : Json(nullptr);
  json["heard_us"] =
      peer.heard_us() < 0 ? Json(nullptr) : Json(peer.heard_us());
  return json;
}

void PutReport(const TaskReading& task, const ClusterReading* before,
               Json& json) {
  const pb::TaskStatusResponse& report = task.report;
  const StatusRates rates(task, before);
  json["version"] = report.version();
  json["incarnation"] = absl::StrFormat("%016x", report.incarnation());
  json["uptime_us"] = report.uptime_us();
  json["resident_bytes"] = report.resident_bytes();
  const pb::MemoryStatus& memory = report.memory();
  json["memory"] = {{"live_bytes", memory.live_bytes()},
                    {"kept_bytes", memory.kept_bytes()},
                    {"free_heap_bytes", memory.free_heap_bytes()},
                    {"free_bytes", memory.free_bytes()},
                    {"given_back_bytes", memory.given_back_bytes()}};
  const pb::ConnectionStatus& connections = report.connections();
  json["connections"] = {{"open", connections.open()},
                         {"max", connections.max()},
                         {"refused", connections.refused()},
                         {"problem", connections.problem()}};
  json["steps"] = StepsJson(report.steps(), rates.Steps());
  json["open_steps"] = report.num_open_steps();
  json["sessions"] = SessionsJson(report, rates);
  json["peers"] = Json::array();
  for (const pb::PeerTrafficStatus& peer : report.peers()) {
    json["peers"].push_back(PeerJson(peer, rates));
  }
  json["num_peers"] = report.num_peers();
  json["running_steps"] = Json::array();
  for (const pb::RunningStepStatus& step : report.running_steps()) {
    json["running_steps"].push_back(
        {{"step", absl::StrFormat("%04x", step.step())},
         {"session", step.session()},
         {"age_us", step.age_us()}});
  }
  json["waiting_recvs"] = Json::array();
  for (const pb::WaitingRecvStatus& recv : report.waiting_recvs()) {
    json["waiting_recvs"].push_back(
        {{"step", absl::StrFormat("%04x", recv.step())},
         {"key", recv.key()},
         {"sender", recv.sender()},
         {"receiver", recv.receiver()},
         {"age_us", recv.age_us()}});
  }
  json["num_waiting_recvs"] = report.num_waiting_recvs();
}

Json TaskJson(const TaskReading& task, const ClusterReading* before) {
  Json json = {{"task", task.task},
               {"address", task.address},
               {"kind", !task.status.ok() ? "unknown"
                        : task.is_leat    ? "leat"
                                          : "tensorflow"},
               {"error", nullptr},
               {"devices", Json::array()}};
  if (!task.status.ok()) {
    json["error"] = {{"code", absl::StatusCodeToString(task.status.code())},
                     {"message", std::string(task.status.message())}};
  }
  for (const pb::DeviceAttributes& device : task.report.devices()) {
    json["devices"].push_back(
        {{"name", device.name()},
         {"type", device.device_type()},
         {"memory_bytes", device.memory_limit()},
         {"incarnation", absl::StrFormat("%016x", device.incarnation())},
         {"description", device.physical_device_desc()}});
  }
  if (task.is_leat && task.status.ok()) PutReport(task, before, json);
  return json;
}

}  // namespace

std::string AgeText(std::chrono::nanoseconds age) {
  const absl::Duration duration = absl::FromChrono(age);
  const absl::Duration unit = duration >= absl::Minutes(10)   ? absl::Minutes(1)
                              : duration >= absl::Seconds(10) ? absl::Seconds(1)
                              : duration >= absl::Seconds(1)
                                  ? absl::Milliseconds(100)
                                  : absl::Milliseconds(1);
  return absl::FormatDuration(absl::Trunc(duration, unit));
}

std::string StatusReportText(const ClusterReading& reading,
                             const ClusterReading* before,
                             const StatusReportOptions& options) {
  return TextReport(reading, before, options).Text();
}

std::string StatusReportJson(const ClusterReading& reading,
                             const ClusterReading* before) {
  Json json = {{"tasks", Json::array()}, {"num_unasked", reading.num_unasked}};
  for (const TaskReading& task : reading.tasks) {
    json["tasks"].push_back(TaskJson(task, before));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace leat
