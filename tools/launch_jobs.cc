// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/launch_jobs.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/resolver.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

constexpr char kChiefJob[] = "chief";
constexpr char kWorkerJob[] = "worker";
// Is an address for the check of names. Nobody listens there.
constexpr char kAnyAddress[] = "127.0.0.1:0";

struct JobCount {
  std::string job = {};
  int count = 0;
};

absl::StatusOr<JobCount> ParseJob(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  JobCount job{.job = std::string(parts.first)};
  if (!absl::SimpleAtoi(parts.second, &job.count) || job.count < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        QuotedText(text), " is not JOB=COUNT with a count from 1 on"));
  }
  // ClusterSpec::Create checks the name of the job.
  LEAT_RETURN_IF_ERROR(
      ClusterSpec::Create({{job.job, {{0, kAnyAddress}}}}).status());
  if (job.job == kChiefJob && job.count > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        QuotedText(text), " is too many; a cluster has one chief at most"));
  }
  return job;
}

absl::Status NoPort() {
  return absl::UnavailableError(absl::StrCat(
      "no free port of 127.0.0.1 can be taken: ", std::strerror(errno)));
}

// Binds a socket, which `port` then owns, to a free port of 127.0.0.1. Returns
// the number of that port.
absl::StatusOr<int> ReservePort(FileDescriptor& port) {
  port = FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!port.is_open()) return NoPort();
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  const int yes = 1;
  // SO_REUSEADDR is set only after bind(). If this option were set before,
  // bind() could choose a port that another socket has.
  if (bind(port.number(), any, size) != 0 ||
      getsockname(port.number(), any, &size) != 0 ||
      setsockopt(port.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) !=
          0) {
    return NoPort();
  }
  return ntohs(address.sin_port);
}

}  // namespace

absl::StatusOr<std::vector<TaskId>> ParseJobs(absl::string_view text) {
  std::vector<TaskId> tasks;
  std::map<std::string, int> counts;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    LEAT_ASSIGN_OR_RETURN(const JobCount job, ParseJob(part));
    if (!counts.emplace(job.job, job.count).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("job ", QuotedText(job.job), " is listed twice"));
    }
    if (job.count > kMaxLaunchedTasks - static_cast<int>(tasks.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          QuotedText(text), " has more than ", kMaxLaunchedTasks, " tasks"));
    }
    for (int i = 0; i < job.count; ++i) {
      tasks.push_back({.job = job.job, .index = i});
    }
  }
  if (counts.size() == 1 && counts.count(kEvaluatorJob) == 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(QuotedText(text), " has no task in the cluster: an ",
                     kEvaluatorJob, " is outside of it"));
  }
  return tasks;
}

std::optional<size_t> MainTask(const std::vector<TaskId>& tasks) {
  for (const char* job : {kChiefJob, kWorkerJob}) {
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i].job == job) return i;  // the first one has index 0
    }
  }
  return std::nullopt;
}

std::string ShortName(const TaskId& task) {
  return absl::StrCat(task.job, "-", task.index);
}

absl::StatusOr<std::unique_ptr<LocalCluster>> LocalCluster::Create(
    const std::vector<TaskId>& tasks) {
  ClusterSpec::Jobs jobs;
  std::vector<FileDescriptor> ports;
  for (const TaskId& task : tasks) {
    if (task.job == kEvaluatorJob) continue;
    LEAT_ASSIGN_OR_RETURN(const int port, ReservePort(ports.emplace_back()));
    jobs[task.job][task.index] = absl::StrCat("127.0.0.1:", port);
  }
  LEAT_ASSIGN_OR_RETURN(ClusterSpec spec, ClusterSpec::Create(std::move(jobs)));
  return std::unique_ptr<LocalCluster>(
      new LocalCluster(std::move(spec), std::move(ports)));
}

std::string LocalCluster::TfConfig(const TaskId& task) const {
  auto cluster = nlohmann::ordered_json::object();
  for (const auto& [job, addresses] : spec_.jobs()) {
    auto& list = cluster[job] = nlohmann::ordered_json::array();
    for (const auto& [index, address] : addresses) list.push_back(address);
  }
  const nlohmann::ordered_json config = {
      {"cluster", cluster},
      {"task", {{"type", task.job}, {"index", task.index}}}};
  return config.dump();
}

}  // namespace leat
