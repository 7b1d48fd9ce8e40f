// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/cluster_task.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/ending_signals.h"
#include "leat/core/files/descriptor_limit.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/address.h"
#include "leat/runtime/host_memory.h"

namespace leat {
namespace {

using TasksOfJob = std::map<int, std::string>;  // addresses by index

// Returns the tasks of a job, or an empty map if there is no such job.
const TasksOfJob& TasksOf(const ClusterSpec& cluster, absl::string_view job) {
  static const TasksOfJob none;
  const auto it = cluster.jobs().find(std::string(job));
  return it == cluster.jobs().end() ? none : it->second;
}

std::string DeviceOf(const TaskId& task) {
  return absl::StrCat("/job:", task.job, "/task:", task.index);
}

// Returns the target of the task at `address`, written as Server::target()
// writes it.
std::string TargetAt(const std::string& transport, const std::string& address) {
  const std::string path = UnixPath(address);
  return path.empty() ? absl::StrCat(transport, "://", address)
                      : absl::StrCat("unix://", path);
}

}  // namespace

class ClusterTask::Implementation {
 public:
  Implementation(TaskConfig config, bool serves, std::chrono::nanoseconds grace)
      : config_(std::move(config)), serves_(serves), grace_(grace) {}

  absl::Status Start(ServerOptions options) {
    if (!config_.in_cluster) return FindParameterServer(options.transport);
    log_ = options.log;
    options.config = config_;
    RaiseDescriptorLimit();
    LimitThreadStacks();
    LEAT_ASSIGN_OR_RETURN(server_, Server::Start(std::move(options)));
    target_ = server_->target();
    return absl::OkStatus();
  }

  const TaskConfig& config() const { return config_; }
  bool serves() const { return serves_; }
  const std::string& target() const { return target_; }
  Server* server() const { return server_.get(); }
  // Returns the task whose master this task uses. This is the task itself or,
  // for an evaluator, the first parameter server.
  const TaskId& master() const {
    return config_.in_cluster ? config_.task : first_ps_;
  }

  int Serve() {
    return StopAtEndingSignal([this](int) {
      server_->Stop(grace_, [this](absl::string_view message) {
        if (log_ == nullptr) return;
        log_(absl::StrCat(message, "; a second signal ends it at once"));
      });
    });
  }

 private:
  absl::Status FindParameterServer(const std::string& transport) {
    const TasksOfJob& servers = TasksOf(config_.cluster, kPsJob);
    if (servers.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(config_.source, ": an ", config_.task.job,
                       " needs a task of job 'ps', whose variables it reads"));
    }
    first_ps_ = {.job = kPsJob, .index = servers.begin()->first};
    target_ = TargetAt(transport, servers.begin()->second);
    return absl::OkStatus();
  }

  const TaskConfig config_;
  const bool serves_;
  const std::chrono::nanoseconds grace_;
  std::function<void(absl::string_view message)> log_;  // may be null
  std::string target_;
  TaskId first_ps_;
  std::unique_ptr<Server> server_;
};

absl::StatusOr<std::unique_ptr<ClusterTask>> ClusterTask::Start(
    ClusterTaskOptions options) {
  LEAT_ASSIGN_OR_RETURN(TaskConfig config, ResolveTask(options.input));
  const bool serves =
      config.in_cluster &&
      std::find(options.serving_jobs.begin(), options.serving_jobs.end(),
                config.task.job) != options.serving_jobs.end();
  if (serves) BlockEndingSignals();
  auto implementation = std::make_unique<Implementation>(std::move(config),
                                                         serves, options.grace);
  LEAT_RETURN_IF_ERROR(implementation->Start(std::move(options.server)));
  return std::unique_ptr<ClusterTask>(
      new ClusterTask(std::move(implementation)));
}

ClusterTask::ClusterTask(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

ClusterTask::~ClusterTask() = default;

const TaskConfig& ClusterTask::config() const {
  return implementation_->config();
}

const TaskId& ClusterTask::task() const { return config().task; }

bool ClusterTask::is_chief() const {
  if (!config().in_cluster) return false;
  const TasksOfJob& chiefs = TasksOf(config().cluster, kChiefJob);
  const char* const job = chiefs.empty() ? kWorkerJob : kChiefJob;
  const TasksOfJob& tasks = TasksOf(config().cluster, job);
  return task().job == job && !tasks.empty() &&
         task().index == tasks.begin()->first;
}

bool ClusterTask::is_ps() const {
  return config().in_cluster && task().job == kPsJob;
}

bool ClusterTask::is_evaluator() const { return !config().in_cluster; }

bool ClusterTask::serves() const { return implementation_->serves(); }

int ClusterTask::num_tasks(absl::string_view job) const {
  return static_cast<int>(TasksOf(config().cluster, job).size());
}

int ClusterTask::num_ps() const { return num_tasks(kPsJob); }

int ClusterTask::num_workers() const {
  return num_tasks(kChiefJob) + num_tasks(kWorkerJob);
}

int ClusterTask::worker_number() const {
  const bool is_worker = task().job == kWorkerJob;
  if (!config().in_cluster || (!is_worker && task().job != kChiefJob)) return 0;
  const TasksOfJob& tasks = TasksOf(config().cluster, task().job);
  const auto position = tasks.find(task().index);
  return (is_worker ? num_tasks(kChiefJob) : 0) +
         static_cast<int>(std::distance(tasks.begin(), position));
}

std::string ClusterTask::worker_device() const {
  return DeviceOf(implementation_->master());
}

const std::string& ClusterTask::target() const {
  return implementation_->target();
}

SessionOptions ClusterTask::session_options() const {
  SessionOptions options;
  options.target = target();
  options.device_filters = {absl::StrCat("/job:", kPsJob)};
  if (!is_ps() && !is_evaluator()) {
    options.device_filters.push_back(worker_device());
  }
  return options;
}

Server* ClusterTask::server() const { return implementation_->server(); }

int ClusterTask::Serve() { return implementation_->Serve(); }

}  // namespace leat
