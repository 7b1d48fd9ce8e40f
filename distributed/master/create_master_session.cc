// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/create_master_session.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/payload.h"
#include "leat/graph/io/graph_def.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/device_set.h"

namespace leat {
namespace {

// Returns how long tasks may take to answer. The time ends a little before the
// client stops waiting, so that the client still gets an error that names the
// missing tasks.
std::chrono::nanoseconds TimeToConnect(
    const SessionConfig& config, const MasterEnvironment& environment,
    std::optional<Clock::time_point> answer_by) {
  const ServerIntervals& intervals = environment.intervals;
  const std::chrono::nanoseconds wanted =
      config.operation_timeout.value_or(intervals.connect_timeout);
  if (!answer_by.has_value()) return wanted;
  const std::chrono::nanoseconds left =
      *answer_by - environment.tasks->clock().Now();
  return std::min(wanted, left - std::min(left / 4, intervals.time_to_reply));
}

// Returns the function that GetClusterDevices calls with the tasks that have
// not answered, or null if there is no log.
std::function<void(const std::vector<std::string>&)> LogWaiting(
    const MasterEnvironment& environment) {
  if (environment.log == nullptr) return nullptr;
  return [log = environment.log](const std::vector<std::string>& waiting) {
    log(absl::StrCat("CreateSession still waiting for response from ",
                     absl::StrJoin(waiting, ", ")));
  };
}

// Describes a session that is being created.
struct Creation {
  MasterEnvironment environment;
  SessionConfig config;
  std::shared_ptr<Cancellation> cancellation;
  std::shared_ptr<void> under_way;
  CreatedMasterSession done;
};

// Returns the calls that create the session on its tasks.
std::vector<TaskCall> CallsToCreate(const Creation& creation,
                                    const SessionPlans& plans) {
  const ClusterDevices& cluster = plans.cluster();
  pb::CreateWorkerSessionRequest request;
  request.set_session_handle(plans.handle());
  request.set_isolate_session_state(creation.config.isolate_state);
  for (const DeviceInfo& device : cluster.devices) {
    ExportDevice(device, *request.add_cluster_device_attributes());
  }
  request.set_master_task(creation.environment.task);
  request.set_master_incarnation(
      static_cast<int64_t>(cluster.devices.front().incarnation));
  std::vector<TaskCall> calls;
  for (size_t i = 0; i < cluster.tasks.size(); ++i) {
    request.set_request_id(static_cast<int64_t>(RandomId()));
    request.set_ticket(cluster.tickets[i]);
    calls.push_back({cluster.tasks[i], ToPayload(request)});
  }
  return calls;
}

// Makes the session when its tasks have answered. If a task has failed, deletes
// the session on all tasks.
void Finish(Creation creation, std::unique_ptr<SessionPlans> plans,
            const std::vector<absl::StatusOr<Payload>>& replies) {
  const MasterEnvironment& environment = creation.environment;
  absl::Status status = WithSetupTimeout(FirstError(replies));
  if (status.ok()) {
    return std::move(creation.done)(std::make_shared<MasterSession>(
        environment, std::move(creation.config), std::move(plans)));
  }
  // The errors of cancelled calls do not say why the calls were cancelled.
  if (creation.cancellation->IsCancelled()) {
    status = creation.cancellation->status();
  }
  std::move(creation.done)(status);
  environment.notices->DeleteSession(
      plans->cluster().tasks, plans->handle(),
      [under_way = std::move(creation.under_way)] {});
}

// Creates the session on its tasks.
void CreateOnTasks(Creation creation, std::unique_ptr<SessionPlans> plans) {
  std::vector<TaskCall> calls = CallsToCreate(creation, *plans);
  TaskCaller& tasks = *creation.environment.tasks;
  const CallOptions options =
      SetupCall(creation.environment, creation.cancellation);
  FanOut(tasks, methods::kCreateWorkerSession, std::move(calls), options,
         [creation = std::move(creation), plans = std::move(plans)](
             const std::vector<absl::StatusOr<Payload>>& replies) mutable {
           Finish(std::move(creation), std::move(plans), replies);
         });
}

// Prepares the graph for the devices of `cluster`, then creates the session on
// its tasks.
void Continue(Creation creation, SessionPlans::ClientGraph client,
              absl::StatusOr<ClusterDevices> cluster) {
  if (!cluster.ok()) return std::move(creation.done)(cluster.status());
  auto plans = SessionPlans::Create(creation.environment, creation.config,
                                    std::move(client), *std::move(cluster));
  if (!plans.ok()) return std::move(creation.done)(plans.status());
  CreateOnTasks(std::move(creation), *std::move(plans));
}

// Imports the graph of a request.
absl::StatusOr<SessionPlans::ClientGraph> Import(
    const MasterEnvironment& environment, pb::CreateSessionRequest& request) {
  GraphBytes bytes(environment.limits.max_graph_bytes);
  LEAT_RETURN_IF_ERROR(bytes.Add(request.graph_def()));
  LEAT_ASSIGN_OR_RETURN(Graph graph,
                        ImportGraphDef(request.graph_def(), *environment.ops,
                                       environment.limits.import));
  return SessionPlans::ClientGraph{
      .config = std::move(*request.mutable_config()),
      .graph = std::move(graph),
      .bytes = std::move(bytes)};
}

}  // namespace

void CreateMasterSession(const MasterEnvironment& environment,
                         pb::CreateSessionRequest request,
                         std::shared_ptr<Cancellation> cancellation,
                         std::shared_ptr<void> under_way,
                         CreatedMasterSession done,
                         std::optional<Clock::time_point> answer_by) {
  absl::StatusOr<SessionConfig> config = ReadSessionConfig(request.config());
  if (!config.ok()) return std::move(done)(config.status());
  if (request.config().has_cluster_def()) {
    const absl::Status known = CheckClusterDef(request.config().cluster_def(),
                                               environment.cluster_spec);
    if (!known.ok()) return std::move(done)(known);
  }
  absl::StatusOr<SessionPlans::ClientGraph> client =
      Import(environment, request);
  if (!client.ok()) return std::move(done)(client.status());
  ClusterDevicesRequest devices{
      .own_task = environment.task,
      .own_devices = environment.devices->Infos(),
      .tasks = environment.cluster,
      .filters = config->device_filters,
      .timeout = TimeToConnect(*config, environment, answer_by),
      .cancellation = cancellation,
      .on_waiting = LogWaiting(environment),
      .report_interval = environment.intervals.waiting_notice,
      .ask_again = environment.intervals.ask_again};
  Creation creation{.environment = environment,
                    .config = *std::move(config),
                    .cancellation = std::move(cancellation),
                    .under_way = std::move(under_way),
                    .done = std::move(done)};
  GetClusterDevices(
      *environment.tasks, *environment.timers, std::move(devices),
      [creation = std::move(creation), client = *std::move(client)](
          absl::StatusOr<ClusterDevices> cluster) mutable {
        WorkQueue& blocking = *creation.environment.blocking;
        blocking.Add([creation = std::move(creation),
                      client = std::move(client),
                      cluster = std::move(cluster)]() mutable {
          Continue(std::move(creation), std::move(client), std::move(cluster));
        });
      });
}

}  // namespace leat
